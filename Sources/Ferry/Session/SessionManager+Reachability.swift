extension SessionManager {
    /// The reachability of the base URL's host, or of the network as a whole if there is no base URL.
    ///
    /// It is created on first access, and is ``ReachabilityManager/shared`` without a base URL. It watches nothing
    /// before ``ReachabilityManager/startMonitoring()``. Requests do not depend on it, unless ``waitsForConnectivity``
    /// is true.
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
        set { core.reachability.replace(\.self, with: newValue) }
    }

    /// A Boolean value that indicates whether `async` calls wait until their host can be reached; false by default.
    ///
    /// They wait for at most the configuration's `timeoutIntervalForResource`, and are then sent in any case. The wait
    /// does not count towards ``deadline``. Streams, batches, and calls with a completion handler never wait, nor does
    /// a call whose host is not looked up: with a proxy, a Unix-domain socket, localhost, DNS over HTTPS, or
    /// addresses in the session's options.
    /// This replaces the property of the same name of `URLSessionConfiguration`, which Linux does not have.
    public var waitsForConnectivity: Bool {
        get { core.settings.withLock { $0.waitsForConnectivity } }
        set { core.settings.withLock { $0.waitsForConnectivity = newValue } }
    }

    /// Resumes a task for the first time; with ``waitsForConnectivity``, returns the Swift task that does so once its
    /// host can be reached, and otherwise nil.
    func startWhenConnected(_ task: URLSessionTask) -> Task<Void, Never>? {
        guard waitsForConnectivity, task.looksUpHost, let url = task.originalRequest?.url,
            let target = ReachabilityTarget(url: url)
        else {
            start(task)
            return nil
        }
        let watched = core.reachability.withLock { $0?.target == target ? $0 : nil }
        let seconds = core.configuration.timeoutIntervalForResource
        let timeout = seconds > 0 && seconds < 1e9 ? Duration.seconds(seconds) : nil
        return Task {
            if let watched {
                try? await watched.waitUntilReachable(timeout: timeout)
            } else {
                await AwaitedHosts.wait(for: target, timeout: timeout)
            }
            if !Task.isCancelled { start(task) }
        }
    }
}

/// The hosts that calls wait for, each with one manager, since every manager has descriptors and lookups of its own.
enum AwaitedHosts {
    /// The managers, with the number of calls that wait for each.
    static let table = Mutex<[ReachabilityTarget: (manager: ReachabilityManager, calls: Int)]>([:])

    /// Waits until a host is reachable, the time has passed, or the Swift task is cancelled.
    static func wait(for target: ReachabilityTarget, timeout: Duration?) async {
        let manager = table.withLock { table in
            let (manager, calls) = table[target] ?? (ReachabilityManager(target: target), 0)
            table[target] = (manager, calls + 1)
            return manager
        }
        try? await manager.waitUntilReachable(timeout: timeout)
        // Returned, since a `deinit` must not run under the lock.
        _ = table.withLock { table in
            table[target]?.calls -= 1
            return table[target]?.calls == 0 ? table.removeValue(forKey: target) : nil
        }
    }
}
