import FerrySession

extension SessionManager {
    /// Watches whether the manager's server can be reached: its base URL's host, or else the network as a whole.
    ///
    /// It is made when it is first asked for, ``ReachabilityManager/shared`` where there is no base URL, and watches
    /// nothing before ``ReachabilityManager/startMonitoring()``. Requests do not depend on it, unless
    /// ``waitsForConnectivity`` says so.
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

    /// Whether the `async` calls wait until there is a way to their host before they begin; false by default.
    ///
    /// They wait at most for the configuration's `timeoutIntervalForResource`, then begin and fail by themselves. It stands
    /// for the property of the same name of `URLSessionConfiguration`, which Linux does not have.
    public var waitsForConnectivity: Bool {
        get { core.settings.withLock { $0.waitsForConnectivity } }
        set { core.settings.withLock { $0.waitsForConnectivity = newValue } }
    }

    /// Resumes a task for the first time, with ``waitsForConnectivity`` not before there is a way to its host.
    func startWhenConnected(_ task: URLSessionTask, _ waiting: CancellationRelay) {
        guard waitsForConnectivity, let url = task.originalRequest?.url,
            let target = ReachabilityTarget(url: url)
        else { return start(task) }
        let own = core.reachability.withLock { $0 }
        let watched = own?.target == target ? own : nil
        let longest = 1e9
        let seconds = core.configuration.timeoutIntervalForResource
        let timeout = seconds > 0 && seconds < longest ? Duration.seconds(seconds) : nil
        let waiter = Task {
            try? await (watched ?? ReachabilityManager(target: target)).waitUntilReachable(timeout: timeout)
            if !Task.isCancelled { start(task) }
        }
        waiting.attach { waiter.cancel() }
    }
}
