import Foundation

/// The task delegates of one manager, by task.
///
/// A task is registered before it can run and removed before it completes, so that every callback finds its delegate
/// and the task completes only once. A task may also end between its creation and its registration, when the whole
/// session is cancelled: such an end is kept until the task is registered.
final class TaskDelegateRegistry: Sendable {
    /// The result of registering a task.
    enum Registration: Sendable {
        case registered
        /// The task ended before it could be registered.
        case alreadyEnded((any Error)?)
    }

    /// A delegate with its task: an object, since copying a weak reference takes longer than finding it.
    ///
    /// `@unchecked Sendable`: its properties are read and changed only under the registry's lock.
    private final class Entry: @unchecked Sendable {
        let delegate: TaskDelegate
        var retained: URLSessionTask?
        private(set) weak var task: URLSessionTask?

        init(_ delegate: TaskDelegate, of task: URLSessionTask, retainsTask: Bool) {
            self.delegate = delegate
            self.task = task
            retained = retainsTask ? task : nil
        }
    }

    private struct State: Sendable {
        var entries: [TaskKey: Entry] = [:]
        var retainsTasks = true
        var registrationsUnderWay = 0
        var earlyEnds: [TaskKey: Registration] = [:]

        mutating func add(_ delegate: TaskDelegate, of task: URLSessionTask, at key: TaskKey) {
            entries[key] = Entry(delegate, of: task, retainsTask: retainsTasks)
        }
    }

    private let state = Mutex(State())

    /// Returns the delegate of a task.
    subscript(key: TaskKey) -> TaskDelegate? { state.withLock { $0.entries[key]?.delegate } }

    /// The registered tasks, in the order they were made.
    var tasks: [URLSessionTask] { tasks(generation: nil) }

    /// Returns the registered tasks of one session, or of all, in the order they were made.
    func tasks(generation: Int?) -> [URLSessionTask] {
        let found = state.withLock { state in
            state.entries.compactMap { key, entry in
                key.generation == (generation ?? key.generation) ? entry.task.map { (key, $0) } : nil
            }
        }
        return found.sorted { ($0.0.generation, $0.0.identifier) < ($1.0.generation, $1.0.identifier) }.map(\.1)
    }

    /// Returns the delegate of a task whose session is unknown, searching the given generations.
    func delegate(of task: URLSessionTask, generations: some Sequence<Int> & Sendable) -> TaskDelegate? {
        let identifier = task.taskIdentifier
        return state.withLock { state in
            for generation in generations {
                let entry = state.entries[TaskKey(generation: generation, identifier: identifier)]
                if let entry, entry.task === task { return entry.delegate }
            }
            return nil
        }
    }

    /// Announces that a task is about to be made; every call is followed by one of ``register(_:delegate:at:)``.
    func willRegister() { state.withLock { $0.registrationsUnderWay += 1 } }

    /// Registers a task, unless it has ended already.
    func register(_ task: URLSessionTask, delegate: TaskDelegate, at key: TaskKey) -> Registration {
        state.withLock { state in
            state.registrationsUnderWay -= 1
            let end = state.earlyEnds.removeValue(forKey: key)
            if state.registrationsUnderWay == 0 { state.earlyEnds = [:] }
            if let end { return end }
            state.add(delegate, of: task, at: key)
            return .registered
        }
    }

    /// Removes and returns the delegate of a task that has ended.
    func remove(_ key: TaskKey, error: (any Error)?) -> TaskDelegate? {
        state.withLock { state in
            if let entry = state.entries.removeValue(forKey: key) { return entry.delegate }
            if state.registrationsUnderWay > 0 { state.earlyEnds[key] = .alreadyEnded(error) }
            return nil
        }
    }

    /// Removes all delegates of one session, and returns them with their tasks.
    func removeAll(generation: Int) -> [(task: URLSessionTask, delegate: TaskDelegate)] {
        state.withLock { state in
            let keys = state.entries.keys.filter { $0.generation == generation }
            return keys.compactMap { key in
                guard let entry = state.entries.removeValue(forKey: key), let task = entry.task else { return nil }
                return (task, entry.delegate)
            }
        }
    }

    /// Moves a delegate to the task that replaces another one, and returns it.
    func move(from old: TaskKey, to task: URLSessionTask, at new: TaskKey) -> TaskDelegate? {
        state.withLock { state in
            guard let entry = state.entries.removeValue(forKey: old) else { return nil }
            state.add(entry.delegate, of: task, at: new)
            return entry.delegate
        }
    }

    /// Stops retaining the tasks, so that a task that is never resumed does not keep its session alive.
    func releaseTasks() {
        state.withLock { state in
            state.retainsTasks = false
            for entry in state.entries.values { entry.retained = nil }
        }
    }
}

/// The identity of a task among all sessions of a manager; a `taskIdentifier` is unique only within one session.
struct TaskKey: Hashable, Sendable {
    /// The number of the task's session among those of its manager.
    let generation: Int
    /// The task's `taskIdentifier`.
    let identifier: Int
}
