import Foundation

/// A Unix-domain socket that relays connections to a port of this machine, or to several in turn.
public final class UnixRelay: Sendable {
    private let listener: Int32
    private let path: String
    private let tally = ByteTally()

    /// The number of bytes that have been relayed to clients.
    public var forwarded: Int { tally.count }

    /// Listens on a path, or on an abstract name, which begins with a null byte.
    public init(path: String, to ports: Int...) throws {
        self.path = path
        listener = try Sockets.listen(path: path)
        let connections = ByteTally()
        Sockets.serve(listener) { [tally] client in
            guard let server = Sockets.connect(ports[(connections.add(1) - 1) % ports.count]) else { return }
            Sockets.relay(client, server) { tally.add($0) }
            close(server)
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        if !path.hasPrefix("\0") { unlink(path) }
    }
}

/// A number of bytes or connections that several threads add to.
private final class ByteTally: Sendable {
    private let lock = NSLock()
    // Accessed only with the lock held.
    nonisolated(unsafe) private var sum = 0

    var count: Int { lock.withLock { sum } }

    @discardableResult
    func add(_ count: Int) -> Int {
        lock.withLock {
            sum += count
            return sum
        }
    }
}
