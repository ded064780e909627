/// The reachability of the network or a host, and the kind of connection.
///
/// AFNetworking: `AFNetworkReachabilityStatus`, with the same numbers.
public enum ReachabilityStatus: Int, Sendable, Hashable, CaseIterable {
    /// The status has not been determined yet, or the system does not provide it.
    case unknown = -1

    /// There is no route to the target.
    case notReachable = 0

    /// The target is reachable, and the route begins with a cellular connection.
    case reachableViaCellular = 1

    /// The target is reachable, and the route begins with Wi-Fi or a cable, or the target is this machine.
    case reachableViaWiFi = 2

    /// A Boolean value that indicates whether the target is reachable.
    public var isReachable: Bool { self == .reachableViaCellular || self == .reachableViaWiFi }
}

extension ReachabilityStatus: CustomStringConvertible {
    /// The status in AFNetworking's words.
    public var description: String {
        switch self {
        case .unknown: "Unknown"
        case .notReachable: "Not Reachable"
        case .reachableViaCellular: "Reachable via WWAN"
        case .reachableViaWiFi: "Reachable via WiFi"
        }
    }
}
