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

    deinit {
        core.taskWasReleased()
    }

    /// Starts the task, or lets it go on after as many calls as it was suspended by.
    public override func resume() { core.resume() }

    /// Stops the bytes in both directions, and the deadlines with them, until the task is resumed.
    public override func suspend() { core.suspend() }

    /// Ends the task with `URLError.cancelled`; where it has ended, nothing happens.
    public override func cancel() { core.cancel() }

    /// Cancels the download and gives what it takes to continue it.
    ///
    /// The handler gets `nil` where the server's response cannot be continued: it has neither a strong entity tag nor a
    /// strong date, or is encoded. It runs on the delegate queue, before the completion. The data holds the request's
    /// headers and names the partial file, which is kept for it.
    public override func cancel(byProducingResumeData completionHandler: @escaping (Data?) -> Void) {
        core.cancel(producing: UncheckedHandler(completionHandler))
    }

    /// A number that no other task of the session has.
    public override var taskIdentifier: Int { core.identifier }

    /// Whether the task runs, is suspended, is being cancelled, or has completed.
    public override var state: URLSessionTask.State { core.publicState }

    /// The error the task has ended with; `nil` before, and after a success.
    public override var error: (any Error)? { core.error }

    /// The request the task was made with; `nil` for a download whose resume data cannot be used.
    public override var originalRequest: URLRequest? { core.originalRequest }

    /// The request that was sent last, after redirections and answers to challenges.
    public override var currentRequest: URLRequest? { core.currentRequest }

    /// The response; `nil` until its head has come.
    public override var response: URLResponse? { core.response }

    /// How many bytes of the body have come.
    public override var countOfBytesReceived: Int64 { core.countOfBytesReceived }

    /// How many bytes of the request's body have been sent.
    public override var countOfBytesSent: Int64 { core.countOfBytesSent }

    /// How many bytes the response's body will have; -1 where that is not known.
    public override var countOfBytesExpectedToReceive: Int64 { core.countOfBytesExpectedToReceive }

    /// How many bytes the request's body has; -1 where that is not known.
    public override var countOfBytesExpectedToSend: Int64 { core.countOfBytesExpectedToSend }

    /// The program's own guess of what will come; it changes nothing.
    public override var countOfBytesClientExpectsToReceive: Int64 {
        get { core.clientExpectsToReceive }
        set { core.clientExpectsToReceive = newValue }
    }

    /// The program's own guess of what will be sent; it changes nothing.
    public override var countOfBytesClientExpectsToSend: Int64 {
        get { core.clientExpectsToSend }
        set { core.clientExpectsToSend = newValue }
    }

    /// The progress of the task, which can cancel, pause and resume it.
    public override var progress: Progress { core.tied(super.progress) }

    /// How this task ranks among those that wait for a connection; it counts when the task starts.
    public override var priority: Float {
        get { core.priority }
        set { core.priority = newValue }
    }

    /// The delegate of this task alone, else the session's.
    public override var delegate: (any URLSessionTaskDelegate)? {
        get { core.delegate }
        set { core.delegate = newValue }
    }
}
