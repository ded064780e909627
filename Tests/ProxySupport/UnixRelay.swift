import Foundation

/// A Unix-domain socket that relays connections to a port of this machine.
public final class UnixRelay: Sendable {
    private let listener: Int32
    private let path: String

    /// Listens on a path, or on an abstract name, which begins with a null byte.
    public init(path: String, to port: Int) throws {
        self.path = path
        listener = try Sockets.listen(path: path)
        Sockets.serve(listener) { client in
            guard let server = Sockets.connect(port) else { return }
            Sockets.relay(client, server)
            close(server)
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        if !path.hasPrefix("\0") { unlink(path) }
    }
}
