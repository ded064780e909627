import FerrySession
import TestSupport
import Testing

/// A loopback port whose connections the system establishes, without ever sending or reading anything.
final class SilentListener: Sendable {
    let url: URL
    private let listener: Int32

    /// Listens at a port for `https`, where the server never answers the handshake.
    init() throws {
        listener = LoopbackSocket.make()
        let port = try LoopbackSocket.bind(listener, backlog: 100)
        url = try #require(URL(string: "https://127.0.0.1:\(port)/"))
    }

    deinit { close(listener) }
}
