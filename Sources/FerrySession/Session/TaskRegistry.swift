/// Which tasks a session has; it stands behind the session's lock.
struct TaskRegistry {
    private enum Entry {
        /// Never resumed: whoever made the task keeps it.
        case idle(WeakTask)
        /// Kept by the session until it is complete.
        case running(URLSessionTask)
    }

    private struct WeakTask {
        weak var task: URLSessionTask?
    }

    private var entries: [Int: Entry] = [:]
    private var nextIdentifier = 1
    private var runningCount = 0
    private(set) var isInvalidated = false
    private var isInvalidityReported = false

    var all: [URLSessionTask] {
        entries.sorted { $0.key < $1.key }.compactMap { entry in
            switch entry.value {
            case .idle(let weak): weak.task
            case .running(let task): task
            }
        }
    }

    mutating func makeIdentifier() -> Int {
        defer { nextIdentifier += 1 }
        return nextIdentifier
    }

    mutating func addIdle(_ task: URLSessionTask, identifier: Int) {
        entries[identifier] = .idle(WeakTask(task: task))
    }

    /// Keeps a task that begins to run, unless somebody has cancelled it meanwhile and it is complete already.
    ///
    /// Answers `false` in an invalid session, where nothing runs any more.
    mutating func run(_ task: URLSessionTask, identifier: Int) -> Bool {
        if case .running = entries[identifier] { return true }
        guard !isInvalidityReported else { return false }
        guard entries[identifier] != nil else { return true }
        entries[identifier] = .running(task)
        runningCount += 1
        return true
    }

    /// A data task that became a download goes on under its identifier.
    mutating func replace(_ task: URLSessionTask, identifier: Int) -> URLSessionTask? {
        guard case .running(let old) = entries[identifier] else { return nil }
        entries[identifier] = .running(task)
        return old
    }

    mutating func remove(_ identifier: Int) -> URLSessionTask? {
        guard let entry = entries.removeValue(forKey: identifier) else { return nil }
        guard case .running(let task) = entry else { return nil }
        runningCount -= 1
        return task
    }

    mutating func invalidate() {
        isInvalidated = true
    }

    /// Keeps all tasks, so that each is cancelled before the session is invalid.
    mutating func invalidateKeepingAll() -> [URLSessionTask] {
        isInvalidated = true
        let tasks = all
        for task in tasks { _ = run(task, identifier: task.taskIdentifier) }
        return tasks
    }

    /// Whether the session has just become invalid; `true` once.
    mutating func claimInvalidity() -> Bool {
        guard isInvalidated, !isInvalidityReported, runningCount == 0 else { return false }
        isInvalidityReported = true
        return true
    }
}
