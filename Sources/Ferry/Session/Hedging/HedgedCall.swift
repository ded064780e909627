import FerrySession

/// A call whose request may be sent a second time: its tasks, and the first good response.
final class HedgedCall<Value: Sendable>: Sendable {
    typealias Handler = @Sendable (TaskResponse<Value>) -> Void

    private struct State: Sendable {
        var first: URLSessionTask?
        var second: URLSessionTask?
        var isSecondSent = false
        /// The Swift task that waits until the second request may be sent.
        var timer: Task<Void, Never>?
        /// A response that is used if the other request has none that is better.
        var bad: TaskResponse<Value>?
        var isOver = false
    }

    private let hedging: Hedging
    private let origin: Origin
    private let begin = MonotonicTime.now()
    private let makeTask: @Sendable (@escaping Handler) -> URLSessionDataTask?
    private let startTask: @Sendable (URLSessionTask) -> Void
    private let handler: Handler
    private let state = Mutex(State())

    /// Creates a call.
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - hedging: The rule, and the durations that are known.
    ///   - makeTask: Makes a task for the request.
    ///   - startTask: Resumes the second task for the first time.
    ///   - handler: Called once with the response that is used.
    init(
        of url: URL,
        by hedging: Hedging,
        makeTask: @escaping @Sendable (@escaping Handler) -> URLSessionDataTask?,
        startTask: @escaping @Sendable (URLSessionTask) -> Void,
        handler: @escaping Handler
    ) {
        (self.hedging, origin, self.makeTask) = (hedging, Origin(url), makeTask)
        (self.startTask, self.handler) = (startTask, handler)
    }

    /// Returns the first task, which the caller resumes at once, and waits until a second one may be sent.
    func makeFirst() -> URLSessionDataTask? {
        let delay = hedging.begin(origin, at: begin)
        guard let task = makeTask({ self.end($0, isSecond: false) }) else { return nil }
        let timer = delay.map { delay in
            Task {
                guard (try? await SystemClock.sleep(delay)) != nil else { return }
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

    private func sendSecond() {
        let isSent = state.withLock { state in
            // A request that is suspended is not slow.
            state.isSecondSent = !state.isOver && state.first?.state == .running && hedging.take(origin)
            return state.isSecondSent
        }
        guard isSent, let task = makeTask({ self.end($0, isSecond: true) }) else { return }
        let isOver = state.withLock { state in
            if !state.isOver { state.second = task }
            return state.isOver
        }
        if isOver { task.cancel() } else { startTask(task) }
    }

    private func end(_ response: TaskResponse<Value>, isSecond: Bool) {
        let ended = state.withLock { state -> (used: TaskResponse<Value>, isSecond: Bool, state: State)? in
            guard !state.isOver else { return nil }
            // The caller has the first task, and cancels the call with it.
            let isFinal = response.isGood || !isSecond && response.error?.code == .cancelled
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
        guard let ended else { return }
        ended.state.timer?.cancel()
        (isSecond ? ended.state.first : ended.state.second)?.cancel()
        hedging.end(origin, after: MonotonicTime.now().since(begin), isSecond: ended.isSecond)
        handler(ended.used)
    }
}

extension TaskResponse {
    /// Whether another request is unlikely to have a better response.
    fileprivate var isGood: Bool {
        switch error?.code {
        case nil, .unacceptableContentType, .decodingFailed, .responseTooLarge: true
        case .unacceptableStatusCode: !RetryPolicy.standard.statuses.contains(statusCode ?? 0)
        default: false
        }
    }
}
