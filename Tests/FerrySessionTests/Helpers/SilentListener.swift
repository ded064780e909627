import FerrySession
import TestSupport
import Testing

/// A loopback port whose connections are established by the system, and where nothing is ever read or sent.
final class SilentListener: Sendable {
    let url: URL
    private let listener: Int32

    /// Listens at a port for `https`, in whose handshakes the server is silent.
    init() throws {
        listener = LoopbackSocket.make()
        let port = try LoopbackSocket.bind(listener, backlog: 100)
        url = try #require(URL(string: "https://127.0.0.1:\(port)/"))
    }

    deinit { close(listener) }
}
