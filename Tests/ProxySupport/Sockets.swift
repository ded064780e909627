import Foundation

/// The system calls that a proxy needs; the caller owns every descriptor that is returned.
enum Sockets {
    struct Failure: Error {
        let call: String
        let code: Int32
    }

    /// Listens on a free port of 127.0.0.1.
    static func listen() throws -> (descriptor: Int32, port: Int) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = ipv4(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(descriptor, generic, length) == 0 && Glibc.listen(descriptor, 128) == 0
                    && getsockname(descriptor, generic, &length) == 0
            }
        }
        guard isBound else { throw Failure(call: "bind", code: errno) }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// Listens on a Unix-domain socket; the path of an abstract socket begins with a null byte.
    static func listen(path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count + (bytes.first == 0 ? 0 : 1))
        let isBound = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) == 0 }
        }
        guard isBound, Glibc.listen(descriptor, 128) == 0 else { throw Failure(call: "bind", code: errno) }
        return descriptor
    }

    /// Connects to a port of 127.0.0.1; returns `nil` if that fails.
    static func connect(_ port: Int) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let address = ipv4(port)
        let isConnected = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        if isConnected { return descriptor }
        close(descriptor)
        return nil
    }

    /// Runs `body` on a separate thread for each connection, until the listener is shut down.
    static func serve(_ listener: Int32, _ body: @escaping @Sendable (Int32) -> Void) {
        let thread = Thread {
            while true {
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0 else { break }
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
                let connection = Thread {
                    body(descriptor)
                    close(descriptor)
                }
                connection.start()
            }
            close(listener)
        }
        thread.start()
    }

    static func write(_ descriptor: Int32, _ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Reads the bytes that are available, at most `limit`; returns an empty array at the end or after an error.
    static func read(_ descriptor: Int32, limit: Int = 65_536) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = recv(descriptor, &bytes, limit, 0)
        return count > 0 ? Array(bytes.prefix(count)) : []
    }

    /// Reads exactly `count` bytes, or fewer at the end.
    static func read(_ descriptor: Int32, exactly count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let more = read(descriptor, limit: count - bytes.count)
            if more.isEmpty { break }
            bytes += more
        }
        return bytes
    }

    /// Relays bytes in both directions until both ends are closed.
    ///
    /// - Parameters:
    ///   - first: One connection.
    ///   - second: The other connection.
    ///   - didForward: Called with the number of bytes after some were written to the first connection, if it is open.
    static func relay(_ first: Int32, _ second: Int32, didForward: (Int) -> Void = { _ in }) {
        var ends = [
            pollfd(fd: first, events: Int16(POLLIN), revents: 0), pollfd(fd: second, events: Int16(POLLIN), revents: 0),
        ]
        while ends.contains(where: { $0.fd >= 0 }) {
            guard poll(&ends, nfds_t(ends.count), 30_000) > 0 else { return }
            for index in ends.indices where ends[index].revents != 0 {
                let other = index == 0 ? second : first
                let bytes = read(ends[index].fd)
                if bytes.isEmpty {
                    ends[index].fd = -1
                    shutdown(other, Int32(SHUT_WR))
                } else {
                    let isWritten = write(other, bytes)
                    if other == first { didForward(bytes.count) }
                    if !isWritten { return }
                }
            }
        }
    }

    private static func ipv4(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = UInt16(port).bigEndian
        return address
    }
}
