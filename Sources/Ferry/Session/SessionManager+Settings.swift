import FerrySession

extension SessionManager {
    /// The response serializer of the calls that name none; it is taken when a task is made.
    ///
    /// JSON by default. What it accepts may be changed in place, as in
    /// `manager.responseSerializer.acceptableContentTypes = ["application/json", "text/html"]`. Such a change reads and
    /// writes the property: of two at the same time in different threads one may be lost. A serializer that does not
    /// validate is wrapped in an ``AnyResponseSerializer``, which does.
    public var responseSerializer: any ValidatingResponseSerializer {
        get { core.settings.withLock { $0.responseSerializer } }
        set { core.settings.withLock { $0.responseSerializer = newValue } }
    }

    /// Where completion handlers run; it is taken when a task is made.
    ///
    /// By default a concurrent queue of the library's, so that a program which blocks its main thread completes too.
    /// `.main` needs a main queue that runs.
    public var completionQueue: DispatchQueue {
        get { core.settings.withLock { $0.completionQueue } }
        set { core.settings.withLock { $0.completionQueue = newValue } }
    }

    /// The group each task enters when it is made and leaves after its completion handler.
    ///
    /// It is taken when a task is made. A task that never runs is in it as long as it exists.
    public var completionGroup: DispatchGroup {
        get { core.settings.withLock { $0.completionGroup } }
        set { core.settings.withLock { $0.completionGroup = newValue } }
    }

    /// Where progress handlers run; it is taken when a task is made.
    ///
    /// The ``operationQueue`` by default.
    ///
    /// A completion handler waits for the last call of its task's progress handlers, so this queue must not wait for a
    /// completion.
    public var progressQueue: DispatchQueue? {
        get { core.settings.withLock { $0.progressQueue } }
        set { core.settings.withLock { $0.progressQueue = newValue } }
    }

    /// Where notifications are posted, the main queue by default; nil posts none.
    ///
    /// At most 1000 wait for a queue that does not run; the oldest are dropped then.
    public var notificationQueue: DispatchQueue? {
        get { core.notifications.queue }
        set { core.notifications.queue = newValue }
    }

    /// Where notifications go, the default centre unless set.
    public var notificationCenter: NotificationCenter {
        get { core.notifications.center }
        set { core.notifications.center = newValue }
    }

    /// The closures called for the events of the sessions.
    public var hooks: SessionHooks {
        get { core.settings.withLock { $0.hooks } }
        set { core.settings.withLock { $0.hooks = newValue } }
    }

    /// Those who watch the tasks.
    public var eventMonitors: [any EventMonitor] {
        get { core.settings.withLock { $0.monitor.monitors } }
        set { core.settings.withLock { $0.monitor = CompositeEventMonitor(newValue) } }
    }

    /// What changes each request before it is sent, in order.
    public var adapters: [any RequestAdapter] {
        get { core.settings.withLock { $0.adapters } }
        set { core.settings.withLock { $0.adapters = newValue } }
    }

    /// Which servers the sessions trust; see ``setSecurityPolicy(_:)``.
    public var securityPolicy: SecurityPolicy {
        get { core.settings.withLock { $0.securityPolicy } }
        @available(*, unavailable, message: "write 'try manager.setSecurityPolicy(policy)', which can throw")
        set {}
    }
}
