/// The progress of several transfers as one, which can be read at any time or as a sequence.
///
/// ```swift
/// let all = CombinedProgress()
/// async let first = session.download(one, progress: all.part())
/// async let second = session.download(two, progress: all.part())
/// let display = Task {
///     for await sum in all.updates { print(sum.fractionCompleted ?? 0, sum.timeLeft ?? 0) }
/// }
/// _ = try await (first, second)
/// all.finish()
/// ```
public final class CombinedProgress: Sendable {
    private struct State: Sendable {
        var parts: [TransferProgress] = []
        var isFinished = false
        var lastNumber = 0
        var listeners: [Int: AsyncStream<TransferProgress>.Continuation] = [:]
    }

    private let state = Mutex(State())

    /// Creates a progress without transfers.
    public init() {}

    /// The sum of all parts; its total is unknown while the total of a part is.
    public var current: TransferProgress { TransferProgress.sum(of: state.withLock { $0.parts }) }

    /// Adds a part, and returns the function that takes the progress of its transfer.
    public func part() -> @Sendable (TransferProgress) -> Void {
        let index = state.withLock { state in
            // Its total is not known yet.
            state.parts.append(TransferProgress())
            return state.parts.count - 1
        }
        return { [weak self] progress in self?.update(index, progress) }
    }

    /// The sums from now on, as a new sequence for each access; a slow reader receives only the newest sum.
    ///
    /// The sequence ends with ``finish()``, or when the object is released.
    public var updates: AsyncStream<TransferProgress> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: TransferProgress.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let number = state.withLock { state -> Int? in
            guard !state.isFinished else { return nil }
            state.lastNumber += 1
            state.listeners[state.lastNumber] = continuation
            return state.lastNumber
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            // Released outside of the lock.
            _ = self?.state.withLock { $0.listeners.removeValue(forKey: number) }
        }
        return stream
    }

    /// Ends the sequences of ``updates``.
    public func finish() {
        let listeners = state.withLock { state in
            state.isFinished = true
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }

    deinit { finish() }

    private func update(_ index: Int, _ progress: TransferProgress) {
        var progress = progress
        // The rate of a complete transfer says nothing about those that go on.
        if progress.completedByteCount == progress.totalByteCount { progress.rate = 0 }
        state.withLock { state in
            state.parts[index] = progress
            let sum = TransferProgress.sum(of: state.parts)
            // Under the lock, so that no older sum follows a newer one.
            for listener in state.listeners.values { listener.yield(sum) }
        }
    }
}
