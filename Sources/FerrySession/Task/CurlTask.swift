/// A task of ``CurlSession``, of any kind.
///
/// FoundationNetworking's classes of tasks are only interfaces: a ``TaskCore`` has the state and the behavior. They
/// have no common superclass to extend, so each subclass forwards to its core separately. The subclasses are
/// `@unchecked Sendable` like their superclasses: their only property is the core, which is `Sendable`.
protocol CurlTask: URLSessionTask {
    var core: TaskCore { get }
}

/// A `URLSessionDataTask` that the engine drives.
///
/// It is open for `WebSocketTask`; other modules cannot make one.
open class CurlDataTask: URLSessionDataTask, CurlTask, @unchecked Sendable {
    final let core: TaskCore

    package init(core: TaskCore) {
        self.core = core
        super.init()
        core.attach(self)
    }

    deinit { core.taskWasReleased() }

    /// Starts the task, or continues it once every call to `suspend()` has been matched.
    open override func resume() { core.resume() }
    /// Pauses the transfer in both directions, and its deadlines, until the task is resumed.
    open override func suspend() { core.suspend() }
    /// Cancels the task, which ends with `URLError.cancelled`; has no effect on a task that has ended.
    open override func cancel() { core.cancel() }
    /// A number that identifies the task within its session.
    open override var taskIdentifier: Int { core.identifier }
    /// The state of the task: running, suspended, being cancelled or completed.
    open override var state: URLSessionTask.State { core.publicState }
    /// The error that the task ended with, or `nil` if it has not ended or was successful.
    open override var error: (any Error)? { core.error }
    /// The request that the task was made with, or `nil` for a download whose resume data cannot be used.
    open override var originalRequest: URLRequest? { core.originalRequest }
    /// The request that was sent last, after redirects and authentication.
    open override var currentRequest: URLRequest? { core.currentRequest }
    /// The response, or `nil` until its head has arrived.
    open override var response: URLResponse? { core.response }
    /// The number of bytes of the response's body that have been received.
    open override var countOfBytesReceived: Int64 { core.countOfBytesReceived }
    /// The number of bytes of the request's body that have been sent.
    open override var countOfBytesSent: Int64 { core.countOfBytesSent }
    /// The length of the response's body in bytes, or -1 if it is not known.
    open override var countOfBytesExpectedToReceive: Int64 { core.countOfBytesExpectedToReceive }
    /// The length of the request's body in bytes, or -1 if it is not known.
    open override var countOfBytesExpectedToSend: Int64 { core.countOfBytesExpectedToSend }

    /// The number of bytes that the program expects to receive; it has no effect.
    open override var countOfBytesClientExpectsToReceive: Int64 {
        get { core.clientExpectsToReceive }
        set { core.clientExpectsToReceive = newValue }
    }

    /// The number of bytes that the program expects to send; it has no effect.
    open override var countOfBytesClientExpectsToSend: Int64 {
        get { core.clientExpectsToSend }
        set { core.clientExpectsToSend = newValue }
    }

    /// The progress of the task, which can cancel, pause and resume it.
    open override var progress: Progress { core.tied(super.progress) }

    /// The task's own delegate, or else the session's.
    open override var delegate: (any URLSessionTaskDelegate)? {
        get { core.delegate }
        set { core.delegate = newValue }
    }
}

/// A `URLSessionUploadTask` that the engine drives, with the properties and methods of ``CurlDataTask``.
package final class CurlUploadTask: URLSessionUploadTask, CurlTask, @unchecked Sendable {
    let core: TaskCore

    init(core: TaskCore) {
        self.core = core
        super.init()
        core.attach(self)
    }

    deinit { core.taskWasReleased() }

    public override func resume() { core.resume() }
    public override func suspend() { core.suspend() }
    public override func cancel() { core.cancel() }
    public override var taskIdentifier: Int { core.identifier }
    public override var state: URLSessionTask.State { core.publicState }
    public override var error: (any Error)? { core.error }
    public override var originalRequest: URLRequest? { core.originalRequest }
    public override var currentRequest: URLRequest? { core.currentRequest }
    public override var response: URLResponse? { core.response }
    public override var countOfBytesReceived: Int64 { core.countOfBytesReceived }
    public override var countOfBytesSent: Int64 { core.countOfBytesSent }
    public override var countOfBytesExpectedToReceive: Int64 { core.countOfBytesExpectedToReceive }
    public override var countOfBytesExpectedToSend: Int64 { core.countOfBytesExpectedToSend }

    public override var countOfBytesClientExpectsToReceive: Int64 {
        get { core.clientExpectsToReceive }
        set { core.clientExpectsToReceive = newValue }
    }

    public override var countOfBytesClientExpectsToSend: Int64 {
        get { core.clientExpectsToSend }
        set { core.clientExpectsToSend = newValue }
    }

    public override var progress: Progress { core.tied(super.progress) }

    public override var delegate: (any URLSessionTaskDelegate)? {
        get { core.delegate }
        set { core.delegate = newValue }
    }
}

/// A `URLSessionDownloadTask` that the engine drives, with the properties and methods of ``CurlDataTask``.
package final class CurlDownloadTask: URLSessionDownloadTask, CurlTask, @unchecked Sendable {
    let core: TaskCore

    init(core: TaskCore) {
        self.core = core
        super.init()
        core.attach(self)
    }

    deinit { core.taskWasReleased() }

    public override func resume() { core.resume() }
    public override func suspend() { core.suspend() }
    public override func cancel() { core.cancel() }

    /// Cancels the download and calls the handler with resume data, with which it can be continued.
    ///
    /// The handler receives `nil` if the download cannot be continued, for example because its response is encoded or
    /// has neither a strong entity tag nor a strong date. It runs on the delegate queue, before the task completes; if
    /// the task has already completed, it runs immediately on the calling thread. The resume data contains the
    /// request's header fields and names the partial file, which is kept.
    public override func cancel(byProducingResumeData completionHandler: @escaping (Data?) -> Void) {
        // FoundationNetworking's signature is not `@Sendable`; the handler is called once, by one thread.
        nonisolated(unsafe) let handler = completionHandler
        core.cancel { handler($0) }
    }

    public override var taskIdentifier: Int { core.identifier }
    public override var state: URLSessionTask.State { core.publicState }
    public override var error: (any Error)? { core.error }
    public override var originalRequest: URLRequest? { core.originalRequest }
    public override var currentRequest: URLRequest? { core.currentRequest }
    public override var response: URLResponse? { core.response }
    public override var countOfBytesReceived: Int64 { core.countOfBytesReceived }
    public override var countOfBytesSent: Int64 { core.countOfBytesSent }
    public override var countOfBytesExpectedToReceive: Int64 { core.countOfBytesExpectedToReceive }
    public override var countOfBytesExpectedToSend: Int64 { core.countOfBytesExpectedToSend }

    public override var countOfBytesClientExpectsToReceive: Int64 {
        get { core.clientExpectsToReceive }
        set { core.clientExpectsToReceive = newValue }
    }

    public override var countOfBytesClientExpectsToSend: Int64 {
        get { core.clientExpectsToSend }
        set { core.clientExpectsToSend = newValue }
    }

    public override var progress: Progress { core.tied(super.progress) }

    public override var delegate: (any URLSessionTaskDelegate)? {
        get { core.delegate }
        set { core.delegate = newValue }
    }
}
