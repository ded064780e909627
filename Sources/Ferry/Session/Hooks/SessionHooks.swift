/// Closures for the events of a session; an event whose closure is nil is handled as if there were no hooks.
///
/// Set ``SessionManager/hooks`` at any time; a change affects the next event. Hooks run on the manager's serial
/// ``SessionManager/operationQueue``, never with a lock held, and delay the session's other callbacks.
///
/// AFNetworking: the `set…Block:` methods of `AFURLSessionManager`.
public struct SessionHooks: Sendable {
    /// Called when a session has become invalid, with the error if there was one.
    public var sessionDidBecomeInvalid: (@Sendable (URLSession, (any Error)?) -> Void)?

    /// Called when all tasks that a durable session has found at its creation are complete; not if there were none.
    ///
    /// See ``SessionManager/continueEarlierTasks()``. AFNetworking:
    /// `setDidFinishEventsForBackgroundURLSessionBlock:`.
    public var sessionDidFinishEvents: (@Sendable (URLSession) -> Void)?

    /// Decides about a challenge that concerns the connection: NTLM or Negotiate.
    ///
    /// If it is nil, ``taskDidReceiveChallenge`` decides. Server trust and client certificates are not challenges on
    /// Linux: see ``SessionManager/setSecurityPolicy(_:)``. ``ChallengeOutcome/deferred`` is treated as default
    /// handling, since this hook has no function to call later.
    public var sessionDidReceiveChallenge: (@Sendable (URLSession, URLAuthenticationChallenge) -> ChallengeOutcome)?

    // MARK: - Task

    /// Decides about a challenge.
    ///
    /// The last argument is a function to call with the outcome, after the hook has returned
    /// ``ChallengeOutcome/deferred``.
    public var taskDidReceiveChallenge:
        (
            @Sendable (
                URLSession, URLSessionTask, URLAuthenticationChallenge, @escaping @Sendable (ChallengeOutcome) -> Void
            ) -> ChallengeOutcome
        )?

    /// Returns a stream that begins at the start of the body; nil leaves it to the task.
    public var taskNeedsNewBodyStream: (@Sendable (URLSession, URLSessionTask) -> InputStream?)?

    /// Returns the request to follow a redirect with; nil refuses it, and the redirect becomes the response.
    public var taskWillPerformRedirection:
        (@Sendable (URLSession, URLSessionTask, HTTPURLResponse, URLRequest) -> URLRequest?)?

    /// Called with the number of bytes sent now, sent so far and to be sent; the last is nil if it is unknown.
    public var taskDidSendBodyData: (@Sendable (URLSession, URLSessionTask, Int64, Int64, Int64?) -> Void)?

    /// Called when a task has ended, with the error of the transport, before the completion handler.
    public var taskDidComplete: (@Sendable (URLSession, URLSessionTask, (any Error)?) -> Void)?

    /// Called with the metrics of a task, immediately before ``taskDidComplete``.
    ///
    /// FoundationNetworking neither fills its `URLSessionTaskMetrics` nor lets other code do so.
    public var taskDidFinishCollectingMetrics: (@Sendable (URLSession, URLSessionTask, TaskMetrics) -> Void)?

    // MARK: - Data task

    /// Decides how to proceed after a response.
    public var dataTaskDidReceiveResponse:
        (@Sendable (URLSession, URLSessionDataTask, URLResponse) -> URLSession.ResponseDisposition)?

    /// Called when a data task has become a download task.
    public var dataTaskDidBecomeDownloadTask:
        (@Sendable (URLSession, URLSessionDataTask, URLSessionDownloadTask) -> Void)?

    /// Called with each piece of a body, after the task has received it.
    public var dataTaskDidReceiveData: (@Sendable (URLSession, URLSessionDataTask, Data) -> Void)?

    /// Returns the response to cache, nil for none; it is called only for a response that the session would store.
    public var dataTaskWillCacheResponse:
        (@Sendable (URLSession, URLSessionDataTask, CachedURLResponse) -> CachedURLResponse?)?

    // MARK: - Download task

    /// Returns the destination of a downloaded file, in place of the task's; nil leaves it to the task.
    ///
    /// The file is moved there after validation. An existing file is not replaced.
    public var downloadTaskDidFinishDownloading: (@Sendable (URLSession, URLSessionDownloadTask, URL) -> URL?)?

    /// Called with the number of bytes written now, written so far and expected; the last is nil if it is unknown.
    public var downloadTaskDidWriteData: (@Sendable (URLSession, URLSessionDownloadTask, Int64, Int64, Int64?) -> Void)?

    /// Called when a download resumes, with the offset and the expected length; the latter is nil if it is unknown.
    public var downloadTaskDidResume: (@Sendable (URLSession, URLSessionDownloadTask, Int64, Int64?) -> Void)?

    /// Creates hooks without any closure.
    public init() {}
}

/// The hooks of one task, which come before the manager's; they run on the manager's operation queue.
package struct TaskHooks: Sendable {
    /// Decides about a challenge, as ``SessionHooks/taskDidReceiveChallenge``; nil leaves it to the manager's hooks.
    package var didReceiveChallenge:
        (@Sendable (URLAuthenticationChallenge, @escaping @Sendable (ChallengeOutcome) -> Void) -> ChallengeOutcome?)?
    /// Returns the request to follow a redirect with; nil refuses it.
    package var willPerformRedirection: (@Sendable (HTTPURLResponse, URLRequest) -> URLRequest?)?
    /// Returns the response to cache; nil caches nothing.
    package var willCacheResponse: (@Sendable (CachedURLResponse) -> CachedURLResponse?)?

    /// Creates hooks without any closure.
    package init() {}
}

/// The decision about an authentication challenge.
///
/// AFNetworking: the values its authentication challenge handler returns.
public enum ChallengeOutcome: Sendable {
    /// Uses a credential.
    case useCredential(URLCredential)

    /// Handles the challenge as if there were no hook.
    case performDefaultHandling

    /// Cancels the task, which completes with this error as the ``NetworkError/underlyingError`` of its error.
    case cancel(any Error)

    /// Rejects this protection space, so that the next one is tried.
    case rejectProtectionSpace

    /// Decides later: the hook must call the function it was given, once and from any thread.
    case deferred
}
