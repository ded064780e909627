import Foundation

/// An IPv4 or IPv6 address with a port.
struct SocketAddress {
    private var storage: sockaddr_storage

    init(_ storage: sockaddr_storage) {
        self.storage = storage
    }

    /// Creates an address from a numeric host; nil if `host` is neither an IPv4 nor an IPv6 address.
    init?(host: String, port: Int) {
        storage = sockaddr_storage()
        let port = UInt16(truncatingIfNeeded: port).bigEndian
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, host, &four) == 1 {
            withUnsafeMutableBytes(of: &storage) { bytes in
                var address = sockaddr_in()
                address.sin_family = sa_family_t(AF_INET)
                address.sin_port = port
                address.sin_addr = four
                withUnsafeBytes(of: address) { bytes.copyMemory(from: $0) }
            }
        } else if inet_pton(AF_INET6, host, &six) == 1 {
            withUnsafeMutableBytes(of: &storage) { bytes in
                var address = sockaddr_in6()
                address.sin6_family = sa_family_t(AF_INET6)
                address.sin6_port = port
                address.sin6_addr = six
                withUnsafeBytes(of: address) { bytes.copyMemory(from: $0) }
            }
        } else {
            return nil
        }
    }

    /// Creates the address to which a socket is bound.
    init?(localOf descriptor: Int32) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard result == 0 else { return nil }
        self.storage = storage
    }

    var family: Int32 {
        Int32(storage.ss_family)
    }

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
