import Foundation

/// The settings of a manager that may change at any time.
///
/// Most are read when a task is made; the hooks are read at each event.
struct SessionSettings: Sendable {
    var responseSerializer: any ValidatingResponseSerializer
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

    /// Copies the settings that decide how requests are made and validated; hooks, monitors and queues stay.
    mutating func take(_ original: SessionSettings) {
        responseSerializer = original.responseSerializer
        adapters = original.adapters
        securityPolicy = original.securityPolicy
        waitsForConnectivity = original.waitsForConnectivity
    }
}

/// A manager's hooks in one object: they are read for every callback, and a copy would retain two dozen closures.
final class HookTable: Sendable {
    let hooks: SessionHooks

    init(_ hooks: SessionHooks) {
        self.hooks = hooks
    }
}
