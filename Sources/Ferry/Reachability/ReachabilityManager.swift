import FerrySession

/// Watches whether the network, or a host, can be reached.
///
/// ```swift
/// let reachability = ReachabilityManager(target: .domain("example.com"))
/// reachability.statusHandler = { status in print(status) }
/// reachability.startMonitoring()
/// ```
///
/// Each change is told once, on one serial queue and in this order: ``status``, ``statusHandler``, the notification
/// `networkingReachabilityDidChange`, ``updates``. The status at the start is the first change.
///
/// On Linux it asks the kernel for routes and links over netlink: no packet is sent, no privilege is needed. That a host
/// is reachable says that there is a way to it, not that anyone answers; do not hold back requests because of it.
///
/// AFNetworking: `AFNetworkReachabilityManager`.
public final class ReachabilityManager: Sendable {
    private struct State: Sendable {
        var status = ReachabilityStatus.unknown
        var handler: (@Sendable (ReachabilityStatus) -> Void)?
        var streams: [Int: AsyncStream<ReachabilityStatus>.Continuation] = [:]
        var nextStream = 0
        var isStarted = false
        /// Streams that are being read keep the source running too.
        var holds = 0
        /// Counts the times the source was wanted, so that reports of an earlier time are told apart.
        var run = 0
        var isSourceRunning = false
        /// Whether the source has said anything since it was wanted.
        var hasReported = false

        var wantsSource: Bool { isStarted || holds > 0 }
    }

    /// Watches the default route, for the whole process.
    public static let shared = ReachabilityManager()

    /// The key of the status's number in the notification's user info.
    public static let notificationStatusKey = "AFNetworkingReachabilityNotificationStatusItem"

    /// What is watched.
    public let target: ReachabilityTarget

    private let source: any ReachabilitySource
    private let queue: DispatchQueue
    private let notificationCenter: NotificationCenter
    private let state = Locked(State())

    /// Makes a manager, which watches nothing yet.
    ///
    /// - Parameters:
    ///   - target: What is to be reached.
    ///   - queue: Where changes are told, one after another; by default a queue of its own.
    ///   - notificationCenter: Where notifications go.
    public convenience init(
        target: ReachabilityTarget = .defaultRoute,
        queue: DispatchQueue? = nil,
        notificationCenter: NotificationCenter = .default
    ) {
        self.init(
            target: target,
            source: SystemReachability.source(for: target),
            queue: queue,
            notificationCenter: notificationCenter
        )
    }

    /// Makes a manager that learns from a source of your own.
    ///
    /// - Parameters:
    ///   - target: What the source watches.
    ///   - source: Where the status comes from; it serves this manager alone.
    ///   - queue: Where changes are told, one after another; by default a queue of its own.
    ///   - notificationCenter: Where notifications go.
    public init(
        target: ReachabilityTarget = .defaultRoute,
        source: any ReachabilitySource,
        queue: DispatchQueue? = nil,
        notificationCenter: NotificationCenter = .default
    ) {
        self.target = target
        self.source = source
        self.queue = DispatchQueue(label: "ferry.reachability", target: queue)
        self.notificationCenter = notificationCenter
    }

    deinit {
        source.stop()
        for stream in state.withLock({ $0.streams }).values { stream.finish() }
    }

    // MARK: - Status

    /// The status as it was told last; unknown before the first report.
    public var status: ReachabilityStatus { state.withLock { $0.status } }

    /// Whether there is a way there.
    public var isReachable: Bool { status.isReachable }

    /// Whether the way there begins with a cellular connection.
    public var isReachableViaCellular: Bool { status == .reachableViaCellular }

    /// Whether the way there begins with Wi-Fi or a cable.
    public var isReachableViaWiFi: Bool { status == .reachableViaWiFi }

    /// Receives each change, the present status first; it runs on the manager's queue.
    public var statusHandler: (@Sendable (ReachabilityStatus) -> Void)? {
        get { state.withLock { $0.handler } }
        set { state.withLock { $0.handler = newValue } }
    }

    // MARK: - Monitoring

    /// Begins to watch; the present status comes soon, as the first change.
    ///
    /// Nothing happens if it watches already.
    public func startMonitoring() {
        change { $0.isStarted = true }
    }

    /// Ends watching: nothing is told any more, except to those who read ``updates`` or wait.
    public func stopMonitoring() {
        change { $0.isStarted = false }
    }

    /// Changes who wants the source, and has it started or stopped if that makes a difference.
    private func change(_ body: @Sendable (inout State) -> Void) {
        let (mustFollow, mustTell) = state.withLock { state in
            let (wanted, wasStarted) = (state.wantsSource, state.isStarted)
            body(&state)
            // Who starts it while others read the updates has not heard of the present status.
            guard state.wantsSource != wanted else { return (false, state.isStarted && !wasStarted) }
            state.run += 1
            state.hasReported = false
            if state.wantsSource { state.status = .unknown }
            return (true, false)
        }
        // On the queue, so that starts and stops from several threads come in order.
        if mustFollow { queue.async { [weak self] in self?.followWish() } }
        if mustTell {
            queue.async { [weak self] in
                guard let self, state.withLock({ $0.hasReported }) else { return }
                tellPresent()
            }
        }
    }

    private func followWish() {
        enum Step: Sendable {
            case start(run: Int)
            case stop
            case restart(run: Int)
        }
        let step = state.withLock { state -> Step? in
            defer { state.isSourceRunning = state.wantsSource }
            switch (state.isSourceRunning, state.wantsSource) {
            case (false, true): return .start(run: state.run)
            case (true, false): return .stop
            // It was stopped and started again meanwhile.
            case (true, true): return .restart(run: state.run)
            case (false, false): return nil
            }
        }
        switch step {
        case .start(let run): start(run)
        case .stop: source.stop()
        case .restart(let run):
            source.stop()
            start(run)
        case nil: break
        }
    }

    private func start(_ run: Int) {
        source.start { [weak self, queue] status in
            queue.async { [weak self] in self?.tell(status, run: run) }
        }
    }

    /// Tells a change to everyone, on the queue.
    private func tell(_ status: ReachabilityStatus, run: Int) {
        let isChange = state.withLock { state in
            guard state.run == run, state.wantsSource, state.status != status || !state.hasReported else {
                return false
            }
            state.status = status
            state.hasReported = true
            return true
        }
        guard isChange else { return }
        tellPresent()
        for stream in state.withLock({ $0.streams }).values { stream.yield(status) }
    }

    /// Tells the status to the handler and the notification's observers, on the queue.
    private func tellPresent() {
        let (status, handler, isStarted) = state.withLock { ($0.status, $0.handler, $0.isStarted) }
        guard isStarted else { return }
        handler?(status)
        notificationCenter.post(
            name: .networkingReachabilityDidChange,
            object: self,
            userInfo: [Self.notificationStatusKey: status.rawValue]
        )
    }

    // MARK: - Updates

    /// Every change from now on, the present status first.
    ///
    /// The manager watches while the sequence is read, whether it was started or not. The sequence ends when its reader is
    /// cancelled, or the manager goes.
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
            add(continuation, number)
        }
        return stream
    }

    private func add(_ continuation: AsyncStream<ReachabilityStatus>.Continuation, _ number: Int) {
        let present = state.withLock { state in
            state.streams[number] = continuation
            return state.hasReported ? state.status : nil
        }
        if let present { continuation.yield(present) }
    }

    private func remove(stream number: Int) {
        change { state in
            if state.streams.removeValue(forKey: number) != nil { state.holds -= 1 }
        }
    }
}

extension Notification.Name {
    /// Posted when a ``ReachabilityManager`` has a new status; the object is the manager.
    public static let networkingReachabilityDidChange = Self("com.alamofire.networking.reachability.change")
}
