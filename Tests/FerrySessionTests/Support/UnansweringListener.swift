import FerrySession

/// A loopback port to which connecting never ends: it listens, but its queue is full and no connection is accepted.
final class UnansweringListener: Sendable {
    let url: URL
    private let descriptors: [Int32]

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let port =
            withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                    bind(listener, generic, length) == 0 && listen(listener, 0) == 0
                        && getsockname(listener, generic, &length) == 0
                }
            } ? UInt16(bigEndian: address.sin_port) : 0
        var open = [listener]
        // A queue of length zero accepts one connection; the others stay pending.
        for _ in 0..<3 {
            let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
            withUnsafePointer(to: address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = connect(client, $0, length) }
            }
            open.append(client)
        }
        descriptors = open
        guard port > 0, let url = URL(string: "http://127.0.0.1:\(port)/") else {
            throw NeverHappened(description: "No listener: \(String(cString: strerror(errno)))")
        }
        self.url = url
    }

    deinit {
        for descriptor in descriptors { close(descriptor) }
    }
}
