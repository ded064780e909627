/// Finds the task delegate and the observers of an event, under one lock.
extension SessionCore {
    /// Returns the delegate of a task, nil once it has ended, and the observers to report an event to.
    func find(_ key: TaskKey) -> (delegate: TaskDelegate?, observers: Observers) {
        state.withLock { ($0.registry[key], $0.observers) }
    }

    /// Removes the delegate of a task that has ended, and returns it with the observers to report the end to.
    func remove(_ key: TaskKey, error: (any Error)?) -> (delegate: TaskDelegate?, observers: Observers) {
        let (entry, observers) = state.withLock { ($0.registry.remove(key, error: error), $0.observers) }
        return (entry?.delegate, observers)
    }

    /// Moves a delegate to the task that replaces another one.
    func move(
        from old: TaskKey,
        to task: URLSessionTask,
        at new: TaskKey
    ) -> (delegate: TaskDelegate?, observers: Observers) {
        let (entry, observers) = state.withLock { state in
            (state.registry.move(from: old, to: task, at: new), state.observers)
        }
        return (entry?.delegate, observers)
    }

    /// Reports that a task was resumed or suspended, unless nothing changes.
    ///
    /// A resumed task that is unknown was made in the session itself, and becomes one of the manager's.
    func note(isRunning: Bool, _ task: URLSessionTask, at key: TaskKey) {
        var (delegate, observers) = find(key)
        if delegate == nil, isRunning {
            adopt(task, at: key)
            (delegate, observers) = find(key)
        }
        if let delegate { note(isRunning: isRunning, task, delegate, observers) }
    }

    /// Reports that a task was resumed, for a session that does not report it itself.
    func noteResumed(_ task: URLSessionTask) {
        let (delegate, observers) = state.withLock { state in
            (state.registry.delegate(of: task, generations: state.sessions.generations), state.observers)
        }
        if let delegate { note(isRunning: true, task, delegate, observers) }
    }

    /// Posts a notification about a change, and reports it to the monitors.
    ///
    /// The notification precedes that of the task's end, which a monitor or another thread may cause at once.
    private func note(isRunning: Bool, _ task: URLSessionTask, _ delegate: TaskDelegate, _ observers: Observers) {
        let name: Notification.Name = isRunning ? .networkingTaskDidResume : .networkingTaskDidSuspend
        guard let addition = delegate.noteRunning(isRunning, { notifications.add(name, object: task) }) else { return }
        notifications.finish(addition)
        observers.notify { isRunning ? $0.taskDidResume(task) : $0.taskDidSuspend(task) }
    }
}
