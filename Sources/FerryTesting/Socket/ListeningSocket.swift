/// A socket that listens on a free port of a loopback address.
///
/// It is not shut down once it is closed, because another descriptor may then have the same number.
final class ListeningSocket: Sendable {
    let descriptor: Int32
    let port: Int
    let traffic = TrafficCounter()
    private let isClosed = Mutex(false)

    init(host: String, receiveBufferSize: Int?, sendBufferSize: Int?) throws(LoopbackServerError) {
        guard let address = SocketAddress(host: host) else { throw .invalidHost(host) }
        let descriptor = socket(address.family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .system(call: "socket", code: errno) }
        do throws(LoopbackServerError) {
            try Self.set(SO_REUSEADDR, 1, on: descriptor)
            if let receiveBufferSize { try Self.set(SO_RCVBUF, receiveBufferSize, on: descriptor) }
            if let sendBufferSize { try Self.set(SO_SNDBUF, sendBufferSize, on: descriptor) }
            guard address.withPointer({ bind(descriptor, $0, $1) }) == 0 else {
                throw .system(call: "bind", code: errno)
            }
            guard listen(descriptor, 1024) == 0 else { throw .system(call: "listen", code: errno) }
            guard let bound = SocketAddress(localOf: descriptor) else {
                throw .system(call: "getsockname", code: errno)
            }
            self.descriptor = descriptor
            port = bound.port
        } catch {
            _ = Glibc.close(descriptor)
            throw error
        }
    }

    enum Acceptance {
        case connection(Socket, remotePort: Int)
        case failure(Int32)
    }

    /// Waits for the next connection.
    func accept() -> Acceptance {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let accepted = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.accept(descriptor, $0, &length)
            }
        }
        guard accepted >= 0 else { return .failure(errno) }
        _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
        var on: Int32 = 1
        _ = setsockopt(accepted, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        return .connection(Socket(descriptor: accepted, traffic: traffic), remotePort: SocketAddress(storage).port)
    }

    /// Wakes up ``accept()``, which fails from then on; new connections are refused.
    func shutDown() {
        isClosed.withLock { isClosed in
            if !isClosed { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    func close() {
        isClosed.withLock { isClosed in
            isClosed = true
            _ = Glibc.close(descriptor)
        }
    }

    private static func set(_ option: Int32, _ value: Int, on descriptor: Int32) throws(LoopbackServerError) {
        var value = Int32(clamping: value)
        let size = socklen_t(MemoryLayout<Int32>.size)
        guard setsockopt(descriptor, SOL_SOCKET, option, &value, size) == 0 else {
            throw .system(call: "setsockopt", code: errno)
        }
    }
}

/// An IPv4 or IPv6 address with a port.
struct SocketAddress {
    private var storage: sockaddr_storage

    init(_ storage: sockaddr_storage) { self.storage = storage }

    /// Creates an address without a port from a numeric host; nil if `host` is neither an IPv4 nor an IPv6 address.
    init?(host: String) {
        storage = sockaddr_storage()
        var four = sockaddr_in()
        var six = sockaddr_in6()
        if inet_pton(AF_INET, host, &four.sin_addr) == 1 {
            four.sin_family = sa_family_t(AF_INET)
            withUnsafeBytes(of: four) { bytes in withUnsafeMutableBytes(of: &storage) { $0.copyMemory(from: bytes) } }
        } else if inet_pton(AF_INET6, host, &six.sin6_addr) == 1 {
            six.sin6_family = sa_family_t(AF_INET6)
            withUnsafeBytes(of: six) { bytes in withUnsafeMutableBytes(of: &storage) { $0.copyMemory(from: bytes) } }
        } else {
            return nil
        }
    }

    init?(localOf descriptor: Int32) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard result == 0 else { return nil }
        self.storage = storage
    }

    var family: Int32 { Int32(storage.ss_family) }

    /// The port in the host's byte order.
    var port: Int {
        // Both kinds of address store the port directly after the family.
        withUnsafeBytes(of: storage) {
            Int(UInt16(bigEndian: $0.load(fromByteOffset: MemoryLayout<sa_family_t>.size, as: UInt16.self)))
        }
    }

    func withPointer(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        let length = family == AF_INET6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
        return withUnsafePointer(to: storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
        }
    }
}
