import Foundation

/// A Unix-domain socket that relays connections to a port of this machine.
public final class UnixRelay: Sendable {
    private let listener: Int32
    private let path: String
    private let tally = ByteTally()

    /// The number of bytes that have been relayed to clients.
    public var forwarded: Int { tally.count }

    /// Listens on a path, or on an abstract name, which begins with a null byte.
    public init(path: String, to port: Int) throws {
        self.path = path
        listener = try Sockets.listen(path: path)
        Sockets.serve(listener) { [tally] client in
            guard let server = Sockets.connect(port) else { return }
            Sockets.relay(client, server) { tally.add($0) }
            close(server)
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        if !path.hasPrefix("\0") { unlink(path) }
    }
}

/// A number of bytes that several threads add to.
private final class ByteTally: Sendable {
    private let lock = NSLock()
    // Accessed only with the lock held.
    nonisolated(unsafe) private var sum = 0

    var count: Int { lock.withLock { sum } }

    func add(_ count: Int) { lock.withLock { sum += count } }
}
