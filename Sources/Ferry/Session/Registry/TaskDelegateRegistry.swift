/// The task delegates of one manager, by task; protected by the lock of the manager's core.
///
/// A task is registered before it can run and removed before it completes, so that every callback finds its delegate
/// and the task completes only once. A task may also end between its creation and its registration, when the whole
/// session is cancelled: such an end is kept until the task is registered.
struct TaskDelegateRegistry: Sendable {
    /// The end of a task that came before the task could be registered.
    struct EarlyEnd: Sendable {
        let error: (any Error)?
    }

    /// A delegate with its task: an object, since copying a weak reference takes longer than finding it.
    ///
    /// `@unchecked Sendable`: its properties are read and changed only under the lock of the core.
    final class Entry: @unchecked Sendable {
        let delegate: TaskDelegate
        fileprivate(set) var retained: URLSessionTask?
        private(set) weak var task: URLSessionTask?

        fileprivate init(_ delegate: TaskDelegate, of task: URLSessionTask, retainsTask: Bool) {
            self.delegate = delegate
            self.task = task
            retained = retainsTask ? task : nil
        }
    }

    private var entries: [TaskKey: Entry] = [:]
    private var retainsTasks = true
    private var registrationsUnderWay = 0
    private var earlyEnds: [TaskKey: EarlyEnd] = [:]

    subscript(key: TaskKey) -> TaskDelegate? { entries[key]?.delegate }

    /// Returns the registered tasks of one session, or of all, in the order they were made.
    func tasks(generation: Int? = nil) -> [URLSessionTask] {
        let found = entries.compactMap { key, entry in
            key.generation == (generation ?? key.generation) ? entry.task.map { (key, $0) } : nil
        }
        return found.sorted { ($0.0.generation, $0.0.identifier) < ($1.0.generation, $1.0.identifier) }.map(\.1)
    }

    /// Returns the delegate of a task whose session is unknown, searching the given generations.
    func delegate(of task: URLSessionTask, generations: some Sequence<Int>) -> TaskDelegate? {
        let identifier = task.taskIdentifier
        for generation in generations {
            let entry = entries[TaskKey(generation: generation, identifier: identifier)]
            if let entry, entry.task === task { return entry.delegate }
        }
        return nil
    }

    /// Announces that a task is about to be registered; every call is followed by one of the three methods below.
    mutating func willRegister() { registrationsUnderWay += 1 }

    /// Registers a task, unless it has ended already, and then returns its end.
    mutating func register(_ task: URLSessionTask, delegate: TaskDelegate, at key: TaskKey) -> EarlyEnd? {
        let end = endRegistration(at: key)
        if end == nil { add(delegate, of: task, at: key) }
        return end
    }

    /// Registers a task, unless another thread has registered it, or it has ended already.
    mutating func registerIfUnknown(_ task: URLSessionTask, delegate: TaskDelegate, at key: TaskKey) -> Bool {
        guard endRegistration(at: key) == nil, entries[key] == nil else { return false }
        add(delegate, of: task, at: key)
        return true
    }

    /// Registers nothing after all.
    mutating func cancelRegistration() { _ = endRegistration(at: nil) }

    /// Removes the delegate of a task that has ended, and returns its entry, which must be released without the lock.
    mutating func remove(_ key: TaskKey, error: (any Error)?) -> Entry? {
        if let entry = entries.removeValue(forKey: key) { return entry }
        if registrationsUnderWay > 0 { earlyEnds[key] = EarlyEnd(error: error) }
        return nil
    }

    /// Removes all delegates of one session, and returns their entries.
    mutating func removeAll(generation: Int) -> [Entry] {
        let keys = entries.keys.filter { $0.generation == generation }
        return keys.compactMap { entries.removeValue(forKey: $0) }
    }

    /// Moves a delegate to the task that replaces another one, and returns the entry of the old task.
    mutating func move(from old: TaskKey, to task: URLSessionTask, at new: TaskKey) -> Entry? {
        guard let entry = entries.removeValue(forKey: old) else { return nil }
        add(entry.delegate, of: task, at: new)
        return entry
    }

    /// Stops retaining the tasks, so that a task that is never resumed does not keep its session alive, and returns
    /// them, to be released without the lock.
    mutating func releaseTasks() -> [URLSessionTask] {
        retainsTasks = false
        return entries.values.compactMap { entry in
            defer { entry.retained = nil }
            return entry.retained
        }
    }

    private mutating func add(_ delegate: TaskDelegate, of task: URLSessionTask, at key: TaskKey) {
        entries[key] = Entry(delegate, of: task, retainsTask: retainsTasks)
    }

    /// Counts a registration as done, and returns the end of its task if that came first.
    private mutating func endRegistration(at key: TaskKey?) -> EarlyEnd? {
        registrationsUnderWay -= 1
        let end = key.flatMap { earlyEnds.removeValue(forKey: $0) }
        if registrationsUnderWay == 0, !earlyEnds.isEmpty { earlyEnds = [:] }
        return end
    }
}

/// The identity of a task among all sessions of a manager; a `taskIdentifier` is unique only within one session.
struct TaskKey: Hashable, Sendable {
    /// The number of the task's session among those of its manager.
    let generation: Int
    /// The task's `taskIdentifier`.
    let identifier: Int
}
