import Testing

extension Trait where Self == ConditionTrait {
    /// A condition for tests of pure functions that take long with the thread sanitizer.
    ///
    /// These functions use no locks, threads or tasks, so the sanitizer could find nothing.
    package static var pure: Self {
        .disabled(if: ProcessUsage.isThreadSanitized, "A single thread runs pure functions")
    }
}
