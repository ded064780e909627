/// An event of a call, which its driver reports.
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
    /// The body of a held response is as large as what is kept of it, or its decoding takes long.
    case heldBodyIsLarge
    /// The stream of a paused attempt may be given up, if its rest can be requested.
    case mayDetach
    case attemptEnded(AttemptEnd)
    /// The client has taken what has come.
    case drained
    /// The body cannot be decoded or delivered, which was found outside of libcurl's callbacks.
    case bodyFailed
    /// A response that needs no network is delivered.
    case serve(LocalResponse)
    /// The stored body that is delivered is damaged; `mayAsk` indicates whether the server may be asked.
    case storedBodyIsDamaged(mayAsk: Bool)
    case deadline(TransferClock.Deadline)
    /// The call cannot continue because of this error or, without one, of the error that was noted before.
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

/// The head of a response, with facts from its attempt and from the cache.
struct HeadFacts {
    var head: ResponseHead
    /// The meaning of the head for a stored response.
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
