/// The identity of a task among all sessions of a manager; a `taskIdentifier` is unique only within one session.
struct TaskKey: Hashable, Sendable {
    /// The number of the task's session among those of its manager.
    let generation: Int

    /// The task's `taskIdentifier`.
    let identifier: Int
}
