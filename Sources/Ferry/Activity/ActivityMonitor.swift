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
        /// The events that the queue has not handled yet; no two equal ones in a row.
        private var events: [ActivityState.Event] = []

        var total: Int { tasks.count + count }

        /// The most events that wait for a queue which does not run.
        private static let maximumEvents = 1000

        /// Keeps an event.
        ///
        /// Beyond the limit the last two are dropped first: the state is then as if they had not happened.
        mutating func note(_ event: ActivityState.Event) {
            guard event != events.last else { return }
            if events.count >= Self.maximumEvents { events.removeLast(2) }
            if event != events.last { events.append(event) }
        }

        /// The event that has waited longest.
        mutating func takeNext() -> ActivityState.Event? {
            events.isEmpty ? nil : events.removeFirst()
        }
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
            change { $0.isEnabled = newValue }
        }
    }

    /// For how many seconds something has to run before it shows; one by default.
    ///
    /// With zero everything shows, however short.
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
        change { $0.count += 1 }
    }

    /// Counts something of your own that has ended; what was never counted does not matter.
    public func decrementActivityCount() {
        change { $0.count = max(0, $0.count - 1) }
    }

    private func note(_ task: URLSessionTask, isRunning: Bool) {
        guard task.originalRequest?.url != nil || task.currentRequest?.url != nil else { return }
        change { state in
            if isRunning {
                state.tasks.insert(ObjectIdentifier(task))
            } else {
                state.tasks.remove(ObjectIdentifier(task))
            }
        }
    }

    /// Changes the state and keeps the event that follows from it, so that the queue sees the start and the end of a
    /// request that is over before the queue runs.
    private func change(_ body: @Sendable (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            state.note(state.isEnabled ? state.total > 0 ? .becameBusy : .becameIdle : .disabled)
        }
        queue.async { [weak self] in self?.followChanges() }
    }

    // MARK: - On the queue

    private func followChanges() {
        while let event = state.withLock({ $0.takeNext() }) { follow { _ in event } }
    }

    private func delayPassed(_ number: Int) {
        queue.async { [weak self] in self?.follow { $0.delay == number ? .delayPassed : nil } }
    }

    /// Follows an event, and the end of a delay that takes no time.
    private func follow(_ event: @Sendable (State) -> ActivityState.Event?) {
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
        if let change = outcome.change { outcome.handler?(change) }
        guard let (seconds, number) = outcome.delay else { return }
        if seconds > 0 {
            schedule(seconds) { [weak self] in self?.delayPassed(number) }
        } else {
            follow { $0.delay == number ? .delayPassed : nil }
        }
    }
}
