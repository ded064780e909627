/// The progress of one direction of a task, with the object that reports it, for the few tasks whose progress is used.
struct TransferProgress: Sendable {
    private(set) var latest = ProgressUpdate(completedByteCount: 0)
    private(set) var reporter: ProgressReporter?

    /// Creates the progress of a task that has not begun.
    init(_ handler: ProgressHandler?, queue: DispatchQueue?) {
        reporter = handler.map { ProgressReporter(handler: $0, queue: queue) }
    }

    /// Sets the latest state and returns the progress, to be reported without the lock.
    mutating func update(completed: Int64, total: Int64?) -> TransferProgress {
        latest = ProgressUpdate(completedByteCount: completed, totalByteCount: total)
        return self
    }

    /// Returns the reporter, which begins with the latest state if it is made now.
    mutating func makeReporter(isFinished: Bool) -> ProgressReporter {
        let made = reporter ?? ProgressReporter(latest: latest, isFinished: isFinished)
        reporter = made
        return made
    }
}
