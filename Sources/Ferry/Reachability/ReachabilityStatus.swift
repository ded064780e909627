/// Whether the network, or a host, can be reached, and by what kind of connection.
///
/// AFNetworking: `AFNetworkReachabilityStatus`, with the same numbers.
public enum ReachabilityStatus: Int, Sendable, Hashable, CaseIterable {
    /// Nobody has looked yet, or the system does not tell.
    case unknown = -1

    /// There is no way there.
    case notReachable = 0

    /// The way there begins with a cellular connection.
    case reachableViaCellular = 1

    /// The way there begins with Wi-Fi, a cable, or this machine itself.
    case reachableViaWiFi = 2

    /// Whether there is a way there.
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
