import FerrySession

/// What can be set on a manager at any time; a task takes a copy when it is made.
struct SessionSettings: Sendable {
    var responseSerializer: any ResponseSerializer
    var completionQueue = ManagerQueues.completion
    var completionGroup = DispatchGroup()
    var progressQueue: DispatchQueue?
    var hooks = SessionHooks()
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
