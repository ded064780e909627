import FerrySession

/// The settings of a manager that may change at any time.
///
/// Most are read when a task is made; the hooks are read at each event.
struct ManagerSettings: Sendable {
    var responseSerializer: any ValidatingResponseSerializer = JSONResponseSerializer()
    var completionQueue = ManagerQueues.completion
    var completionGroup = DispatchGroup()
    var progressQueue: DispatchQueue?
    var hooks: SessionHooks {
        get { hookTable.hooks }
        set { hookTable = HookTable(newValue) }
    }
    private(set) var hookTable = HookTable(SessionHooks())
    var monitor = CompositeEventMonitor([])
    var adapters: [any RequestAdapter] = []
    var securityPolicy = SecurityPolicy()
    var waitsForConnectivity = false
    /// The policy, interceptors and deadline of all tasks; nil if none is set.
    var recovery: RecoverySettings?

    /// Copies the settings that decide how requests are made and validated; hooks, monitors and queues stay.
    ///
    /// - Returns: The settings before, to be released without the lock: they contain objects of the user.
    mutating func take(_ original: ManagerSettings) -> ManagerSettings {
        let old = self
        responseSerializer = original.responseSerializer
        adapters = original.adapters
        securityPolicy = original.securityPolicy
        waitsForConnectivity = original.waitsForConnectivity
        recovery = original.recovery
        return old
    }
}

/// A manager's hooks in one object: they are read for every callback, and a copy would retain two dozen closures.
final class HookTable: Sendable {
    let hooks: SessionHooks

    init(_ hooks: SessionHooks) { self.hooks = hooks }
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
