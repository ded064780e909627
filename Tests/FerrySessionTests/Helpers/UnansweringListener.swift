import FerrySession
import TestSupport
import Testing

/// A loopback port to which connecting never ends: it listens, but its queue is full and no connection is accepted.
final class UnansweringListener: Sendable {
    let url: URL
    private let descriptors: [Int32]

    init() throws {
        let listener = LoopbackSocket.make()
        // A queue of length zero accepts one connection; the others stay pending.
        let clients = (0..<3).map { _ in LoopbackSocket.make(isNonblocking: true) }
        descriptors = [listener] + clients
        let port = try LoopbackSocket.bind(listener, backlog: 0)
        for client in clients { LoopbackSocket.connect(client, to: port) }
        url = try #require(URL(string: "http://127.0.0.1:\(port)/"))
    }

    deinit {
        for descriptor in descriptors { close(descriptor) }
    }
}
