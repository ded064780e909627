@_exported import FerryTesting
@_exported import FerryTransfers
@_exported import NginxSupport
@_exported import TestSupport

/// Returns a session with its own configuration that shares nothing with others.
func makeSession() -> CurlSession { CurlSession(configuration: .ephemeral) }

/// Returns a session that repeats idempotent requests, and those with some other methods.
func makeSession(retrying methods: Set<String>) -> CurlSession {
    var options = CurlSession.Options()
    options.retryPolicy = RetryPolicy.standard
    options.retryPolicy?.additionalMethods = methods
    options.retryPolicy?.backoff = .init(base: 0.01, multiplier: 1)
    return CurlSession(configuration: .ephemeral, options: options)
}

extension CurlSession {
    /// Stores a cookie for all loopback servers.
    func addCookie() {
        let properties: [HTTPCookiePropertyKey: Any] = [.name: "a", .value: "b", .domain: "127.0.0.1", .path: "/"]
        if let cookie = HTTPCookie(properties: properties) { configuration.httpCookieStorage?.setCookie(cookie) }
    }
}

/// Records the requests to a server, and the number of bytes in its responses.
final class RequestLog: Sendable {
    private let entries = Mutex<[LoopbackRequest]>([])

    var requests: [LoopbackRequest] { entries.withLock { $0 } }
    /// The values of `Range`, without the requests for the whole file.
    var ranges: [String] { requests.compactMap { $0.header("Range") } }

    /// The number of requests for the whole file.
    var wholes: Int { requests.count { $0.header("Range") == nil } }

    /// Returns a handler that records the requests, and passes them to another handler.
    func handler(_ handler: @escaping LoopbackServer.Handler) -> LoopbackServer.Handler {
        { request in
            self.entries.withLock { $0.append(request) }
            return handler(request)
        }
    }

    /// The total number of bytes of all ranges.
    var rangedBytes: Int {
        ranges.reduce(0) { sum, range in
            let ends = range.dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) }
            return ends.count == 2 ? sum + ends[1] - ends[0] + 1 : sum
        }
    }
}

extension LoopbackResponse {
    /// Returns the response with its second half held until a condition is true, for at most a minute.
    ///
    /// The body must be the pattern. Events that a test expects before the end also happen on a slow machine.
    func held(until condition: @escaping @Sendable () -> Bool) -> LoopbackResponse {
        guard case .pattern(let count, let offset) = body else { return self }
        var response = self
        response.headers["Content-Length"] = "\(count)"
        response.body = .stream { stream in
            let half = count / 2
            guard stream.write(LoopbackServer.pattern(count: half, offset: offset)) else { return }
            let deadline = ContinuousClock.now + .seconds(60)
            while !condition(), ContinuousClock.now < deadline { guard stream.wait(0.01) else { return } }
            stream.write(LoopbackServer.pattern(count: count - half, offset: offset + half))
        }
        return response
    }
}

/// Returns the status of the response that caused an error.
func failedStatus(of error: (any Error)?) -> Int? {
    switch error {
    case VerifiedDownloadError.unacceptableStatusCode(let status, _, _)?,
        FileUploadError.unacceptableStatusCode(let status, _, _)?:
        status
    default: nil
    }
}

/// Returns the error that a download throws, or `nil` if it succeeds.
func failure<Value>(_ work: () async throws -> Value) async -> (any Error)? {
    do {
        _ = try await work()
        return nil
    } catch {
        return error
    }
}
