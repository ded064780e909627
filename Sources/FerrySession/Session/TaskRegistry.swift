/// The tasks of a session, protected by the session's lock.
///
/// A task is kept from its creation until it completes. Those that were never resumed are released before that, when
/// the session object is released or begins to finish its tasks.
struct TaskRegistry {
    private enum Entry {
        /// The task was never resumed.
        case idle(any CurlTask)
        /// The task was never resumed, and is kept only by the program; its core has a weak reference to it.
        case released(TaskCore)
        /// The task was resumed or cancelled.
        case running(URLSessionTask)
    }

    private var entries: [Int: Entry] = [:]
    private var nextIdentifier = 1
    /// The number of tasks that have an identifier and are being made.
    private var reservedCount = 0
    private(set) var isInvalidated = false
    /// Whether all tasks are cancelled, also those that are being made.
    private var cancelsTasks = false
    private var isInvalidityReported = false

    /// The tasks that were resumed or cancelled and are not complete, in the order of their creation.
    var running: [URLSessionTask] {
        entries.sorted { $0.key < $1.key }.compactMap { if case .running(let task) = $0.value { task } else { nil } }
    }

    /// The tasks that were never resumed, in the order of their creation.
    var idle: [URLSessionTask] {
        entries.sorted { $0.key < $1.key }.compactMap { entry in
            switch entry.value {
            case .idle(let task): task
            case .released(let core): core.unstartedTask
            case .running: nil
            }
        }
    }

    /// Returns the identifier of a task to be made; `add(_:)` must follow, unless the session is invalidated.
    mutating func reserveIdentifier() -> Int {
        defer { nextIdentifier += 1 }
        if !isInvalidated { reservedCount += 1 }
        return nextIdentifier
    }

    /// Reserves the identifier of a task of an earlier process, when the session has no tasks yet.
    mutating func reserve(_ identifier: Int) {
        nextIdentifier = max(nextIdentifier, identifier + 1)
        reservedCount += 1
    }

    /// Reserves all identifiers up to one, since an earlier process has used them.
    mutating func reserveUpTo(_ identifier: Int) { nextIdentifier = max(nextIdentifier, identifier + 1) }

    /// Adds a task whose identifier was reserved before the session was invalidated, and returns whether it must be
    /// cancelled, since all tasks have been cancelled in the meantime.
    mutating func add(_ task: any CurlTask) -> Bool {
        reservedCount -= 1
        entries[task.core.identifier] = isInvalidated ? .released(task.core) : .idle(task)
        return cancelsTasks
    }

    /// Stops keeping the tasks that were never resumed, and returns them, to be released outside the lock.
    mutating func releaseIdle() -> [URLSessionTask] {
        var tasks: [URLSessionTask] = []
        for (identifier, entry) in entries {
            guard case .idle(let task) = entry else { continue }
            entries[identifier] = .released(task.core)
            tasks.append(task)
        }
        return tasks
    }

    /// Keeps a task that begins to run, unless it has been cancelled and completed in the meantime.
    mutating func run(_ task: URLSessionTask, identifier: Int) {
        switch entries[identifier] {
        case .idle, .released: entries[identifier] = .running(task)
        case .running, nil: break
        }
    }

    /// Replaces a data task with the download task that it has become, and returns the data task.
    mutating func replace(_ task: URLSessionTask, identifier: Int) -> URLSessionTask? {
        guard case .running(let old) = entries[identifier] else { return nil }
        entries[identifier] = .running(task)
        return old
    }

    /// Removes a task, and returns the core or task, which must be released outside the lock.
    mutating func remove(_ identifier: Int) -> AnyObject? {
        switch entries.removeValue(forKey: identifier) {
        case .idle(let task): task
        case .released(let core): core
        case .running(let task): task
        case nil: nil
        }
    }

    /// Makes the session invalid once it has no tasks left.
    mutating func invalidate(cancelling: Bool = false) {
        isInvalidated = true
        if cancelling { cancelsTasks = true }
    }

    /// Returns a Boolean value that indicates whether the session has just become invalid; `true` only once.
    mutating func claimInvalidity() -> Bool {
        guard isInvalidated, !isInvalidityReported, entries.isEmpty, reservedCount == 0 else { return false }
        isInvalidityReported = true
        return true
    }
}
