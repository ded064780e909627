/// A monitor that indicates whether to show network activity: not for short requests, and without flicker.
///
/// ```swift
/// let activity = ActivityMonitor()
/// activity.visibilityHandler = { isVisible in print(isVisible ? "busy" : "idle") }
/// activity.isEnabled = true
/// ```
///
/// It counts the tasks of all managers by their notifications. Tasks of a manager whose `notificationQueue` is nil or
/// never runs are not counted, nor are tasks without a URL.
///
/// AFNetworking: `AFNetworkActivityIndicatorManager`, without the indicator.
public final class ActivityMonitor: Sendable {
    /// A function that runs a closure after a number of seconds.
    public typealias Scheduler = @Sendable (TimeInterval, @escaping @Sendable () -> Void) -> Void

    /// A weak reference to a task that has been resumed.
    ///
    /// `@unchecked Sendable`: the reference is set once, before the object is shared.
    private final class Entry: @unchecked Sendable {
        private weak var task: URLSessionTask?

        init(_ task: URLSessionTask) { self.task = task }

        var hasEnded: Bool { task.map { $0.state == .completed } ?? true }
    }

    private struct State: Sendable {
        var tasks: [ObjectIdentifier: Entry] = [:]
        var count = 0
        var isEnabled = false
        var state = ActivityState.notActive
        /// The number of state changes, which identifies the delay of the current state.
        var delay = 0
        var activationDelay = 1.0
        var completionDelay = 0.17
        var handler: (@Sendable (Bool) -> Void)?
        /// The events that the queue has not handled yet; no two successive ones are equal.
        private var events: [ActivityState.Event] = []

        var total: Int { tasks.count + count }

        /// Forgets a task, unless it has been replaced by a new one at the same address.
        mutating func forget(_ id: ObjectIdentifier, _ entry: Entry) {
            if tasks[id] === entry { tasks[id] = nil }
        }

        /// The largest number of events that wait for a queue that does not run.
        private static let maximumEvents = 1000

        /// Adds an event.
        ///
        /// At the limit, the last two events are dropped first, as if they had not happened.
        mutating func note(_ event: ActivityState.Event) {
            guard event != events.last else { return }
            if events.count >= Self.maximumEvents { events.removeLast(2) }
            if event != events.last { events.append(event) }
        }

        mutating func takeNext() -> ActivityState.Event? { events.isEmpty ? nil : events.removeFirst() }
    }

    private let state = Mutex(State())
    private let queue: DispatchQueue
    private let schedule: Scheduler
    private let observers: ActivityObservers

    /// Creates a monitor, which is not enabled yet.
    ///
    /// - Parameters:
    ///   - notificationCenter: The notification center that the managers post to.
    ///   - queue: The queue on which changes are reported, one after another; by default a separate one.
    ///   - scheduler: Runs closures after the delays; by default Dispatch does.
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

    /// A Boolean value that indicates whether activity is reported; false by default.
    ///
    /// When it becomes false, ``isVisible`` becomes false without a delay.
    public var isEnabled: Bool {
        get { state.withLock { $0.isEnabled } }
        set { change { $0.isEnabled = newValue } }
    }

    /// The time from the beginning of a request until activity is shown, in seconds; 1 by default.
    ///
    /// With zero every request is shown, however short.
    public var activationDelay: TimeInterval {
        get { state.withLock { $0.activationDelay } }
        set { state.withLock { $0.activationDelay = newValue } }
    }

    /// The number of seconds without a running request after which activity ends; 0.17 by default.
    public var completionDelay: TimeInterval {
        get { state.withLock { $0.completionDelay } }
        set { state.withLock { $0.completionDelay = newValue } }
    }

    /// A closure that receives each change of ``isVisible`` once, on the monitor's queue.
    public var visibilityHandler: (@Sendable (Bool) -> Void)? {
        get { state.withLock { $0.handler } }
        set { state.replace(\.handler, with: newValue) }
    }

    // MARK: - Activity

    /// A Boolean value that indicates whether an indicator should be visible.
    public var isVisible: Bool { state.withLock { $0.state }.isVisible }

    /// The number of running requests, plus the activities counted by ``incrementActivityCount()``.
    public var activityCount: Int {
        let ended = state.withLock { $0.tasks }.filter { $0.value.hasEnded }
        if !ended.isEmpty {
            change { state in
                for (id, entry) in ended { state.forget(id, entry) }
            }
        }
        return state.withLock { $0.total }
    }

    /// Counts an activity other than a request of a manager.
    public func incrementActivityCount() { change { $0.count += 1 } }

    /// Counts the end of an activity; does nothing if none is counted.
    public func decrementActivityCount() { change { $0.count = max(0, $0.count - 1) } }

    private func note(_ task: URLSessionTask, isRunning: Bool) {
        guard task.originalRequest?.url != nil || task.currentRequest?.url != nil else { return }
        let (id, entry) = (ObjectIdentifier(task), isRunning ? Entry(task) : nil)
        forgetEnded()
        change { $0.tasks[id] = entry }
    }

    /// Removes tasks whose end was not posted because too many notifications waited, up to the first one that runs.
    ///
    /// The tasks are queried without the lock, since this may release them.
    private func forgetEnded() {
        while let (id, entry) = state.withLock({ $0.tasks.first }), entry.hasEnded {
            state.withLock { $0.forget(id, entry) }
        }
    }

    /// Changes the state and adds the resulting event.
    ///
    /// The queue thus handles both the start and the end of a request that has ended before the queue runs.
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
        queue.async { [weak self] in
            self?.follow { $0.delay == number ? .delayPassed(isBusy: $0.total > 0) : nil }
        }
    }

    /// Handles an event, and the end of a delay of zero seconds.
    private func follow(_ event: @Sendable (State) -> ActivityState.Event?) {
        let outcome = state.withLock { state -> (old: ActivityState, new: State)? in
            let old = state.state
            guard let event = event(state), old.after(event) != old else { return nil }
            state.state = old.after(event)
            state.delay += 1
            return (old, state)
        }
        guard let (old, new) = outcome else { return }
        if old.isVisible != new.state.isVisible { new.handler?(new.state.isVisible) }
        let number = new.delay
        let seconds: TimeInterval
        switch new.state {
        case .delayingStart: seconds = new.activationDelay
        case .delayingEnd: seconds = new.completionDelay
        case .notActive, .active: return
        }
        if seconds > 0 {
            schedule(seconds) { [weak self] in self?.delayPassed(number) }
        } else {
            follow { $0.delay == number ? .delayPassed(isBusy: true) : nil }
        }
    }
}

/// An observer of tasks that start or stop running, as long as it exists.
///
/// `@unchecked Sendable`: the tokens are set once, before the object is shared, and only used in `deinit`.
private final class ActivityObservers: @unchecked Sendable {
    private let center: NotificationCenter
    private var tokens: [any NSObjectProtocol] = []

    init(center: NotificationCenter) { self.center = center }

    deinit {
        for token in tokens { center.removeObserver(token) }
    }

    /// Calls a closure with each task that starts or stops running, and with whether it runs.
    func observe(_ tell: @escaping @Sendable (URLSessionTask, Bool) -> Void) {
        let names: [(Notification.Name, Bool)] = [
            (.networkingTaskDidResume, true), (.networkingTaskDidSuspend, false), (.networkingTaskDidComplete, false),
        ]
        tokens = names.map { name, isRunning in
            center.addObserver(forName: name, object: nil, queue: nil) { notification in
                if let task = notification.object as? URLSessionTask { tell(task, isRunning) }
            }
        }
    }
}
