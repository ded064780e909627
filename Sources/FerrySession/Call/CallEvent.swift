/// What happens to a call, as its driver reports it.
enum CallEvent {
    // MARK: The beginning of an attempt

    case begin
    case suspended
    case resumed
    /// Nothing pauses the transfer any more.
    case mayMove
    /// The interceptors have answered the question with this number.
    case answered(Int, InterceptorAnswer)
    /// The trust policy has decided what is verified for the origin.
    case verified
    case lookedUp(CacheAnswer)
    /// The call waits for the response to an identical request.
    case mustWaitForIdenticalRequest
    /// No identical request is in flight.
    case isFirst
    /// The transfer of the identical request has ended.
    case otherEnded(SharedTransfer.End)
    /// The delay before the next attempt has passed.
    case delayed

    // MARK: The response

    case head(HeadFacts)
    /// The limit of what is kept of a held response's body is reached, or its decoding takes long.
    case heldBodyIsLarge
    /// The stream of a paused attempt may be given up, if its rest can be requested.
    case mayDetach
    case attemptEnded(AttemptEnd)
    /// The client has taken what has come.
    case drained
    /// The body cannot be decoded or delivered; the attempt is not in a callback of libcurl's.
    case bodyFailed
    /// A response that needs no network is delivered.
    case serve(LocalResponse)
    /// The stored body that is delivered is damaged; `mayAsk` indicates whether the server may be asked.
    case storedBodyIsDamaged(mayAsk: Bool)
    case deadline(TransferClock.Deadline)
    /// The call cannot go on, for this reason or the one that was noted.
    case failed(URLError?)

    // MARK: Answers

    case redirected(URLRequest?)
    case authenticated(URLSession.AuthChallengeDisposition, URLCredential?)
    case bodyStream(StreamBox?)
    case trustDecided
    /// libcurl's callback has returned, so that a retry instead of the held response can be considered.
    case considersResponse
    case cancelled
}

/// The head of a response, and what its attempt and the cache know about it.
struct HeadFacts {
    var head: ResponseHead
    /// What the head means for a stored response.
    var verdict: CacheVerdict?
    /// The challenge of the response, if it has one that libcurl can answer.
    var challenge: AuthenticationChallenge?
    /// Whether the request has announced its body with `Expect: 100-continue`.
    var expectsContinue = false
    /// Whether the request went to a proxy, and not through a tunnel.
    var isForwarded = false
    /// Whether libcurl has read nothing of the request's body, which is not empty.
    var isBodyUnread = false
}
