extension SessionManager {
    /// The session that tasks are made in; it is created when it is first needed, and again after a reset.
    ///
    /// ``tasks`` says what the manager does with tasks that you make in it.
    public var session: URLSession { core.session }

    /// A copy of the configuration that sessions are created with.
    public var configuration: URLSessionConfiguration {
        core.configuration.copy() as? URLSessionConfiguration ?? core.configuration
    }

    /// The kind of `URLSession` that the manager runs on.
    public var transport: SessionTransport { core.transport }

    /// The serial queue of the delegate callbacks; it does not limit the number of concurrent requests.
    public var operationQueue: OperationQueue { core.operationQueue }

    /// Invalidates the session.
    ///
    /// Without a reset, tasks made later fail with ``NetworkError/Code/sessionInvalidated``, until another call resets
    /// the session.
    ///
    /// - Parameters:
    ///   - cancellingTasks: Whether running tasks are cancelled instead of being finished.
    ///   - resettingSession: Whether the next task gets a new session.
    public func invalidate(cancellingTasks: Bool, resettingSession: Bool = false) {
        core.invalidate(cancellingTasks ? .cancelling : .finishing, resetting: resettingSession)
        // The managers of operations with policies of their own.
        for manager in core.policyManagers.withLock({ $0.values.compactMap(\.manager) }) {
            manager.invalidate(cancellingTasks: cancellingTasks, resettingSession: resettingSession)
        }
    }

    // MARK: - Settings

    /// The response serializer of calls without one of their own; it is read when a task is made.
    ///
    /// JSON by default. The content types that it accepts may be changed in place, as in
    /// `manager.responseSerializer.acceptableContentTypes = ["application/json", "text/html"]`. Such a change reads and
    /// writes the property: if two threads make one at the same time, one of them may be lost. Wrap a serializer that
    /// does not validate in an ``AnyResponseSerializer``.
    public var responseSerializer: any ValidatingResponseSerializer {
        get { core.settings.withLock { $0.responseSerializer } }
        set { core.settings.replace(\.responseSerializer, with: newValue) }
    }

    /// The queue that completion handlers run on; it is read when a task is made.
    ///
    /// The default is a concurrent queue of the library, so that requests also complete in a program that blocks its
    /// main thread. `.main` needs a main queue that runs.
    public var completionQueue: DispatchQueue {
        get { core.settings.withLock { $0.completionQueue } }
        set { core.settings.withLock { $0.completionQueue = newValue } }
    }

    /// The group each task enters when it is made and leaves after its completion handler.
    ///
    /// It is read when a task is made. A task that never runs stays in the group as long as it exists.
    public var completionGroup: DispatchGroup {
        get { core.settings.withLock { $0.completionGroup } }
        set { core.settings.withLock { $0.completionGroup = newValue } }
    }

    /// The queue that progress handlers run on, the ``operationQueue`` by default; it is read when a task is made.
    ///
    /// A completion handler waits for the last call of its task's progress handlers, so this queue must not wait for a
    /// completion handler.
    public var progressQueue: DispatchQueue? {
        get { core.settings.withLock { $0.progressQueue } }
        set { core.settings.withLock { $0.progressQueue = newValue } }
    }

    /// The queue that notifications are posted on, the main queue by default; nil posts none.
    ///
    /// At most 1000 notifications wait for a queue that does not run; then the oldest are dropped. If the bodies of
    /// their responses have more than 16 MiB in all, the oldest have no user info.
    public var notificationQueue: DispatchQueue? {
        get { core.notifications.queue }
        set { core.notifications.queue = newValue }
    }

    /// The notification center that notifications are posted to, `.default` by default.
    public var notificationCenter: NotificationCenter {
        get { core.notifications.center }
        set { core.notifications.center = newValue }
    }

    /// The closures that are called for the events of the sessions.
    public var hooks: SessionHooks {
        get { core.observers.hooks }
        set { core.changeObservers { Observers(hooks: newValue, monitors: $0.monitors) } }
    }

    /// The observers of the tasks, in the order they are called; a change affects the next event.
    public var eventMonitors: [any EventMonitor] {
        get { core.observers.monitors }
        set { core.changeObservers { Observers(hooks: $0.hooks, monitors: newValue) } }
    }

    /// The policy that decides which servers the sessions trust; see ``setSecurityPolicy(_:)``.
    public var securityPolicy: SecurityPolicy {
        get { core.settings.withLock { $0.securityPolicy } }
        @available(*, unavailable, message: "write 'try manager.setSecurityPolicy(policy)', which can throw")
        set {}
    }
}
