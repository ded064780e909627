/// Serializes writes to `Progress` objects in the whole process.
///
/// On Linux `Progress` is not thread-safe, and a parent adds up the children of several tasks, sessions and managers.
package enum ProgressWriting {
    private static let lock = Mutex(())

    /// Calls `body` while no other thread writes; setting the counts of a `Progress` calls no user code.
    package static func alone<Result>(_ body: () -> Result) -> Result { lock.withLock { _ in body() } }

    /// The largest value given to a `Progress`, up to which Foundation's arithmetic, with a parent's too, is exact.
    private static let largest: Int64 = 1 << 53

    /// Returns counts on which Foundation's arithmetic does not trap.
    ///
    /// A total that is zero or less, or larger than `largest`, counts as unknown, which is -1.
    package static func units(completed: Int64, total: Int64?) -> (completed: Int64, total: Int64) {
        let completed = min(max(completed, 0), largest)
        guard let total, total > 0, total <= largest else { return (completed, -1) }
        return (completed, max(total, completed))
    }
}
