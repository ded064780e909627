/// A request as an `Operation`: it can be queued, prioritized, paused, resumed, cancelled, archived and copied.
///
/// ```swift
/// let operation = RequestOperation(request: URLRequest(url: url))
/// operation.completionBlock = { print(operation.responseString ?? "nothing") }
/// queue.addOperation(operation)
/// ```
///
/// It runs on a `SessionManager`: data arrives on the manager's one serial operation queue, and no operation has its
/// own thread. Set the operation up before it is started; its closures except ``newBodyStream`` may also be set while
/// it runs, and are released once it has finished. All members may be used from any thread.
///
/// ``pause()`` keeps the part that has arrived, and ``resume()`` requests the rest of the same entity where that is
/// safe. A paused operation keeps its place in its queue.
///
/// Do not call `start()` on an operation that is in a queue: Foundation does not support that.
///
/// AFNetworking: `AFURLConnectionOperation`.
open class RequestOperation: Operation, NSSecureCoding, NSCopying, @unchecked Sendable {
    // Unchecked since the class is open and Operation's own conformance is; its own state is locked or immutable.

    /// The manager of operations made without one.
    public static let defaultManager = SessionManager()

    /// The mutable state.
    package let record: Mutex<OperationRecord>

    /// The manager that runs the operation's requests.
    public let manager: SessionManager

    /// Creates an operation that is ready, and uses the manager's session, interceptors, hooks and queues.
    public required init(request: URLRequest, manager: SessionManager = RequestOperation.defaultManager) {
        self.manager = manager
        record = Mutex(OperationRecord(request: request))
        super.init()
    }

    /// Creates an operation from the result of ``archivedData()``; it is finished if the archived one was, and ready
    /// otherwise.
    ///
    /// If finished, it delivers its end when it is started or queued; operations that depend on it are not ready
    /// before.
    ///
    /// Closures, streams and the manager are not archived. A response serializer is archived if it is one of Ferry's
    /// for data, JSON, property lists, text or images, or a compound of those, and has no closures. The destination of
    /// an output stream is not archived either: to continue there, set a stream that still contains the body's bytes so
    /// far and any earlier contents.
    ///
    /// - Parameters:
    ///   - data: The archive; invalid data is safe.
    ///   - manager: The manager that runs the request.
    /// - Throws: `NetworkError` with `NetworkError.Code.decodingFailed` if the data is not an archive of an
    ///   operation, or is damaged.
    public required init(
        archivedData data: Data,
        manager: SessionManager = RequestOperation.defaultManager
    ) throws(NetworkError) {
        let archive = try OperationArchive(data)
        self.manager = manager
        record = Mutex(OperationRecord(archive))
        super.init()
        archivedSerializer = archive.serializer
    }

    /// Creates an operation from a keyed archive; nil if the archive contains none.
    ///
    /// A malicious keyed archive may end the process within Foundation's unarchiver; ``init(archivedData:manager:)`` is
    /// safe for any data.
    ///
    /// - Parameter coder: The unarchiver.
    public required init?(coder: NSCoder) {
        let archive: OperationArchive
        do {
            guard let data = coder.decodeObject(of: NSData.self, forKey: Self.archiveKey) else {
                throw NetworkError(.decodingFailed, message: "The archive contains no operation")
            }
            archive = try OperationArchive(Data(referencing: data))
        } catch {
            // Under the other policy, `failWithError` ends the process.
            if coder.decodingFailurePolicy == .setErrorAndReturn { coder.failWithError(error) }
            return nil
        }
        manager = RequestOperation.defaultManager
        record = Mutex(OperationRecord(archive))
        super.init()
        archivedSerializer = archive.serializer
    }

    /// Parses the response once the transfer has succeeded; runs on the processing queue.
    func parseResponse() {}

    /// The part of the response serializer that an archive keeps.
    var archivedSerializer: ArchivedSerializer? {
        get { nil }
        set {}
    }

    /// The greatest number of bytes of a body that are collected; nil for no limit.
    var maximumBodySize: Int? { nil }

    /// The error with which the operation failed; nil before the end, or if there was none.
    public var error: NetworkError? { record.withLock { $0.error } }

    /// The server's response; after a pause, the response to which the rest of the body is appended.
    public var response: URLResponse? { record.withLock { $0.body.response } }

    /// Returns a new operation, ready, with the same request, manager, closures and settings.
    ///
    /// The copy, which is meant for trying again, has no output stream and no completions. The closures of an operation
    /// that has finished are not copied either, because they have been released. A body stream is copied if it conforms
    /// to `NSCopying`, as that of a form does, or if its body can be made again. For any other stream, and for that of
    /// a form with a part that can be read only once, ``newBodyStream`` is called.
    ///
    /// - Parameter zone: Not used.
    /// - Returns: An operation of the same class.
    open func copy(with zone: NSZone? = nil) -> Any {
        var request = request
        // A stream can be read only once, by this operation.
        let stream = request.httpBodyStream
        let copiedStream = stream?.replayed
        if let copiedStream { request.httpBodyStream = copiedStream }
        let copy = type(of: self).init(request: request, manager: manager)
        let settings = record.withLock { $0.settings }
        let isStreamSpent = stream != nil && copiedStream == nil
        copy.record.withLock { record in
            record.settings = settings
            record.settings.output = nil
            record.setCompletionGroup(settings.completionGroup)
            record.hasUsedBodyStream = isStreamSpent
        }
        return copy
    }

    // MARK: - Operation

    /// A Boolean value that indicates whether the operation is ready and its dependencies have finished.
    override open var isReady: Bool {
        // As in Foundation, a finished operation is also ready, so that its queue can remove it.
        let state = state
        return (state == .ready || state == .finished) && super.isReady
    }

    /// A Boolean value that indicates whether the operation is running.
    override open var isExecuting: Bool { state == .executing }

    /// A Boolean value that indicates whether the operation has finished.
    override open var isFinished: Bool { state == .finished }

    /// A Boolean value that indicates whether the operation has been cancelled.
    override open var isCancelled: Bool { record.withLock { $0.machine.isCancelled } }

    /// A Boolean value that is always true: starting does not wait for the request.
    override open var isAsynchronous: Bool { true }

    /// A closure called once, on the ``completionQueue``, after the operation has finished, and then released.
    override open var completionBlock: (@Sendable () -> Void)? {
        get { record.withLock { $0.completionBlock } }
        set {
            let old = record.withLock { $0.setCompletionBlock(newValue) }
            withExtendedLifetime(old) {}
        }
    }

    /// Starts the operation if it is ready.
    override open func start() {
        let effect = record.withLock { $0.start(defaultGroup: manager.completionGroup) }
        publishChanges()
        perform(effect)
    }

    /// Cancels the operation, which ends with `NetworkError.Code.cancelled` (-999).
    ///
    /// If it has not been started, it ends when its queue or its owner starts it.
    override open func cancel() {
        let effect = record.withLock { $0.machine.cancel() }
        super.cancel()
        publishChanges()
        perform(effect)
    }

    /// A textual representation of the operation.
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
        // The stream is still open only if the operation never finished.
        try? record.withLock { $0.settings.output }?.close()
    }

    // MARK: - Results

    /// The state of the operation.
    public var state: State { record.withLock { $0.machine.state } }

    /// A Boolean value that indicates whether the operation is paused.
    public var isPaused: Bool { state == .paused }

    /// The number of bytes of the response's body that have arrived, before and after pauses.
    public var byteCount: Int64 { record.withLock { $0.body.byteCount } }

    /// The part of the body that has arrived.
    ///
    /// Nil without a response, or if an output stream has received some of the body. The body in a stream to memory is
    /// available once the operation has finished.
    public var responseData: Data? {
        let (response, data, output) = record.withLock { ($0.body.response, $0.body.collected, $0.settings.output) }
        guard response != nil else { return nil }
        guard let output else { return data }
        // A stream may be read only when it is no longer written to.
        return isFinished ? output.memory : nil
    }

    /// The body as text in the ``responseStringEncoding``; nil without a body, or if it is not valid in that encoding.
    public var responseString: String? { responseData.flatMap { Charset.string($0, encoding: responseStringEncoding) } }

    /// The character encoding the response names; UTF-8 if it names none or an unknown one.
    public var responseStringEncoding: String.Encoding {
        record.withLock { $0.body.response }?.declaredEncoding ?? .utf8
    }
}

extension RequestOperation: CustomReflectable {
    /// The description, since `dump` would print the secrets of the request and of the manager.
    public var customMirror: Mirror {
        Mirror(self, children: ["description": description], ancestorRepresentation: .suppressed)
    }
}
