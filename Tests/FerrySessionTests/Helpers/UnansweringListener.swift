import FerrySession
import TestSupport
import Testing

/// A loopback port to which no connection is established: its queue is full, and nothing accepts a connection.
final class UnansweringListener: Sendable {
    let url: URL
    private let descriptors: [Int32]

    /// Listens at a port, by default one of 127.0.0.1 that the system chooses.
    init(on host: UInt32 = LoopbackSocket.first, port: Int = 0) throws {
        let listener = LoopbackSocket.make()
        // A queue of length zero accepts one connection; the others stay pending.
        let clients = (0..<3).map { _ in LoopbackSocket.make(isNonblocking: true) }
        descriptors = [listener] + clients
        let port = try LoopbackSocket.bind(listener, to: host, port: port, backlog: 0)
        for client in clients { LoopbackSocket.connect(client, to: port, of: host) }
        url = try #require(URL(string: "http://127.0.0.1:\(port)/"))
    }

    deinit {
        for descriptor in descriptors { close(descriptor) }
    }
}
