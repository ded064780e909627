/// The source from which a ``ReachabilityManager`` learns the status; tests can provide their own.
public protocol ReachabilitySource: AnyObject, Sendable {
    /// Starts watching.
    ///
    /// It is not called again before ``stop()``.
    ///
    /// - Parameter report: A closure to call with the current status soon, and with the status after each change, from
    ///   any thread; it may be called several times with the same status.
    func start(_ report: @escaping @Sendable (ReachabilityStatus) -> Void)

    /// Stops watching and releases its resources; it must not block.
    func stop()
}
