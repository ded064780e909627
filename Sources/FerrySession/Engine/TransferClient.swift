/// All that the engine knows of a task.
///
/// Every call comes on the engine's thread, and none may block.
protocol TransferClient: AnyObject, Sendable {
    /// Whether the task is to rest; it may change at any time, which a command tells.
    var transferIsSuspended: Bool { get }

    /// Whether the client keeps the whole body in memory.
    var transferCollectsBody: Bool { get }

    /// Whether the engine is to help with making responses, since a queue waits for them.
    var transferWantsResponseEarly: Bool { get }

    /// The final response has come; its body follows. A replacement takes the place of one whose body is forgotten.
    func transfer(didReceive response: ReceivedResponse, isReplacement: Bool)

    /// The body goes on behind `offset` bytes that an earlier task has received.
    func transfer(didResumeAt offset: ByteCount, expectedTotal: ByteCount?)

    /// A piece of the body has come. Answers whether there is room for more; if not, the engine waits to be told.
    func transfer(didReceive bytes: UnsafeRawBufferPointer) -> Flow

    /// A piece of the body has been written to the task's file.
    func transfer(didWrite count: ByteCount)

    /// A piece of the request's body has been handed to the network.
    func transfer(didSend count: ByteCount, expected: ByteCount?)

    /// The request's body starts again from its first byte.
    func transferDidRewindBody()

    /// A new attempt goes out with this request.
    ///
    /// The additional fields are the session's; each goes along unless the request has a field of its name.
    func transfer(willSend request: URLRequest, adding fields: [HeaderField], bodyLength: ByteCount?)

    /// The server redirects; the engine waits for an answer.
    func transfer(willRedirect response: HTTPURLResponse, to request: URLRequest)

    /// The server or the proxy wants a credential; the engine waits for an answer.
    func transfer(willAuthenticate question: AuthenticationQuestion)

    /// The request's body is wanted as a new stream; the engine waits for an answer.
    func transferNeedsBodyStream()

    /// Gives away what the client holds of a body that becomes a download.
    func transferTakesBuffer() -> Data

    /// The body goes to a file from now on; `count` bytes are there already, all of them where the file is finished.
    func transfer(didBecomeDownloadWith count: ByteCount, finished file: DownloadFile?)

    /// An attempt has ended, and this is what it took.
    func transfer(didCollect transaction: TransferMetrics.Transaction, redirectCount: Int)

    /// The exchange is cancelled, as the client wished; the data continues it, where that is possible.
    func transfer(didCancelProducing resumeData: Data?)

    /// The response is whole and may be stored, unless the client's delegate will not have it.
    func transfer(willCache candidate: CacheCandidate)

    /// The exchange is over. `file` has the body of a download.
    func transfer(didFinishWith error: (any Error)?, file: DownloadFile?)
}

/// Whether a client can take more.
enum Flow: Sendable {
    case more
    case wait
    /// There is no memory for the bytes.
    case noMemory
    /// The body is larger than the client accepts.
    case tooLarge
}
