import FerrySession

/// The target whose reachability is watched.
public enum ReachabilityTarget: Sendable, Hashable {
    /// The networks beyond the local one, which are reached by the default route.
    case defaultRoute

    /// An IPv4 or IPv6 address, such as `192.0.2.1` or `2001:db8::1`; an invalid address is not reachable.
    case address(String)

    /// A host name, looked up again after every change; a name whose lookup fails is not reachable.
    case domain(String)

    /// Creates a target for the host of a URL; nil if it has none.
    ///
    /// - Parameter url: The URL.
    public init?(url: URL) {
        guard let written = url.host(percentEncoded: true), let host = try? URLHost(written) else { return nil }
        self = host.kind == .name ? .domain(host.name) : .address(host.unscopedName)
    }
}
