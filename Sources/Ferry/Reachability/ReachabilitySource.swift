/// Where a ``ReachabilityManager`` learns what can be reached; tests have their own.
public protocol ReachabilitySource: AnyObject, Sendable {
    /// Begins to watch.
    ///
    /// It is not called again before ``stop()``.
    ///
    /// - Parameter report: To be called with the present status soon, and with the status after each change, from any
    ///   thread; the same status may come several times.
    func start(_ report: @escaping @Sendable (ReachabilityStatus) -> Void)

    /// Ends watching, and frees what it takes; it must not wait.
    func stop()
}
