/// The members of a manager for streams and for the operations of FerryOperations.
extension SessionManager {
    /// Creates a suspended task, for ``start(_:)``, that passes its response to a sink; the request has been adapted.
    ///
    /// The sink is called on the operation queue, and `finish` once at the end, on the processing queue. The body
    /// stream of the request can be used once, unless it can be copied or `bodyStream` makes more.
    package func streamingTask(
        _ request: URLRequest,
        bodyStream: (@Sendable () -> InputStream?)? = nil,
        sink: any BodySink,
        hooks: @escaping @Sendable () -> TaskHooks = { TaskHooks() },
        uploadProgress: ProgressHandler? = nil,
        finish: @escaping @Sendable (TaskResponse<Never>) -> Void
    ) -> URLSessionDataTask {
        let delegate = core.makeStreamingDelegate(
            sink: sink,
            bodyStreams: BodyStreamSource(ofStreamIn: request, replay: bodyStream),
            hooks: hooks,
            uploadProgress: uploadProgress,
            finish: finish
        )
        return core.makeTask(delegate, request: request) { $0.dataTask(with: request) }
    }

    /// Posts a notification about an operation, which keeps `byteCount` bytes of a body, after those of the manager's
    /// tasks that wait.
    package func post(
        _ name: Notification.Name,
        operation: some Operation & Sendable,
        isBeginning: Bool,
        byteCount: Int
    ) {
        core.notifications.post(name, keeper: operation, isBeginning: isBeginning, cost: byteCount)
    }

    /// Returns the manager for a request whose security policy is not this manager's; this one if the policy is nil.
    ///
    /// There is one manager for each policy that is in use. It gets the settings of this manager with each call, and is
    /// invalidated together with it.
    package func manager(
        applying policy: SecurityPolicy?,
        to request: URLRequest
    ) throws(NetworkError) -> SessionManager {
        guard let policy, policy != securityPolicy else { return self }
        guard policy.pinningMode == .none || request.url?.scheme?.lowercased() == "https" else {
            throw NetworkError(
                .invalidSecurityPolicy,
                message: "Pinning needs a URL with the scheme https",
                failingURL: request.url
            )
        }
        let known = core.policyManagers.withLock { $0[policy]?.manager }
        let manager = if let known { known } else { try makeManager(applying: policy) }
        giveSettings(to: manager, policy)
        guard !core.isClosed else { throw .sessionInvalidated(request) }
        return manager
    }

    private func makeManager(applying policy: SecurityPolicy) throws(NetworkError) -> SessionManager {
        // An operation relies on one serial queue for everything that it does.
        let made = SessionManager(
            configuration: configuration,
            transport: transport.ofCopies,
            operationQueue: operationQueue
        )
        try made.setSecurityPolicy(policy)
        return core.policyManagers.withLock { managers in
            // Another thread may have made one in the meantime.
            if let manager = managers[policy]?.manager { return manager }
            managers = managers.filter { $0.value.manager != nil }
            managers[policy] = WeakManager(manager: made)
            return made
        }
    }

    private func giveSettings(to manager: SessionManager, _ policy: SecurityPolicy) {
        var (settings, observers) = (core.settings.withLock { $0 }, core.observers)
        settings.securityPolicy = policy
        // The old settings are released outside the lock.
        manager.core.settings.withLock { swap(&$0, &settings) }
        manager.core.changeObservers { [observers] _ in observers }
        (manager.notificationCenter, manager.notificationQueue) = (notificationCenter, notificationQueue)
    }
}

struct WeakManager: Sendable {
    weak var manager: SessionManager?
}
