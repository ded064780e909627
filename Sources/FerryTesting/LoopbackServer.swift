/// An HTTP/1.1 server on a loopback address, for use within the test process.
///
/// It listens on a port chosen by the system, from its initialization until ``stop()`` is called or it is
/// deinitialized. A handler returns a response to each request; without one, the server uses the built-in routes,
/// ``standardRoutes(_:)``. All requests are recorded, and every response can be delayed, slowed down or broken.
///
/// ```swift
/// @Test func retriesWhenTheServerIsBusy() async throws {
///     let server = try LoopbackServer(
///         handler: LoopbackServer.sequence([
///             .status(503), .json(#"{"name":"Ada"}"#),
///         ])
///     )
///     let user = try await MyClient(baseURL: server.url).user(1)
///     #expect(user.name == "Ada")
///     #expect(server.requests.map(\.target) == ["/users/1", "/users/1"])
/// }
/// ```
///
/// Each connection has its own thread, on which the handler runs. A handler may block, and must be prepared to run
/// several times concurrently.
public final class LoopbackServer: Sendable {
    /// A closure that returns the response to a request, on the connection's thread.
    public typealias Handler = @Sendable (LoopbackRequest) -> LoopbackResponse

    /// The port on which the server listens.
    public var port: Int { core.port }

    /// The root URL, such as `http://127.0.0.1:49152/`.
    public let url: URL

    let core: ServerCore
    private let host: String

    /// Creates a server and starts it.
    ///
    /// - Parameters:
    ///   - host: The numeric loopback address, `127.0.0.1` or `::1`.
    ///   - configuration: The settings for recording and reading requests.
    ///   - handler: Returns the responses; nil for the built-in routes.
    /// - Throws: ``LoopbackServerError`` if the host is not an address, or the system fails to create a socket or a
    ///   thread.
    public init(
        host: String = "127.0.0.1",
        configuration: Configuration = Configuration(),
        handler: Handler? = nil
    )
        throws
    {
        let bodyReading = configuration.bodyReading ?? (handler == nil ? Self.standardBodyReading : nil)
        core = try ServerCore(
            host: host,
            configuration: configuration,
            bodyReading: bodyReading,
            handler: handler ?? Self.standardRoutes
        )
        self.host = host.contains(":") ? "[\(host)]" : host
        guard let url = URL(string: "http://\(self.host):\(core.port)/") else {
            _ = core.stop()
            throw LoopbackServerError.invalidHost(host)
        }
        self.url = url
    }

    deinit { _ = core.stop() }

    /// Stops listening, closes all connections and waits for the threads to end; calling it again has no effect.
    ///
    /// All waits within the server end at once. A handler that is still running after five seconds is abandoned. If a
    /// handler calls this method, it does not wait.
    public func stop() { _ = core.stop() }

    /// Returns the URL of a target such as `/echo?x=1`, with the server's host or with another name for it.
    ///
    /// With another name, such as `localhost`, the same server is a different origin.
    public func url(_ target: String, host: String? = nil) -> URL {
        let slash = target.hasPrefix("/") ? "" : "/"
        return URL(string: "http://\(host ?? self.host):\(port)\(slash)\(target)") ?? url
    }

    /// Closes the connections that are between requests, so that a client's next use of one fails.
    ///
    /// A client may notice the closed connection before it uses it. To make the reuse itself fail, respond to a request
    /// whose ``LoopbackRequest/connectionRequestIndex`` is greater than zero with ``LoopbackResponse/empty``.
    public func closeIdleConnections() { core.connections.dropIdle() }
}

extension LoopbackServer {
    /// Returns a handler that responds with each of the responses in turn, and then repeats the last one.
    public static func sequence(_ responses: [LoopbackResponse]) -> Handler {
        let rest = Mutex(responses[...])
        return { _ in
            let next = rest.withLock { $0.count > 1 ? $0.removeFirst() : $0.first }
            return next ?? .text("The sequence is empty.", statusCode: 500)
        }
    }

    /// Returns bytes `offset..<offset + count` of the endless sequence used for pattern bodies.
    public static func pattern(count: Int, offset: Int = 0) -> Data {
        Pattern.data(count: count, offset: offset)
    }

    /// Returns the SHA-256 of the pattern's first `count` bytes, in hexadecimal.
    public static func patternSHA256(count: Int) -> String { Pattern.digest(count: count) }
}

/// An error of a ``LoopbackServer``.
public enum LoopbackServerError: Error, Equatable, Sendable {
    /// The host is not a numeric IPv4 or IPv6 address.
    case invalidHost(String)
    /// A system call failed, with its `errno` value.
    case system(call: String, code: Int32)
    /// A test waited for something that did not happen in time; the text describes what was expected and what was seen.
    case timedOut(String)
}

extension LoopbackServerError: CustomStringConvertible {
    /// A sentence that describes the error.
    public var description: String {
        switch self {
        case .invalidHost(let host): "“\(host)” is not a numeric IP address."
        case .system(let call, let code): "\(call) failed: \(String(cString: strerror(code)))."
        case .timedOut(let text): "Timed out: \(text)."
        }
    }
}
