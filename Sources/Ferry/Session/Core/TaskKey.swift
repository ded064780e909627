/// What a task is known by: its identifier alone restarts with every new session.
struct TaskKey: Hashable, Sendable {
    /// Counts the sessions of one manager.
    let generation: Int

    /// The task's `taskIdentifier`, unique within one session.
    let identifier: Int
}
