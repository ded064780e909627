import Foundation

/// An HTTP/1.1 server on a loopback address, in the process of the tests that need one.
///
/// It listens from the moment it exists, on a port the system chooses, until ``stop()`` or its end. A handler turns
/// each request into a response; without one there are the built-in routes, ``standardRoutes(_:)``. Everything that
/// came is recorded, and every response can be delayed, dripped or broken.
///
/// ```swift
/// @Test func retriesWhenTheServerIsBusy() async throws {
///     let server = try LoopbackServer(
///         handler: LoopbackServer.sequence([.status(503), .json(#"{"name":"Ada"}"#)])
///     )
///     let user = try await MyClient(baseURL: server.url).user(1)
///     #expect(user.name == "Ada")
///     #expect(server.requests.map(\.target) == ["/users/1", "/users/1"])
/// }
/// ```
///
/// Each connection has a thread of its own, on which the handler runs: it may block, and it must be prepared to run
/// more than once at a time.
public final class LoopbackServer: Sendable {
    /// Turns a request into a response, on the connection's thread.
    public typealias Handler = @Sendable (LoopbackRequest) -> LoopbackResponse

    /// The port it listens on.
    public var port: Int { core.port }

    /// The root, such as `http://127.0.0.1:49152/`.
    public let url: URL

    private let core: ServerCore
    private let host: String

    /// Creates a server and starts it.
    ///
    /// - Parameters:
    ///   - host: The numeric loopback address, `127.0.0.1` or `::1`.
    ///   - configuration: What is kept and how bodies are read.
    ///   - handler: Answers the requests; nil for the built-in routes.
    /// - Throws: ``LoopbackServerError`` if the host is not an address or the system refuses a socket or a thread.
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

    deinit {
        _ = core.stop()
    }

    /// Stops listening, ends all connections and waits for the threads; more calls do nothing.
    ///
    /// It wakes everything that waits within the server. A handler that is still busy after five seconds is left
    /// alone. Called by a handler, it does not wait.
    public func stop() {
        _ = core.stop()
    }

    /// The URL of a target such as `/echo?x=1`, on the server's own host or under another name for it.
    ///
    /// Another name, such as `localhost`, makes another origin of the same server.
    public func url(_ target: String, host: String? = nil) -> URL {
        let slash = target.hasPrefix("/") ? "" : "/"
        return URL(string: "http://\(host ?? self.host):\(port)\(slash)\(target)") ?? url
    }

    /// Closes the connections that are between requests, so that a client's next use of one meets a dead end.
    ///
    /// A client may notice in time. To fail the reuse itself, answer a request whose
    /// ``LoopbackRequest/connectionRequestIndex`` is above zero with ``LoopbackResponse/empty``.
    public func closeIdleConnections() {
        core.connections.dropIdle()
    }

    var recordings: RequestLog { core.log }

    var connections: ConnectionTable { core.connections }

    var traffic: TrafficCounter { core.traffic }
}
