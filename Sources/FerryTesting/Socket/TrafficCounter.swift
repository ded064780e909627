import Synchronization

/// The number of bytes sent and received by a server's sockets.
final class TrafficCounter: Sendable {
    private let sentBytes = Atomic(0)
    private let receivedBytes = Atomic(0)

    var sent: Int {
        sentBytes.load(ordering: .relaxed)
    }

    var received: Int {
        receivedBytes.load(ordering: .relaxed)
    }

    func addSent(_ count: Int) {
        sentBytes.wrappingAdd(count, ordering: .relaxed)
    }

    func addReceived(_ count: Int) {
        receivedBytes.wrappingAdd(count, ordering: .relaxed)
    }
}
