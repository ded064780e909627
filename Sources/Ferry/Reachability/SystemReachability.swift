#if !os(Linux)
import Network
#endif

/// The reachability source of the system.
enum SystemReachability {
    /// Returns the source for a target.
    static func source(for target: ReachabilityTarget) -> any ReachabilitySource {
        #if os(Linux)
        NetlinkSource(target: target)
        #else
        PathSource()
        #endif
    }
}

#if !os(Linux)
/// A source that watches Apple's network path, which is for the whole network rather than one host.
private final class PathSource: ReachabilitySource {
    private let monitor = Locked<NWPathMonitor?>(nil)

    func start(_ report: @escaping @Sendable (ReachabilityStatus) -> Void) {
        let monitor = NWPathMonitor()
        monitor.pathUpdateHandler = { path in
            guard path.status == .satisfied else { return report(.notReachable) }
            report(path.usesInterfaceType(.cellular) ? .reachableViaCellular : .reachableViaWiFi)
        }
        self.monitor.withLock { $0 = monitor }
        monitor.start(queue: DispatchQueue(label: "ferry.reachability.path"))
    }

    func stop() {
        let monitor = monitor.withLock { monitor in
            defer { monitor = nil }
            return monitor
        }
        monitor?.cancel()
    }
}
#endif
