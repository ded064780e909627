/// Keeps those who write to a `Progress` apart, in the whole process.
///
/// On Linux it is no thread-safe class, and a parent adds up the children of several tasks, sessions and managers.
package enum ProgressWriting {
    private static let lock = Mutex(())

    /// Calls `body` while nobody else writes; a `Progress` calls nobody when its counts are set.
    package static func alone<Result>(_ body: () -> Result) -> Result {
        lock.withLock { _ in body() }
    }
}
