/// One kind of work, and who does it.
public struct Workload: Sendable {
    /// What answers.
    public enum Server: Sendable, Equatable {
        /// nginx, without TLS, with a file of ``Sizes``.
        case plain(String)
        /// nginx with TLS and HTTP/2, with a file of ``Sizes``.
        case http2(String)
        /// The driver's own server, which takes any body and says how many bytes it had.
        case sink
        /// The driver's own server, which answers two bytes after this many milliseconds.
        case delay(Int)
    }

    /// A file the client has to do with.
    public enum File: Sendable, Equatable {
        /// It writes one.
        case output
        /// It sends or reads one of ``Sizes``.
        case input(String)
    }

    /// The name, such as `W1`.
    public var id: String

    /// What is done, in a few words.
    public var title: String

    /// What the clients are told to do.
    public var work: Work

    /// What answers them.
    public var server: Server

    /// How many requests.
    public var count = 1

    /// How many of them at a time.
    public var inFlight = 1

    /// How many requests come before the measured ones.
    public var warmUp = 0

    /// How many connections there may be; nil for what clients do by themselves.
    public var connections: Int?

    /// The size of each body.
    public var bytes = 0

    /// The file.
    public var file: File?

    /// Who does it, in the order of the table.
    public var clients: [String]

    /// How times are written.
    public var unit = Notation.microseconds

    /// Whether allocations are counted instead of time measured.
    public var countsAllocations = false

    /// Makes a workload.
    public init(_ id: String, _ title: String, _ work: Work, _ server: Server, clients: [String]) {
        self.id = id
        self.title = title
        self.work = work
        self.server = server
        self.clients = clients
    }

    /// A copy that was changed.
    func with(_ change: (inout Workload) -> Void) -> Workload {
        var copy = self
        change(&copy)
        return copy
    }
}
