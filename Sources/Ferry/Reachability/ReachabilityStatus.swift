/// The reachability of the network or a host, and the kind of connection.
///
/// AFNetworking: `AFNetworkReachabilityStatus`, with the same numbers. Its `ReachableViaWiFi` includes cables, which
/// are ``reachable`` here.
public enum ReachabilityStatus: Int, Sendable, Hashable, CaseIterable {
    /// The status has not been determined yet, or the system does not provide it.
    case unknown = -1

    /// There is no route to the target.
    case notReachable = 0

    /// The target is reachable, and the route begins with a cellular connection.
    case reachableViaCellular = 1

    /// The target is reachable, and the route begins with Wi-Fi.
    case reachableViaWiFi = 2

    /// The target is reachable in another way: the route begins with a cable or a virtual interface, as on most servers
    /// and in containers, or the target is this machine.
    case reachable = 3

    /// A Boolean value that indicates whether the target is reachable.
    public var isReachable: Bool { self != .unknown && self != .notReachable }
}

extension ReachabilityStatus: CustomStringConvertible {
    /// The status, in AFNetworking's words where it has the same.
    public var description: String {
        switch self {
        case .unknown: "Unknown"
        case .notReachable: "Not Reachable"
        case .reachableViaCellular: "Reachable via WWAN"
        case .reachableViaWiFi: "Reachable via WiFi"
        case .reachable: "Reachable"
        }
    }
}

/// The target whose reachability is watched.
public enum ReachabilityTarget: Sendable, Hashable {
    /// The networks beyond the local one, which are reached by the default route.
    case defaultRoute

    /// An IPv4 or IPv6 address, such as `192.0.2.1` or `2001:db8::1`; an invalid address is not reachable.
    case address(String)

    /// A host name, looked up again after every change; until the lookup has ended, the addresses known before count. A
    /// name whose lookup fails is not reachable, and is looked up again after 1, 2, 4 and at most 30 seconds.
    case domain(String)

    /// Creates a target for the host of a URL; nil if it has none.
    public init?(url: URL) {
        guard let written = url.host(percentEncoded: true), let host = try? URLHost(written) else { return nil }
        self = host.kind == .name ? .domain(host.name) : .address(host.unscopedName)
    }
}
