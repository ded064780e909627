import FerrySession

/// A request as an `Operation`: it can be queued, prioritised, paused, resumed, cancelled, archived and copied.
///
/// ```swift
/// let operation = RequestOperation(request: URLRequest(url: url))
/// operation.completionBlock = { print(operation.responseString ?? "nothing") }
/// queue.addOperation(operation)
/// ```
///
/// It runs on a ``SessionManager``: bytes arrive on the manager's one serial operation queue, and no operation has a
/// thread of its own. Set it up before it is started; its closures are released once it is finished. All members may be
/// used from any thread.
///
/// ``pause()`` keeps what has arrived, and ``resume()`` asks for the rest of the same entity where that is safe. An
/// operation that is paused keeps its place in its queue.
///
/// Do not `start()` an operation that is in a queue: Foundation does not allow for it.
///
/// AFNetworking: `AFURLConnectionOperation`.
open class RequestOperation: Operation, NSSecureCoding, NSCopying, @unchecked Sendable {
    // Unchecked since the class is open and Operation's own conformance is; its own state is locked or immutable.

    /// The manager of the operations that are made without one.
    public static let defaultManager = SessionManager()

    /// Everything that changes.
    let record: Locked<OperationRecord>

    /// What runs the operation's requests.
    public let manager: SessionManager

    /// Makes an operation, ready.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - manager: What runs it: its session, adapters, hooks and queues.
    public required init(request: URLRequest, manager: SessionManager = RequestOperation.defaultManager) {
        self.manager = manager
        record = Locked(OperationRecord(request: request))
        super.init()
    }

    /// Makes an operation from what ``archivedData()`` gave: ready, or finished if it was.
    ///
    /// Closures, streams and the manager are not archived, nor is a response serializer other than those for data, JSON,
    /// property lists and strings. Neither is where an output stream goes: one that holds as many bytes as had arrived lets the operation go on there.
    ///
    /// - Parameters:
    ///   - data: The archive; anything at all may be in it.
    ///   - manager: What runs the request.
    /// - Throws: ``NetworkError`` with ``NetworkError/Code/decodingFailed`` if this is no archive of an operation, or a
    ///   damaged one.
    public required init(
        archivedData data: Data,
        manager: SessionManager = RequestOperation.defaultManager
    ) throws(NetworkError) {
        let archive = try OperationArchive(data)
        self.manager = manager
        record = Locked(OperationRecord(archive))
        super.init()
        archivedSerializer = archive.serializer
    }

    /// Makes an operation from a keyed archive; nil if there is none in it.
    ///
    /// A keyed archive that somebody has tampered with may end the process within Foundation's unarchiver:
    /// ``init(archivedData:manager:)`` takes any bytes.
    ///
    /// - Parameter coder: The unarchiver.
    public required init?(coder: NSCoder) {
        let archive: OperationArchive
        do {
            guard let data = coder.decodeObject(of: NSData.self, forKey: Self.archiveKey) else {
                throw NetworkError(.decodingFailed, message: "The archive holds no operation")
            }
            archive = try OperationArchive(Data(referencing: data))
        } catch {
            // Under the other policy a failure ends the process.
            if coder.decodingFailurePolicy == .setErrorAndReturn { coder.failWithError(error) }
            return nil
        }
        manager = RequestOperation.defaultManager
        record = Locked(OperationRecord(archive))
        super.init()
        archivedSerializer = archive.serializer
    }

    /// Parses the response once the transfer has succeeded; runs on the processing queue.
    func parseResponse() {}

    /// What an archive keeps of the response serializer.
    var archivedSerializer: ArchivedSerializer? {
        get { nil }
        set {}
    }

    /// The largest body that may be collected; nil for any.
    var maximumBytes: Int? { nil }

    /// Why the operation failed; nil if it did not, or not yet.
    public var error: NetworkError? { record.withLock { $0.error } }

    /// Gives a fresh operation, ready, with the same request, manager, closures and settings.
    ///
    /// It has no output stream and no completion of its own: it is made for trying again.
    ///
    /// - Parameter zone: Not used.
    /// - Returns: An operation of the same class.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = type(of: self).init(request: request, manager: manager)
        let settings = record.withLock { $0.settings }
        copy.record.withLock { record in
            record.settings = settings
            record.settings.output = nil
            record.setCompletionGroup(settings.completionGroup)
        }
        return copy
    }

    // MARK: - Operation

    /// Whether the operation can be started: it is ready, and so are its dependencies.
    override open var isReady: Bool {
        // A finished one is ready as well, as Foundation has it: its queue lets it pass.
        let state = state
        return (state == .ready || state == .finished) && super.isReady
    }

    /// Whether the operation is on its way.
    override open var isExecuting: Bool { state == .executing }

    /// Whether the operation is at its end.
    override open var isFinished: Bool { state == .finished }

    /// Whether the operation has been cancelled.
    override open var isCancelled: Bool { record.withLock { $0.machine.isCancelled } }

    /// Always true: nothing waits for the request.
    override open var isAsynchronous: Bool { true }

    /// Called once, on the ``completionQueue``, after the operation has finished; released then.
    override open var completionBlock: (@Sendable () -> Void)? {
        get { record.withLock { $0.completionBlock } }
        set {
            let old = record.withLock { $0.setCompletionBlock(newValue) }
            withExtendedLifetime(old) {}
        }
    }

    /// Starts the operation; one that is not ready ignores it.
    override open func start() {
        let effect = record.withLock { $0.start(defaultGroup: manager.completionGroup) }
        publishChanges()
        perform(effect)
    }

    /// Cancels the operation, which ends with ``NetworkError/Code/cancelled`` (-999).
    ///
    /// One that has not been started ends so when its queue or its owner starts it.
    override open func cancel() {
        let effect = record.withLock { $0.machine.take(.cancel) }
        super.cancel()
        publishChanges()
        perform(effect)
    }

    /// What the operation is, for people to read.
    override open var description: String {
        let (state, isCancelled, request, response) = record.withLock {
            ($0.machine.state, $0.machine.isCancelled, $0.request, $0.body.response)
        }
        let status = (response as? HTTPURLResponse).map { "\($0.statusCode)" } ?? "none"
        return """
            <\(type(of: self)): \(Unmanaged.passUnretained(self).toOpaque()), state: \(state), \
            cancelled: \(isCancelled), request: \(request.url?.presentableText ?? "none"), response: \(status)>
            """
    }

    deinit {
        // Only one that never finished has its stream open still.
        try? record.withLock { $0.settings.output }?.close()
    }
}
