/// The tasks of a session, protected by the session's lock.
///
/// A task is kept from its creation until it completes. Before it is resumed, only its core is kept. The core releases
/// the session when the task is released, so a session whose tasks were never resumed can be freed.
struct TaskRegistry {
    private enum Entry {
        /// The task was never resumed.
        case idle(TaskCore)
        /// The task was resumed or cancelled.
        case running(URLSessionTask)
    }

    private var entries: [Int: Entry] = [:]
    private var nextIdentifier = 1
    /// The number of tasks that have an identifier and are being made.
    private var reservedCount = 0
    private(set) var isInvalidated = false
    private var isInvalidityReported = false

    /// The tasks that were resumed or cancelled and are not complete, in the order of their creation.
    var running: [URLSessionTask] {
        entries.sorted { $0.key < $1.key }.compactMap { if case .running(let task) = $0.value { task } else { nil } }
    }

    /// The cores of the tasks that were never resumed, in the order of their creation.
    var idle: [TaskCore] {
        entries.sorted { $0.key < $1.key }.compactMap { if case .idle(let core) = $0.value { core } else { nil } }
    }

    /// Returns the identifier of a task that is about to be made.
    ///
    /// Unless the session is invalidated, `add(_:)` must follow.
    mutating func reserveIdentifier() -> Int {
        defer { nextIdentifier += 1 }
        if !isInvalidated { reservedCount += 1 }
        return nextIdentifier
    }

    /// Adds a task whose identifier was reserved before the session was invalidated.
    mutating func add(_ core: TaskCore) {
        reservedCount -= 1
        entries[core.identifier] = .idle(core)
    }

    /// Keeps a task that begins to run, unless it has been cancelled and completed in the meantime.
    mutating func run(_ task: URLSessionTask, identifier: Int) {
        guard case .idle = entries[identifier] else { return }
        entries[identifier] = .running(task)
    }

    /// Replaces a data task with the download task that it has become.
    ///
    /// - Returns: The data task.
    mutating func replace(_ task: URLSessionTask, identifier: Int) -> URLSessionTask? {
        guard case .running(let old) = entries[identifier] else { return nil }
        entries[identifier] = .running(task)
        return old
    }

    /// Removes a task.
    ///
    /// - Returns: The removed core or task, which must be released outside the lock.
    mutating func remove(_ identifier: Int) -> AnyObject? {
        switch entries.removeValue(forKey: identifier) {
        case .idle(let core): core
        case .running(let task): task
        case nil: nil
        }
    }

    /// Makes the session invalid once it has no tasks left.
    mutating func invalidate() {
        isInvalidated = true
    }

    /// Returns a Boolean value that indicates whether the session has just become invalid; `true` only once.
    mutating func claimInvalidity() -> Bool {
        guard isInvalidated, !isInvalidityReported, entries.isEmpty, reservedCount == 0 else { return false }
        isInvalidityReported = true
        return true
    }
}
