import Foundation

/// TCP sockets on 127.0.0.1, or on another address of the loopback interface.
package enum LoopbackSocket {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// 127.0.0.1 and 127.0.0.2, as numbers.
    package static let (first, second): (UInt32, UInt32) = (0x7F00_0001, 0x7F00_0002)

    /// Returns a new socket, which child processes do not inherit.
    package static func make(isNonblocking: Bool = false) -> Int32 {
        let flags = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | (isNonblocking ? SOCK_NONBLOCK.rawValue : 0)
        return socket(AF_INET, Int32(flags), 0)
    }

    /// Allows several sockets, of which one listens, to be bound to one port; all of them must allow it.
    package static func allowReuse(_ descriptor: Int32) {
        var option: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &option, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Binds a socket to a port, by default one that the system chooses, and returns the port; with a backlog, the
    /// socket listens.
    package static func bind(
        _ descriptor: Int32,
        to host: UInt32 = first,
        port: Int = 0,
        backlog: Int32? = nil
    ) throws -> Int {
        var address = address(of: port, host)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                Glibc.bind(descriptor, address, length) == 0 && (backlog.map { listen(descriptor, $0) } ?? 0) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        guard isBound else {
            throw Failure(description: "no port could be bound: \(String(cString: strerror(errno)))")
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// Connects a socket to a port, and returns whether it is connected.
    @discardableResult
    package static func connect(_ descriptor: Int32, to port: Int, of host: UInt32 = first) -> Bool {
        var address = address(of: port, host)
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                Glibc.connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private static func address(of port: Int, _ host: UInt32) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
        address.sin_addr.s_addr = host.bigEndian
        return address
    }
}
