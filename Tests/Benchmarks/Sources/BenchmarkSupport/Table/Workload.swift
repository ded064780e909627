/// One kind of work, and the clients that do it.
public struct Workload: Sendable {
    /// The server that responds.
    public enum Server: Sendable, Equatable {
        /// nginx without TLS, with a file of ``Sizes``.
        case plain(String)
        /// nginx with TLS and HTTP/2, with a file of ``Sizes``.
        case http2(String)
        /// The driver's own server, which accepts any body and responds with its size.
        case sink
        /// The driver's own server, which responds with two bytes after this many milliseconds.
        case delay(Int)
        /// The server in C that returns the messages of WebSockets.
        case echo
    }

    /// The file that a client uses.
    public enum File: Sendable, Equatable {
        /// The client writes a file.
        case output
        /// The client sends or reads a file of ``Sizes``.
        case input(String)
    }

    /// The name, such as `W1`.
    public var id: String

    /// A short description.
    public var title: String

    /// The work that the clients do.
    public var work: Work

    /// The server that they use.
    public var server: Server

    /// The number of requests.
    public var count = 1

    /// The number of concurrent requests.
    public var inFlight = 1

    /// The number of requests before the measured ones.
    public var warmUp = 0

    /// The largest number of connections; nil for the client's default.
    public var connections: Int?

    /// The size of each body, in bytes.
    public var bytes = 0

    /// The file that the clients use.
    public var file: File?

    /// The clients that do the work, in the order of the table.
    public var clients: [String]

    /// The notation of times.
    public var unit = Notation.microseconds

    /// The counter to use instead of measuring time.
    public var counter: Counter?

    /// Creates a workload.
    public init(_ id: String, _ title: String, _ work: Work, _ server: Server, clients: [String]) {
        self.id = id
        self.title = title
        self.work = work
        self.server = server
        self.clients = clients
    }

    /// Returns a changed copy.
    func with(_ change: (inout Workload) -> Void) -> Workload {
        var copy = self
        change(&copy)
        return copy
    }
}
