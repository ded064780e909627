/// The settings of a manager that may change at any time.
///
/// They are read when a task is made. Hooks and monitors are not among them: they are read at each event.
struct ManagerSettings: Sendable {
    var responseSerializer: any ValidatingResponseSerializer = JSONResponseSerializer()
    var completionQueue = ManagerQueues.completion
    var completionGroup = DispatchGroup()
    var progressQueue: DispatchQueue?
    var securityPolicy = SecurityPolicy()
    var waitsForConnectivity = false
    /// The policy, interceptors and deadline of all tasks; nil if none is set.
    var recovery: RecoverySettings?
    var hedging: Hedging?

    /// Copies the settings that decide how requests are made and validated, but not the queues and the group; returns
    /// the old ones, to be released without the lock: they contain objects of the user.
    mutating func take(_ original: ManagerSettings) -> ManagerSettings {
        let old = self
        responseSerializer = original.responseSerializer
        securityPolicy = original.securityPolicy
        waitsForConnectivity = original.waitsForConnectivity
        recovery = original.recovery
        hedging = original.hedging
        return old
    }
}

/// The queues shared by all managers.
///
/// They have the same quality of service as operation queues by default, and so use the same threads. With a different
/// one, each completion would wake a thread of another pool.
package enum ManagerQueues {
    /// The concurrent queue on which responses are validated and decoded.
    package static let processing = DispatchQueue(label: "ferry.processing", attributes: .concurrent)

    /// The default queue of completion handlers, which is concurrent.
    ///
    /// It is not the main queue, so that requests also complete in a program that blocks its main thread.
    package static let completion = DispatchQueue(label: "ferry.completion", attributes: .concurrent)

    /// Returns a new serial queue for the delegate callbacks of one manager.
    static func makeOperationQueue() -> OperationQueue {
        let queue = OperationQueue()
        queue.name = "ferry.session"
        queue.maxConcurrentOperationCount = 1
        return queue
    }
}
