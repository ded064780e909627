#if os(Linux)
import Foundation

/// Looks up the addresses of host names with the system's resolver.
enum HostLookup {
    /// Returns the addresses of a name, each as four or sixteen bytes; none if the lookup fails.
    ///
    /// Blocks until the resolver returns.
    static func addresses(of name: String) -> [Data] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(name, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var addresses: [Data] = []
        var next = list
        while let entry = next?.pointee {
            next = entry.ai_next
            guard let address = entry.ai_addr else { continue }
            switch entry.ai_family {
            case AF_INET:
                address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { pointer in
                    withUnsafeBytes(of: pointer.pointee.sin_addr) { addresses.append(Data($0)) }
                }
            case AF_INET6:
                address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { pointer in
                    withUnsafeBytes(of: pointer.pointee.sin6_addr) { addresses.append(Data($0)) }
                }
            default: continue
            }
        }
        return addresses
    }
}
#endif
