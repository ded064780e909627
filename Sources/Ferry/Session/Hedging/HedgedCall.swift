/// A call whose request may be sent a second time: its tasks, and the first good response.
final class HedgedCall<Value: Sendable>: Sendable {
    typealias Handler = @Sendable (TaskResponse<Value>) -> Void

    private struct State: Sendable {
        var first: URLSessionTask?
        var second: URLSessionTask?
        var isSecondSent = false
        /// The Swift task that waits until the second request may be sent.
        var timer: Task<Void, Never>?
        /// The first response that is not good, which is used if the other request has no good one.
        var bad: TaskResponse<Value>?
        /// Whether the first task was seen suspended, or not yet resumed.
        var wasSuspended = false
        var isCancelled = false
        var isOver = false
    }

    /// The shortest time after which a task that was suspended is checked again.
    private static var minimumPause: TimeSpan { .milliseconds(50) }

    private let manager: SessionManager
    private let hedging: Hedging
    private let origin: Origin
    private let begin = MonotonicTime.now()
    private let handler: Handler
    private let makeTask: @Sendable (@escaping Handler) -> URLSessionDataTask?
    /// Cancels the call when the Swift task that awaits it is cancelled; nil if none awaits it.
    private let relay = CompletionWaiter.current?.relay
    private let state = Mutex(State())

    /// Creates a call to a URL; the handler is called once, with the response that is used.
    init(
        _ manager: SessionManager,
        _ url: URL,
        by hedging: Hedging,
        handler: @escaping Handler,
        makeTask: @escaping @Sendable (@escaping Handler) -> URLSessionDataTask?
    ) {
        (self.manager, origin, self.hedging) = (manager, Origin(url), hedging)
        (self.handler, self.makeTask) = (handler, makeTask)
    }

    /// Returns the first task, which the caller resumes at once, and waits until a second one may be sent.
    func makeFirst() -> URLSessionDataTask? {
        let delay = hedging.begin(origin, at: begin)
        guard let task = makeTask({ self.end($0, isSecond: false) }) else { return nil }
        let timer = delay.map { delay in
            Task {
                guard (try? await SystemClock.sleep(delay)) != nil else { return }
                while self.isSuspended {
                    guard (try? await SystemClock.sleep(max(delay, Self.minimumPause))) != nil else { return }
                }
                self.sendSecond()
            }
        }
        let isOver = state.withLock { state in
            if !state.isOver { (state.first, state.timer) = (task, timer) }
            return state.isOver
        }
        if isOver { timer?.cancel() }
        return task
    }

    /// Whether the first task is suspended, so that its request is not slow.
    private var isSuspended: Bool {
        state.withLock { state in
            let isSuspended = !state.isOver && state.first?.state != .running
            if isSuspended { state.wasSuspended = true }
            return isSuspended
        }
    }

    private func sendSecond() {
        // The deadline counts from the beginning of the first task.
        let left = state.withLock { $0.wasSuspended ? nil : $0.first }?.deadline.map {
            $0 - MonotonicTime.now().since(begin).seconds
        }
        if let left, left <= 0 { return }
        let isSent = state.withLock { state in
            state.isSecondSent = !state.isOver && hedging.take(origin)
            return state.isSecondSent
        }
        guard isSent, let task = makeTask({ self.end($0, isSecond: true) }) else { return }
        let isUnwanted = state.withLock { state in
            if !state.isOver { state.second = task }
            return state.isOver || state.isCancelled
        }
        if isUnwanted { return task.cancel() }
        task.noteUnshareable()
        if let left { task.deadline = left }
        manager.start(task)
    }

    /// Cancels the second task, which the caller does not have.
    private func cancelSecond() {
        let second = state.withLock { state in
            state.isCancelled = true
            return state.second
        }
        second?.cancel()
    }

    private func end(_ response: TaskResponse<Value>, isSecond: Bool) {
        let ended = state.withLock { state -> (used: TaskResponse<Value>, isSecond: Bool, state: State)? in
            guard !state.isOver else { return nil }
            // The caller has the first task, and cancels the call with it.
            let isFinal =
                response.isGood
                || response.error?.code == .cancelled && (!isSecond || state.isCancelled)
            if !isFinal, state.isSecondSent, state.bad == nil {
                state.bad = response
                return nil
            }
            let old = state
            state = State()
            state.isOver = true
            // Of two bad responses, the first one is used.
            return isFinal ? (response, isSecond, old) : (old.bad ?? response, isSecond == (old.bad == nil), old)
        }
        guard let ended else {
            // The first task has ended, so cancelling it would not cancel the second one.
            if !isSecond { relay?.attach { [weak self] in self?.cancelSecond() } }
            return
        }
        ended.state.timer?.cancel()
        (isSecond ? ended.state.first : ended.state.second)?.cancel()
        // A call that the caller has suspended or cancelled says nothing about the server.
        let isMeasured = !ended.state.wasSuspended && ended.used.error?.code != .cancelled
        let duration = isMeasured ? MonotonicTime.now().since(begin) : nil
        hedging.end(origin, after: duration, isSecond: ended.isSecond)
        handler(ended.used)
    }
}

extension TaskResponse {
    /// Whether another request is unlikely to have a better response.
    fileprivate var isGood: Bool {
        switch error?.code {
        case nil, .unacceptableContentType, .decodingFailed, .responseTooLarge: true
        case .unacceptableStatusCode: !RetryPolicy.standard.statusCodes.contains(statusCode ?? 0)
        default: false
        }
    }
}
