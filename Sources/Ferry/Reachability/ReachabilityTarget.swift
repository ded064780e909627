import FerrySession

/// What is to be reached.
public enum ReachabilityTarget: Sendable, Hashable {
    /// Anything beyond the local network: a route for whatever has none of its own.
    case defaultRoute

    /// An IPv4 or IPv6 address, such as `192.0.2.1` or `2001:db8::1`; what is none is not reachable.
    case address(String)

    /// A host name, looked up anew with every change; what cannot be looked up is not reachable.
    case domain(String)

    /// The host of a URL; nil if it has none.
    ///
    /// - Parameter url: The URL.
    public init?(url: URL) {
        guard let written = url.host(percentEncoded: true), let host = try? URLHost(written) else { return nil }
        self = host.kind == .name ? .domain(host.name) : .address(host.unscopedName)
    }
}
