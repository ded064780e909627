import FerrySession

/// Everything about an operation that changes; guarded by its lock.
struct OperationRecord: Sendable {
    /// What is told at the end, and to whom.
    struct Farewell: Sendable {
        let handler: (@Sendable (RequestOperation) -> Void)?
        let completionBlock: (@Sendable () -> Void)?
        let token: CompletionToken?
        /// Nothing of it is called any more; what its closures hold is let go of with it.
        let settings: OperationSettings
        let progress: ProgressReporter?
    }

    var machine = OperationMachine()
    var request: URLRequest
    var settings = OperationSettings()
    var body = ReceivedBody()

    /// The transfer under way; events of any other come too late.
    var transfer: OperationTransfer?

    /// What went wrong, as far as the transfer knows.
    var error: NetworkError?

    /// Counts what has arrived, across all pauses.
    var progress: ProgressReporter?

    /// Whether the request's own body stream has been read from.
    var hasUsedBodyStream = false

    /// Whether somebody is telling the changes of state.
    var isPublishing = false

    private(set) var completionBlock: (@Sendable () -> Void)?
    private var handler: (@Sendable (RequestOperation) -> Void)?
    private var observers: [@Sendable (RequestOperation) -> Void] = []
    private var isTold = false
    private var token: CompletionToken?

    /// Begins an operation.
    init(request: URLRequest) {
        self.request = request
    }

    /// Goes on with an operation from an archive.
    init(_ archive: OperationArchive) {
        request = archive.request
        machine = OperationMachine(state: archive.state, isCancelled: archive.isCancelled)
        body = archive.body
        error = archive.error
    }

    /// Takes the start, and enters the manager's completion group the first time unless the operation has its own.
    mutating func start(defaultGroup: DispatchGroup) -> OperationMachine.Effect {
        let wasDelivered = machine.isDelivered
        let effect = machine.take(.start)
        if token == nil, !wasDelivered { token = CompletionToken(defaultGroup) }
        return effect
    }

    /// Sets the completion group, and enters it at once: whoever waits for it waits for the operation.
    mutating func setCompletionGroup(_ group: DispatchGroup?) {
        settings.completionGroup = group
        token = machine.isDelivered ? nil : group.map(CompletionToken.init)
    }

    /// Ends the transfer with an error or without; false if it is not the one under way or the end has begun already.
    mutating func endTransfer(_ ended: OperationTransfer?, error: NetworkError?) -> Bool {
        guard transfer === ended, machine.take(.transferEnd) == .conclude else { return false }
        transfer = nil
        if let error { self.error = error }
        return true
    }

    /// Sets what is called at the end, and gives what was set; nothing is kept for an end that has come.
    mutating func setCompletionBlock(_ block: (@Sendable () -> Void)?) -> (@Sendable () -> Void)? {
        defer { completionBlock = machine.isDelivered ? nil : block }
        return completionBlock
    }

    /// Sets the handler of the end, and gives what was set; nothing is kept for an end that has come.
    mutating func setHandler(
        _ new: @escaping @Sendable (RequestOperation) -> Void
    ) -> (isKept: Bool, old: (@Sendable (RequestOperation) -> Void)?) {
        guard !machine.isDelivered else { return (false, nil) }
        defer { handler = new }
        return (true, handler)
    }

    /// Adds somebody to be told after handler and block have run; false if they have.
    mutating func addObserver(_ observer: @escaping @Sendable (RequestOperation) -> Void) -> Bool {
        guard !isTold else { return false }
        observers.append(observer)
        return true
    }

    /// Hands out what is to be told, and lets go of all closures.
    mutating func takeFarewell() -> Farewell {
        defer {
            (handler, completionBlock, token, progress) = (nil, nil, nil, nil)
            settings.releaseClosures()
        }
        return Farewell(
            handler: handler,
            completionBlock: completionBlock,
            token: token,
            settings: settings,
            progress: progress
        )
    }

    /// Notes that handler and block have run, and hands out those who wait for that.
    mutating func takeObservers() -> [@Sendable (RequestOperation) -> Void] {
        isTold = true
        defer { observers = [] }
        return observers
    }
}
