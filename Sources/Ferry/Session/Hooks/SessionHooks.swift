import FerrySession

/// Closures for the events of a session; one that is not set leaves the event to the system.
///
/// Set ``SessionManager/hooks`` at any time; a change affects the next event. Hooks run on the manager's serial
/// ``SessionManager/operationQueue``, never with a lock held, and keep the session's other callbacks waiting.
///
/// AFNetworking: the `set…Block:` methods of `AFURLSessionManager`.
public struct SessionHooks: Sendable {
    // MARK: - Session

    /// Called when a session has become invalid, with the error if there was one.
    public var sessionDidBecomeInvalid: (@Sendable (URLSession, (any Error)?) -> Void)?

    /// Decides about a challenge that concerns the connection: server trust, client certificate, NTLM, Negotiate.
    ///
    /// It replaces the manager's security policy for those. ``ChallengeOutcome/deferred`` is taken as default handling,
    /// since there is nothing to answer later with.
    public var sessionDidReceiveChallenge: (@Sendable (URLSession, URLAuthenticationChallenge) -> ChallengeOutcome)?

    // MARK: - Task

    /// Decides about a challenge.
    ///
    /// The function is for an answer that comes later, after the hook has returned ``ChallengeOutcome/deferred``.
    public var taskDidReceiveChallenge:
        (
            @Sendable (
                URLSession, URLSessionTask, URLAuthenticationChallenge, @escaping @Sendable (ChallengeOutcome) -> Void
            ) -> ChallengeOutcome
        )?

    /// Gives a body stream from its beginning; nil leaves it to the task.
    public var taskNeedsNewBodyStream: (@Sendable (URLSession, URLSessionTask) -> InputStream?)?

    /// Gives the request to follow a redirection with; nil refuses it, and the redirection is the response.
    public var taskWillPerformRedirection:
        (@Sendable (URLSession, URLSessionTask, HTTPURLResponse, URLRequest) -> URLRequest?)?

    /// Called with the bytes sent now, sent so far and to send; the last is nil if it is not known.
    public var taskDidSendBodyData: (@Sendable (URLSession, URLSessionTask, Int64, Int64, Int64?) -> Void)?

    /// Called when a task has ended, with the transport's own error, before the completion handler.
    public var taskDidComplete: (@Sendable (URLSession, URLSessionTask, (any Error)?) -> Void)?

    /// Called with what a task cost, right before ``taskDidComplete``.
    ///
    /// FoundationNetworking neither fills its `URLSessionTaskMetrics` nor lets others do so.
    public var taskDidFinishCollectingMetrics: (@Sendable (URLSession, URLSessionTask, TaskMetrics) -> Void)?

    // MARK: - Data task

    /// Decides how to go on after a response.
    public var dataTaskDidReceiveResponse:
        (@Sendable (URLSession, URLSessionDataTask, URLResponse) -> URLSession.ResponseDisposition)?

    /// Called when a data task has become a download task.
    public var dataTaskDidBecomeDownloadTask:
        (@Sendable (URLSession, URLSessionDataTask, URLSessionDownloadTask) -> Void)?

    /// Called with each piece of a body, after the task has taken it.
    public var dataTaskDidReceiveData: (@Sendable (URLSession, URLSessionDataTask, Data) -> Void)?

    /// Gives what to cache; nil caches nothing.
    public var dataTaskWillCacheResponse:
        (@Sendable (URLSession, URLSessionDataTask, CachedURLResponse) -> CachedURLResponse?)?

    // MARK: - Download task

    /// Gives the place for a downloaded file, ahead of the task's own destination; nil leaves it to the task.
    ///
    /// The file is moved there after validation, over none that exists.
    public var downloadTaskDidFinishDownloading: (@Sendable (URLSession, URLSessionDownloadTask, URL) -> URL?)?

    /// Called with the bytes written now, written so far and expected; the last is nil if it is not known.
    public var downloadTaskDidWriteData: (@Sendable (URLSession, URLSessionDownloadTask, Int64, Int64, Int64?) -> Void)?

    /// Called when a download goes on, with the offset and the length expected; the last is nil if it is not known.
    public var downloadTaskDidResume: (@Sendable (URLSession, URLSessionDownloadTask, Int64, Int64?) -> Void)?

    /// Makes a set of hooks with none set.
    public init() {}
}
