import FerrySession

/// What can be set on a manager at any time; a task takes a copy when it is made.
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

    /// Takes over what a copy of the manager has too: how requests are made and judged, not who is told of them.
    mutating func take(_ original: SessionSettings) {
        responseSerializer = original.responseSerializer
        adapters = original.adapters
        securityPolicy = original.securityPolicy
        waitsForConnectivity = original.waitsForConnectivity
    }
}

/// A manager's hooks behind one reference: they are looked at for every callback, and each copy of them would count two
/// dozen references up and down.
final class HookTable: Sendable {
    let hooks: SessionHooks

    init(_ hooks: SessionHooks) {
        self.hooks = hooks
    }
}
