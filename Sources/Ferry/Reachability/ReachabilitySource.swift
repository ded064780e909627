#if !os(Linux)
import Network
#endif

/// The source from which a ``ReachabilityManager`` learns the status; tests can provide their own.
public protocol ReachabilitySource: AnyObject, Sendable {
    /// Starts watching.
    ///
    /// It is not called again before ``stop()``.
    ///
    /// - Parameter report: A closure to call with the current status soon, and with the status after each change, from
    ///   any thread; it may be called several times with the same status.
    func start(_ report: @escaping @Sendable (ReachabilityStatus) -> Void)

    /// Stops watching and releases its resources; it must not block.
    func stop()
}

#if !os(Linux)
/// A source that watches Apple's network path, which is for the whole network rather than one host.
final class PathSource: ReachabilitySource {
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
