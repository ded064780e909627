import FerrySession

extension SessionManager {
    /// Watches whether the manager's server can be reached: its base URL's host, or else the network as a whole.
    ///
    /// It is made when it is first asked for, ``ReachabilityManager/shared`` where there is no base URL, and watches
    /// nothing before ``ReachabilityManager/startMonitoring()``. Requests do not depend on it.
    ///
    /// AFNetworking: `reachabilityManager`.
    public var reachability: ReachabilityManager {
        get {
            let target = core.reachabilityTarget.withLock { $0 }
            return core.reachability.withLock { reachability in
                if let reachability { return reachability }
                let made = target.map { ReachabilityManager(target: $0) } ?? .shared
                reachability = made
                return made
            }
        }
        set { core.reachability.withLock { $0 = newValue } }
    }
}
