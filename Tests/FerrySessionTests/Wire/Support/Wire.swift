import FerrySession
import FerryTesting
import Testing

/// What most tests over the wire need.
enum Wire {
    /// A session that shares nothing with others.
    static func session(
        _ delegate: (any URLSessionDelegate)? = nil,
        options: CurlSession.Options = .init(),
        configure: (URLSessionConfiguration) -> Void = { _ in }
    ) -> CurlSession {
        let configuration = URLSessionConfiguration.ephemeral
        configure(configuration)
        return CurlSession(configuration: configuration, options: options, delegate: delegate)
    }

    /// A request with a method and a body.
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

    /// The error that `body` ends with, which must be one of URLSession's; `nil` and an issue where there is none.
    static func error<Value>(
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () async throws -> Value
    ) async -> URLError? {
        do {
            let value = try await body()
            Issue.record("There is no error, but \(value)", sourceLocation: sourceLocation)
        } catch let error as URLError {
            return error
        } catch {
            Issue.record("\(error) is no URLError", sourceLocation: sourceLocation)
        }
        return nil
    }

    /// Waits until something is so, and answers whether it came to be within ten seconds.
    static func eventually(_ isSo: () -> Bool) async -> Bool {
        for _ in 0..<2000 {
            if isSo() { return true }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return isSo()
    }

    /// An empty folder for one test.
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

    /// How long something took, in seconds.
    static func seconds(since start: ContinuousClock.Instant) -> Double {
        let parts = start.duration(to: .now).components
        return Double(parts.seconds) + Double(parts.attoseconds) / 1e18
    }
}

extension URLError {
    /// Ferry's words behind the error.
    var curlSessionError: CurlSessionError? { userInfo[NSUnderlyingErrorKey] as? CurlSessionError }
}
