/// A manager that watches whether the network, or a host, can be reached.
///
/// ```swift
/// let reachability = ReachabilityManager(target: .domain("example.com"))
/// reachability.statusHandler = { status in print(status) }
/// reachability.startMonitoring()
/// ```
///
/// Each change is published once, on a serial queue, in this order: ``status``, ``statusHandler``, the notification
/// `networkingReachabilityDidChange`, ``updates``. The first change is the status at the start.
///
/// On Linux, the kernel is queried for routes and links over netlink, which sends no packets and requires no
/// privileges. A host is reachable if there is a route to it; it may still not respond, so do not hold back requests
/// because of the status.
///
/// AFNetworking: `AFNetworkReachabilityManager`.
public final class ReachabilityManager: Sendable {
    private struct State: Sendable {
        var status = ReachabilityStatus.unknown
        var handler: (@Sendable (ReachabilityStatus) -> Void)?
        var streams: [Int: AsyncStream<ReachabilityStatus>.Continuation] = [:]
        var nextStream = 0
        var isStarted = false
        /// The number of streams that are being read, which also keep the source running.
        var holds = 0
        /// Incremented each time the source is started or stopped, to ignore reports from an earlier run.
        var run = 0
        var isSourceRunning = false
        /// Whether the source has reported a status in this run.
        var hasReported = false
        /// Whether the handler and the notification's observers must still receive the current status after a start.
        var mustTellPresent = false

        var wantsSource: Bool { isStarted || holds > 0 }
    }

    /// The manager that watches the default route, for the whole process.
    public static let shared = ReachabilityManager()

    /// The key of the status's raw value in the notification's user info.
    public static let notificationStatusKey = "AFNetworkingReachabilityNotificationStatusItem"

    /// The watched target.
    public let target: ReachabilityTarget

    private let source: any ReachabilitySource
    private let queue: DispatchQueue
    private let notificationCenter: NotificationCenter
    private let state = Mutex(State())

    /// Creates a manager, which does not watch yet.
    ///
    /// - Parameters:
    ///   - target: The target to watch.
    ///   - source: A custom source for the target, which must not be shared with another manager; nil, the default, for
    ///     the kernel's routing tables.
    ///   - queue: The queue on which changes are published, serially; nil, the default, for a private queue.
    ///   - notificationCenter: The center to which notifications are posted.
    public init(
        target: ReachabilityTarget = .defaultRoute,
        source: (any ReachabilitySource)? = nil,
        queue: DispatchQueue? = nil,
        notificationCenter: NotificationCenter = .default
    ) {
        self.target = target
        self.source = source ?? NetlinkSource(target: target)
        self.queue = DispatchQueue(label: "ferry.reachability", target: queue)
        self.notificationCenter = notificationCenter
    }

    deinit {
        source.stop()
        for stream in state.withLock({ $0.streams }).values { stream.finish() }
    }

    // MARK: - Status

    /// The latest published status; unknown before the first report.
    public var status: ReachabilityStatus { state.withLock { $0.status } }

    /// A Boolean value that indicates whether the target is reachable.
    public var isReachable: Bool { status.isReachable }

    /// A Boolean value that indicates whether the target is reachable over a cellular connection.
    public var isReachableViaCellular: Bool { status == .reachableViaCellular }

    /// A Boolean value that indicates whether the target is reachable over Wi-Fi, and not over a cable.
    public var isReachableViaWiFi: Bool { status == .reachableViaWiFi }

    /// A closure that is called with the current status and each change, on the manager's queue.
    public var statusHandler: (@Sendable (ReachabilityStatus) -> Void)? {
        get { state.withLock { $0.handler } }
        set { state.replace(\.handler, with: newValue) }
    }

    // MARK: - Monitoring

    /// Starts watching; the current status follows shortly, as the first change.
    ///
    /// Has no effect if the manager is already monitoring.
    public func startMonitoring() { change { $0.isStarted = true } }

    /// Stops watching: changes are published only to readers of ``updates`` and to tasks that wait.
    public func stopMonitoring() { change { $0.isStarted = false } }

    /// Changes the state, and starts or stops the source if necessary.
    private func change(_ body: @Sendable (inout State) -> Void) {
        let (mustFollow, mustTell) = state.withLock { state in
            let (wanted, wasStarted) = (state.wantsSource, state.isStarted)
            body(&state)
            // If it is started while the updates are being read, the handler has not received the current status yet.
            guard state.wantsSource != wanted else {
                state.mustTellPresent = state.isStarted && (state.mustTellPresent || !wasStarted)
                return (false, state.isStarted && !wasStarted)
            }
            state.mustTellPresent = false
            state.run += 1
            state.hasReported = false
            if state.wantsSource { state.status = .unknown }
            return (true, false)
        }
        // On the queue, so that starts and stops from several threads are carried out in order.
        if mustFollow { queue.async { [weak self] in self?.followWish() } }
        guard mustTell else { return }
        queue.async { [weak self] in
            // A change in the meantime has already reported the status.
            if let self, state.withLock({ $0.hasReported && $0.mustTellPresent }) { tellPresent() }
        }
    }

    private func followWish() {
        let (isRunning, run) = state.withLock { state -> (Bool, Int?) in
            defer { state.isSourceRunning = state.wantsSource }
            return (state.isSourceRunning, state.wantsSource ? state.run : nil)
        }
        // If the source was to stop and to start again in the meantime, it is stopped first.
        if isRunning { source.stop() }
        if let run { start(run) }
    }

    private func start(_ run: Int) {
        source.start { [weak self, queue] status in
            queue.async { [weak self] in self?.tell(status, run: run) }
        }
    }

    /// Publishes a change, on the queue.
    private func tell(_ status: ReachabilityStatus, run: Int) {
        let isChange = state.withLock { state in
            guard state.run == run, state.wantsSource, state.status != status || !state.hasReported else {
                return false
            }
            (state.status, state.hasReported) = (status, true)
            return true
        }
        guard isChange else { return }
        tellPresent()
        for stream in state.withLock({ $0.streams }).values { stream.yield(status) }
    }

    /// Passes the status to the handler and the notification's observers, on the queue.
    private func tellPresent() {
        let (status, handler, isStarted) = state.withLock { state in
            state.mustTellPresent = false
            return (state.status, state.handler, state.isStarted)
        }
        guard isStarted else { return }
        handler?(status)
        notificationCenter.post(
            name: .networkingReachabilityDidChange,
            object: self,
            userInfo: [Self.notificationStatusKey: status.rawValue]
        )
    }

    // MARK: - Updates

    /// The current status and every change from now on.
    ///
    /// The source runs while the sequence is read, even if the manager is not monitoring. The sequence ends when its
    /// reader is cancelled or the manager is deinitialized.
    public var updates: AsyncStream<ReachabilityStatus> {
        let (stream, continuation) = AsyncStream.makeStream(of: ReachabilityStatus.self)
        let number = state.withLock { state in
            defer { state.nextStream += 1 }
            return state.nextStream
        }
        change { $0.holds += 1 }
        continuation.onTermination = { [weak self, queue] _ in
            queue.async { [weak self] in self?.remove(stream: number) }
        }
        queue.async { [weak self] in
            guard let self else { return continuation.finish() }
            let present = state.withLock { state in
                state.streams[number] = continuation
                return state.hasReported ? state.status : nil
            }
            if let present { continuation.yield(present) }
        }
        return stream
    }

    private func remove(stream number: Int) {
        change { state in
            if state.streams.removeValue(forKey: number) != nil { state.holds -= 1 }
        }
    }

    /// Waits until the target is reachable.
    ///
    /// Returns immediately if the target is reachable, or if the system does not provide its status.
    ///
    /// - Parameter timeout: How long to wait; nil for no limit.
    /// - Throws: ``NetworkError`` with ``NetworkError/Code/notConnected`` after the timeout, or with
    ///   ``NetworkError/Code/cancelled`` if the Swift task is cancelled.
    public func waitUntilReachable(timeout: Duration? = nil) async throws(NetworkError) {
        let isKnown = state.withLock { $0.wantsSource && $0.hasReported && $0.status != .notReachable }
        if isKnown, !Task.isCancelled { return }
        let updates = updates
        let isReachable = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await status in updates where status != .notReachable { return true }
                return false
            }
            if let timeout {
                group.addTask {
                    // The times of the clock have an upper limit.
                    try? await Task.sleep(for: min(timeout, .seconds(1_000_000_000)))
                    return false
                }
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
        guard !isReachable else { return }
        if Task.isCancelled { throw NetworkError(.cancelled, message: "Waiting for the network was cancelled") }
        throw NetworkError(.notConnected, message: "There was no route to \(target.phrase) within the timeout")
    }
}

extension ReachabilityTarget {
    /// The name of the target within a sentence.
    fileprivate var phrase: String {
        switch self {
        case .defaultRoute: "the network"
        case .address(let host), .domain(let host): host
        }
    }
}
