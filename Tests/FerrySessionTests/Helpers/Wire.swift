import FerrySession
import FerryTesting
import Testing

/// Helpers for most tests over the wire.
enum Wire {
    /// Returns a session that shares nothing with others.
    static func session(
        _ delegate: (any URLSessionDelegate)? = nil,
        options: CurlSession.Options = .init(),
        configure: (URLSessionConfiguration) -> Void = { _ in }
    ) -> CurlSession {
        let configuration = URLSessionConfiguration.ephemeral
        configure(configuration)
        return CurlSession(configuration: configuration, options: options, delegate: delegate)
    }

    /// Returns a request with a method and a body.
    static func request(
        _ url: URL,
        _ method: String = "GET",
        headers: [String: String] = [:],
        body: Data? = nil,
        timeout: TimeInterval? = nil
    ) -> URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.allHTTPHeaderFields = headers
        request.httpBody = body
        if let timeout { request.timeoutInterval = timeout }
        return request
    }

    /// Returns the error that `body` throws, which must be a `URLError`; records an issue and returns `nil` if there is
    /// none.
    static func error<Value>(
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () async throws -> Value
    ) async -> URLError? {
        do {
            let value = try await body()
            Issue.record("Expected an error, but got \(value)", sourceLocation: sourceLocation)
        } catch let error as URLError {
            return error
        } catch {
            Issue.record("\(error) is not a URLError", sourceLocation: sourceLocation)
        }
        return nil
    }

    /// Returns an empty folder for one test.
    static func temporaryFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ferry-wire-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    static func contents(of folder: URL) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    }

    static func remove(_ url: URL) {
        try? FileManager.default.removeItem(at: url)
    }

    /// Returns the time since a start, in seconds.
    static func seconds(since start: ContinuousClock.Instant) -> Double {
        let parts = start.duration(to: .now).components
        return Double(parts.seconds) + Double(parts.attoseconds) / 1e18
    }
}

extension URLError {
    /// Ferry's underlying error.
    var curlSessionError: CurlSessionError? { userInfo[NSUnderlyingErrorKey] as? CurlSessionError }
}
