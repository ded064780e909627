/// A report of a call to its task, on the thread that has the engine.
///
/// Cases that are large and rare are `indirect`, so that the type is small.
enum CallReport {
    case sends(CurrentRequest, bodyLength: ByteCount?)
    /// An event for the delegate; other reports also change the state of the task.
    ///
    /// If the event is a question, the call waits for a command with the answer.
    case event(TaskEvent)
    /// The final response has arrived and its body follows.
    case response(ReceivedResponse)
    /// The call will fail because of a response whose body does not follow.
    case refused(ReceivedResponse)
    /// The body of the response is going to be written to a file; `nil` if it could not be continued.
    case writes(DurableRecord.Partial?)
    /// The server redirects; the call waits for the command `redirect`. The body is the one of the request before, if
    /// the network has sent that.
    indirect case redirect(HTTPURLResponse, URLRequest, BodySource?)
    /// An attempt has failed and is followed by another one.
    indirect case retries(TaskMetrics.Retry)
    /// An attempt has failed and is not followed by another one, for the reason in this text.
    indirect case notRetried(String)
    /// The received part of the response's body is discarded, since the next attempt starts again.
    case discardsBody
    /// The deadline of the call has passed, so that the client does not wait for its delegate any more.
    case exceedsDeadline
    /// The body goes to a file from now on, where its first `count` bytes are; `finished` is set if it is complete.
    case becameDownload(ByteCount, finished: DownloadFile?)
    /// The response is complete and may be stored, unless the client's delegate declines.
    indirect case stores(CacheCandidate)
    /// The call was cancelled by the client; the data continues it, if that is possible.
    case cancelled(resumeData: Data?)
    /// The call is over; `file` has the body of a download.
    case finished((any Error)?, file: DownloadFile?)
}

/// A task, as its call uses it; all members are used on the thread that has the engine, and must not block.
protocol CallClient: AnyObject, Sendable {
    /// Whether the task is suspended; the command `suspensionChanged` follows each change.
    var isSuspended: Bool { get }
    /// Whether the client keeps the whole body in memory.
    var collectsBody: Bool { get }
    /// Whether the user receives nothing of a response before the call is over, so that another can replace it.
    var deliversAtEnd: Bool { get }
    /// Whether the engine's thread should build responses in advance, because the delegate queue is waiting for them.
    var wantsPrebuiltResponse: Bool { get }
    var wantsInterimResponses: Bool { get }
    func receive(_ report: CallReport)
    func receive(_ transaction: TaskMetrics.Transaction)
    /// Receives bytes of the body, and returns whether there is room for more; if not, the call waits for `readMore`.
    ///
    /// A client that is read slowly has no room when `limit` bytes are unread.
    func receive(_ bytes: UnsafeRawBufferPointer, limit: Int) -> Flow
    /// Returns a function that stores a response as the user says, also after the end of the client.
    func makeStoring() -> @Sendable (CacheCandidate) -> Void
    /// Removes the client's part of a body that becomes a download, and returns it.
    func takeBuffer() -> Data
}

extension CallClient {
    /// Moves what the client has of a body to a new file, where the rest goes too unless the body is whole.
    func becomeDownload(in folder: URL, for url: URL?, isWhole: Bool) throws(URLError) -> DownloadFile {
        let kept = takeBuffer()
        let file = try DownloadFile(keeping: kept, in: folder, for: url, isWhole: isWhole)
        receive(.becameDownload(ByteCount(clamping: kept.count), finished: isWhole ? file : nil))
        return file
    }

    /// Reports that the body could not become a download.
    func failToBecomeDownload(_ error: URLError) {
        // The failure comes first: becoming a download resumes delivery, and a queued success could overtake it.
        receive(.finished(error, file: nil))
        receive(.becameDownload(.zero, finished: nil))
    }
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
