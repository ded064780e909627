/// What routes and links say of reachability.
enum ReachabilityRule {
    /// The kinds of interfaces that make a difference.
    enum InterfaceKind: Sendable, Hashable {
        case cellular
        case other
    }

    /// The status by the default routes among some: the one with the lowest metric that can be used counts.
    ///
    /// A route over the loopback interface leads nowhere else, and does not count.
    static func statusOfDefault(
        routes: [NetlinkRoute],
        links: [NetlinkLink],
        kind: (NetlinkLink) -> InterfaceKind
    ) -> ReachabilityStatus {
        let defaults = routes.filter { $0.destinationLength == 0 && $0.isUnicast }
        return status(of: defaults, links: links.filter { !$0.isLoopback }, kind: kind)
    }

    /// The status by the routes that the kernel has chosen for addresses; those of this machine itself count.
    static func status(
        of routes: [NetlinkRoute],
        links: [NetlinkLink],
        kind: (NetlinkLink) -> InterfaceKind
    ) -> ReachabilityStatus {
        for route in routes.sorted(by: { $0.metric < $1.metric }) where route.isUnicast || route.isLocal {
            for index in route.interfaces {
                guard let link = links.first(where: { $0.index == index }), link.isUp else { continue }
                return kind(link) == .cellular ? .reachableViaCellular : .reachableViaWiFi
            }
        }
        return .notReachable
    }

    /// What an interface is by its folder in sysfs: the content of `type` (an `ARPHRD_` number) and of `uevent`.
    static func kind(type: String?, uevent: String?) -> InterfaceKind {
        let lines = (uevent ?? "").split(whereSeparator: \.isNewline)
        if lines.contains("DEVTYPE=wwan") { return .cellular }
        let rawIP = 519
        let number = type.flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
        return number == rawIP ? .cellular : .other
    }
}
