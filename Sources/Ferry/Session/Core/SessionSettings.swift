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
}
