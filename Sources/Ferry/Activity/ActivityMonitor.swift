import FerrySession

/// Says whether requests are running, as one would show it: not for those that are over at once, and without flicker.
///
/// ```swift
/// let activity = ActivityMonitor()
/// activity.visibilityHandler = { isVisible in print(isVisible ? "busy" : "idle") }
/// activity.isEnabled = true
/// ```
///
/// It counts the tasks of all managers by their notifications, so that a manager whose ``SessionManager/notificationQueue``
/// is nil, or never runs, does not count. Tasks without a URL do not count.
///
/// AFNetworking: `AFNetworkActivityIndicatorManager`, without the indicator.
public final class ActivityMonitor: Sendable {
    /// Runs a closure after some seconds.
    public typealias Scheduler = @Sendable (TimeInterval, @escaping @Sendable () -> Void) -> Void

    private struct State: Sendable {
        var tasks: Set<ObjectIdentifier> = []
        var count = 0
        var isEnabled = false
        var state = ActivityState.notActive
        /// Counts the delays, so that one that was overtaken is told apart.
        var delay = 0
        var activationDelay = 1.0
        var completionDelay = 0.17
        var handler: (@Sendable (Bool) -> Void)?

        var total: Int { tasks.count + count }
    }

    private let state = Locked(State())
    private let queue: DispatchQueue
    private let schedule: Scheduler
    private let observers: ActivityObservers

    /// Makes a monitor, which is not enabled yet.
    ///
    /// - Parameters:
    ///   - notificationCenter: Where the managers post.
    ///   - queue: Where changes are told, one after another; by default a queue of its own.
    ///   - scheduler: What waits for the delays; by default Dispatch.
    public init(
        notificationCenter: NotificationCenter = .default,
        queue: DispatchQueue? = nil,
        scheduler: Scheduler? = nil
    ) {
        let serial = DispatchQueue(label: "ferry.activity", target: queue)
        self.queue = serial
        schedule = scheduler ?? { delay, body in serial.asyncAfter(deadline: .now() + delay, execute: body) }
        observers = ActivityObservers(center: notificationCenter)
        observers.observe { [weak self] task, isRunning in self?.note(task, isRunning: isRunning) }
    }

    // MARK: - Settings

    /// Whether changes are told; false by default, and the indicator disappears at once when it becomes so.
    public var isEnabled: Bool {
        get { state.withLock { $0.isEnabled } }
        set {
            state.withLock { $0.isEnabled = newValue }
            settle()
        }
    }

    /// For how many seconds something has to run before it shows; one by default.
    public var activationDelay: TimeInterval {
        get { state.withLock { $0.activationDelay } }
        set { state.withLock { $0.activationDelay = newValue } }
    }

    /// For how many seconds nothing has to run before it is over; 0.17 by default.
    public var completionDelay: TimeInterval {
        get { state.withLock { $0.completionDelay } }
        set { state.withLock { $0.completionDelay = newValue } }
    }

    /// Receives each change of ``isVisible`` once, on the monitor's queue.
    public var visibilityHandler: (@Sendable (Bool) -> Void)? {
        get { state.withLock { $0.handler } }
        set { state.withLock { $0.handler = newValue } }
    }

    // MARK: - Activity

    /// Whether an indicator should show.
    public var isVisible: Bool { state.withLock { $0.state }.isVisible }

    /// How many requests run, and how often it was incremented.
    public var activityCount: Int { state.withLock { $0.total } }

    /// Counts something of your own that runs.
    public func incrementActivityCount() {
        state.withLock { $0.count += 1 }
        settle()
    }

    /// Counts something of your own that has ended; what was never counted does not matter.
    public func decrementActivityCount() {
        state.withLock { $0.count = max(0, $0.count - 1) }
        settle()
    }

    private func note(_ task: URLSessionTask, isRunning: Bool) {
        guard task.originalRequest?.url != nil || task.currentRequest?.url != nil else { return }
        state.withLock { state in
            if isRunning {
                state.tasks.insert(ObjectIdentifier(task))
            } else {
                state.tasks.remove(ObjectIdentifier(task))
            }
        }
        settle()
    }

    // MARK: - On the queue

    /// Follows the counts; changes are made one after another, and told in their order.
    private func settle() {
        queue.async { [weak self] in self?.apply { $0.isEnabled ? $0.total > 0 ? .becameBusy : .becameIdle : .disabled }
        }
    }

    private func delayPassed(_ number: Int) {
        queue.async { [weak self] in self?.apply { $0.delay == number ? .delayPassed : nil } }
    }

    private func apply(_ event: @Sendable (State) -> ActivityState.Event?) {
        typealias Outcome = (
            change: Bool?, handler: (@Sendable (Bool) -> Void)?, delay: (seconds: Double, number: Int)?
        )
        let outcome: Outcome = state.withLock { state in
            let before = state.state
            guard let event = event(state) else { return (nil, nil, nil) }
            let after = before.after(event)
            guard after != before else { return (nil, nil, nil) }
            state.state = after
            state.delay += 1
            let change = before.isVisible != after.isVisible ? after.isVisible : nil
            switch after {
            case .delayingStart: return (change, state.handler, (state.activationDelay, state.delay))
            case .delayingEnd: return (change, state.handler, (state.completionDelay, state.delay))
            case .notActive, .active: return (change, state.handler, nil)
            }
        }
        if let (seconds, number) = outcome.delay {
            schedule(max(0, seconds)) { [weak self] in self?.delayPassed(number) }
        }
        if let change = outcome.change { outcome.handler?(change) }
    }
}
