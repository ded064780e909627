/// The engine's view of a task; all methods are called on the thread that has the engine, and must not block.
protocol ExchangeClient: AnyObject, Sendable {
    /// Whether the task is suspended; the command `suspensionChanged` follows each change.
    var exchangeIsSuspended: Bool { get }
    /// Whether the client keeps the whole body in memory.
    var exchangeCollectsBody: Bool { get }
    /// Whether the engine's thread should build responses in advance, because the delegate queue is waiting for them.
    var exchangeWantsPrebuiltResponse: Bool { get }
    /// Whether the client wants to receive interim responses.
    var exchangeWantsInterimResponses: Bool { get }
    /// An interim response has arrived; the final one follows.
    func exchange(didReceiveInterim response: HTTPURLResponse)
    /// The final response has arrived and its body follows.
    func exchange(didReceive response: ReceivedResponse)
    /// The body of the response is going to be written to a file; `partial` is nil if it could not be continued.
    func exchange(willWrite partial: DurableRecord.Partial?)
    /// The exchange will fail because of a response whose body does not follow.
    func exchange(didRefuse response: ReceivedResponse)
    /// The body continues after `offset` bytes that an earlier task has received.
    func exchange(didResumeAt offset: ByteCount, expectedTotal: ByteCount?)
    /// Receives bytes of the body, and returns whether there is room for more; if not, the engine waits for `readMore`.
    func exchange(didReceive bytes: UnsafeRawBufferPointer) -> Flow
    /// Bytes of the body have been written to the task's file.
    func exchange(didWrite count: ByteCount)
    /// Bytes of the request's body have been passed to the network; `expected` is the length of the body, if known.
    func exchange(didSend count: ByteCount, expected: ByteCount?)
    /// The request's body is sent again from its first byte.
    func exchangeDidRewindBody()
    /// An attempt sends this request with fields that replace its own, and with those that are added where it has none.
    func exchange(
        willSend request: URLRequest,
        setting replacements: [HeaderField],
        adding additions: [HeaderField],
        bodyLength: ByteCount?
    )
    /// The server redirects; the engine waits for the command `redirect`.
    func exchange(willRedirect response: HTTPURLResponse, to request: URLRequest)
    /// The server or the proxy asks for a credential; the engine waits for the command `authenticate`.
    func exchange(willAuthenticate question: AuthenticationQuestion)
    /// Whether the user receives nothing of a response before the exchange is over, so that another can replace it.
    var exchangeDeliversAtEnd: Bool { get }
    /// An attempt has failed and is followed by another one.
    func exchange(willRetry retry: TransferMetrics.Retry)
    /// The deadline of the call has passed, so that the client does not wait for its delegate any more.
    func exchangeDidExceedDeadline()
    /// What was received of the response's body is discarded, since the next attempt starts again.
    func exchangeDidDiscardBody()
    /// A new stream of the request's body is needed; the engine waits for the command `bodyStream`.
    func exchangeNeedsBodyStream()
    /// Returns what the client has of a body that becomes a download, and removes it from the client.
    func exchangeTakesBuffer() -> Data
    /// The body goes to a file from now on, where its first `count` bytes are; `file` is set if it is complete.
    func exchange(didBecomeDownloadWith count: ByteCount, finished file: DownloadFile?)
    /// An attempt has ended, with these metrics.
    func exchange(didCollect transaction: TransferMetrics.Transaction, redirectCount: Int)
    /// The exchange was cancelled by the client; the data continues it, if that is possible.
    func exchange(didCancelProducing resumeData: Data?)
    /// The response is complete and may be stored, unless the client's delegate declines.
    func exchange(willCache candidate: CacheCandidate)
    /// The exchange is over; `file` has the body of a download.
    func exchange(didFinishWith error: (any Error)?, file: DownloadFile?)
}

/// Whether a client can take more of a body.
enum Flow: Sendable {
    case more
    case wait
    /// There is not enough memory for the bytes.
    case noMemory
    /// The body is larger than the client accepts.
    case tooLarge
}
