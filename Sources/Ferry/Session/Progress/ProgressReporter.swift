/// The progress of one direction of one task, reported to a `Progress`, a handler and any number of streams.
package final class ProgressReporter: Sendable {
    private typealias Streams = [Int: AsyncStream<ProgressUpdate>.Continuation]

    private struct State: Sendable {
        var latest = ProgressUpdate(completedByteCount: 0)
        var hasUnreported = false
        var isCallPending = false
        var isFinished = false
        var whenDelivered: (@Sendable () -> Void)?
        var streams: Streams = [:]
        var nextStream = 0
        /// Made on first access, since it is never read for most tasks.
        var progress: Progress?
        /// Whether everything was transferred, so that the `Progress` is complete.
        var isComplete = false
        /// Made with the `Progress`.
        var control: ProgressControl?
    }

    private let handler: ProgressHandler?
    private let queue: DispatchQueue?
    private let state: Mutex<State>

    /// Creates a reporter; without a queue the handler is called immediately, on the queue of the caller.
    package init(handler: ProgressHandler?, queue: DispatchQueue?) {
        self.handler = handler
        self.queue = queue
        state = Mutex(State())
    }

    /// Creates a reporter without a handler for a task that has begun, or has ended.
    init(latest: ProgressUpdate, isFinished: Bool) {
        (handler, queue) = (nil, nil)
        state = Mutex(State(latest: latest, isFinished: isFinished))
    }

    /// Returns the progress as a `Progress` object, which controls the task; its total is -1 while it is unknown.
    func progress(of task: URLSessionTask) -> Progress {
        state.withLock { state in
            if let progress = state.progress { return progress }
            let progress = Progress(parent: nil)
            Self.apply(state.latest, to: progress, isComplete: state.isComplete)
            Self.tie(progress, to: task, &state)
            state.progress = progress
            return progress
        }
    }

    /// Makes the `Progress` a child of the thread's current one, if there is one.
    func joinCurrentProgress() {
        guard Progress.current() != nil else { return }
        state.withLock { state in
            guard state.progress == nil else { return }
            state.progress = ProgressWriting.alone { Progress(parent: .current(), userInfo: nil) }
            if let progress = state.progress { Self.apply(state.latest, to: progress) }
        }
    }

    /// Connects the `Progress` to a task, without retaining it, if there is one already.
    func attach(to task: URLSessionTask) {
        let progress = state.withLock { state in
            if let progress = state.progress { Self.tie(progress, to: task, &state) }
            return state.progress
        }
        guard let progress else { return }
        // A parent that is already cancelled does not cancel a child that joins it.
        if progress.isCancelled { task.cancel() }
    }

    /// Reports that everything was transferred: the total becomes the number of bytes if it was never known.
    ///
    /// The `Progress` is completed even if no byte was transferred, since a parent is complete only when its children
    /// are, and a `Progress` does not tell whether it has a parent.
    func reportEnd() {
        let latest = latest
        if latest.totalByteCount == nil, latest.completedByteCount > 0 {
            report(completed: latest.completedByteCount, total: latest.completedByteCount)
        }
        state.withLock { $0.isComplete = true }
        if let progress = state.withLock({ $0.progress }) { Self.apply(latest, to: progress, isComplete: true) }
    }

    private static func tie(_ progress: Progress, to task: URLSessionTask, _ state: inout State) {
        let control = state.control ?? ProgressControl()
        state.control = control
        control.follow(progress) { [weak task] in task?.apply($0) }
    }

    var latest: ProgressUpdate { state.withLock { $0.latest } }

    /// Reports a new state; must be called on one queue only.
    package func report(completed: Int64, total: Int64?) {
        report(ProgressUpdate(completedByteCount: completed, totalByteCount: total))
    }

    /// Reports a new state; must be called on one queue only.
    func report(_ update: ProgressUpdate) {
        let action = state.withLock { state -> (progress: Progress?, streams: Streams, schedules: Bool)? in
            guard !state.isFinished, state.latest != update else { return nil }
            state.latest = update
            state.hasUnreported = true
            let schedules = handler != nil && !state.isCallPending
            if schedules { state.isCallPending = true }
            return (state.progress, state.streams, schedules)
        }
        guard let action else { return }
        if let progress = action.progress { Self.apply(update, to: progress) }
        for stream in action.streams.values { stream.yield(update) }
        if action.schedules { schedule() }
    }

    /// Stops reporting; `completion` runs after the last call of the handler.
    package func finish(then completion: @escaping @Sendable () -> Void) {
        let action = state.withLock { state -> (streams: Streams, isIdle: Bool)? in
            guard !state.isFinished else { return nil }
            state.isFinished = true
            defer { state.streams = [:] }
            if state.isCallPending { state.whenDelivered = completion }
            return (state.streams, !state.isCallPending)
        }
        guard let action else { return completion() }
        for stream in action.streams.values { stream.finish() }
        if action.isIdle { completion() }
    }

    /// Returns the states from now on; a slow reader gets only the newest one.
    func updates() -> AsyncStream<ProgressUpdate> {
        let (stream, continuation) = AsyncStream<ProgressUpdate>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let key = state.withLock { state -> Int? in
            guard !state.isFinished else { return nil }
            state.nextStream += 1
            state.streams[state.nextStream] = continuation
            return state.nextStream
        }
        if let key {
            continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.streams[key] = nil } }
        } else {
            continuation.finish()
        }
        return stream
    }

    private static func apply(_ update: ProgressUpdate, to progress: Progress, isComplete: Bool = false) {
        var (completed, total) = ProgressWriting.units(
            completed: update.completedByteCount,
            total: update.totalByteCount
        )
        if isComplete {
            total = max(total, completed, 1)
            completed = total
        }
        // Set a new total before the units counted against it, so that the fraction never leaves 0...1.
        ProgressWriting.alone {
            if progress.totalUnitCount != total { progress.totalUnitCount = total }
            progress.completedUnitCount = completed
        }
    }

    private func schedule() {
        if let queue { queue.async { self.deliver() } } else { deliver() }
    }

    private func deliver() {
        let update = state.withLock { state -> ProgressUpdate? in
            defer { state.hasUnreported = false }
            return state.hasUnreported ? state.latest : nil
        }
        if let update { handler?(update) }
        let next = state.withLock { state -> (again: Bool, completion: (@Sendable () -> Void)?) in
            if state.hasUnreported { return (true, nil) }
            state.isCallPending = false
            defer { state.whenDelivered = nil }
            return (false, state.whenDelivered)
        }
        if next.again { schedule() }
        next.completion?()
    }
}
