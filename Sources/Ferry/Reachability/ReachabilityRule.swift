/// The rules that derive reachability from routes and links.
enum ReachabilityRule {
    enum InterfaceKind: Sendable, Hashable {
        case cellular, wireless, other
    }

    /// Returns the status according to the usable default route with the lowest metric.
    ///
    /// A route over the loopback interface does not lead to the network and is ignored.
    static func statusOfDefault(
        routes: [NetlinkRoute],
        links: [NetlinkLink],
        kind: (NetlinkLink) -> InterfaceKind
    ) -> ReachabilityStatus {
        let defaults = routes.filter { $0.destinationLength == 0 && $0.isUnicast }
        return status(of: defaults, links: links.filter { !$0.isLoopback }, kind: kind)
    }

    /// Returns the status according to the routes the kernel chose for addresses; routes to this machine count as well.
    static func status(
        of routes: [NetlinkRoute],
        links: [NetlinkLink],
        kind: (NetlinkLink) -> InterfaceKind
    ) -> ReachabilityStatus {
        for route in routes.sorted(by: { $0.metric < $1.metric }) where route.isUnicast || route.isLocal {
            for index in route.interfaces {
                guard let link = links.first(where: { $0.index == index }), link.isUp else { continue }
                return switch kind(link) {
                case .cellular: .reachableViaCellular
                case .wireless: .reachableViaWiFi
                case .other: .reachable
                }
            }
        }
        return .notReachable
    }

    /// Returns the kind of an interface by the contents of `type` (an `ARPHRD_` number) and `uevent` in sysfs.
    static func kind(type: String?, uevent: String?) -> InterfaceKind {
        let lines = (uevent ?? "").split(whereSeparator: \.isNewline)
        if lines.contains("DEVTYPE=wwan") { return .cellular }
        if lines.contains("DEVTYPE=wlan") { return .wireless }
        let (rawIP, ieee80211) = (519, 801...803)
        switch type.flatMap({ Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) }) {
        case rawIP?: return .cellular
        case let number? where ieee80211.contains(number): return .wireless
        default: return .other
        }
    }
}
