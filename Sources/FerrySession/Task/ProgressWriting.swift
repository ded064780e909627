/// Serializes writes to `Progress` objects in the whole process.
///
/// On Linux `Progress` is not thread-safe, and a parent adds up the children of several tasks, sessions and managers.
package enum ProgressWriting {
    private static let lock = Mutex(())

    /// Calls `body` while no other thread writes; setting the counts of a `Progress` calls no user code.
    package static func alone<Result>(_ body: () -> Result) -> Result {
        lock.withLock { _ in body() }
    }
}
