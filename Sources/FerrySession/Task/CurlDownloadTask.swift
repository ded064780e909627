/// A `URLSessionDownloadTask` that the engine drives.
///
/// FoundationNetworking's class is only the face: state and behaviour are the core's. Its kinds of task have no common
/// class that could be extended once, so each forwards by itself. `@unchecked Sendable` like its superclass: all it
/// has is the core, which is `Sendable`.
public final class CurlDownloadTask: URLSessionDownloadTask, CurlTask, @unchecked Sendable {
    let core: TaskCore

    init(core: TaskCore) {
        self.core = core
        super.init()
        core.attach(self)
    }

    public override func resume() { core.resume() }
    public override func suspend() { core.suspend() }
    public override func cancel() { core.cancel() }

    /// Cancels the download and gives what it takes to continue it.
    ///
    /// The handler gets `nil` where the server's response cannot be continued: it has neither a strong entity tag nor a
    /// strong date, or is encoded. It runs on the delegate queue, before the completion. The data holds the request's
    /// headers and names the partial file, which is kept for it.
    public override func cancel(byProducingResumeData completionHandler: @escaping (Data?) -> Void) {
        core.cancel(producing: UncheckedHandler(completionHandler))
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
    public override var priority: Float {
        get { core.priority }
        set { core.priority = newValue }
    }
    public override var delegate: (any URLSessionTaskDelegate)? {
        get { core.delegate }
        set { core.delegate = newValue }
    }
}
