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
    /// The request is valid, and goes to this origin.
    case prepared(Origin)
    /// It is known what is verified of the origin's certificate.
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
    /// As much of the body of a response that is held back has come as is kept, or its decoding takes long.
    case heldBodyIsLarge
    /// The stream of a paused attempt may be given up, if its rest can be requested.
    case mayDetach
    case attemptEnded(EndFacts)
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
    /// There is no protection space for the challenge.
    case cannotAsk
    case bodyStream(StreamBox?)
    case trustDecided
    /// The response that is held back can be decided about, outside of libcurl's callbacks.
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

/// What is known about an attempt that libcurl has ended.
struct EndFacts {
    /// libcurl's code.
    var code: Int32
    var failure: URLError?
    /// The error of a request that must not be sent again, where libcurl could not rewind its body.
    var notRepeated: URLError?
    var needsNewConnection = false
    /// Whether a decision about the connection's trust is pending, or has come just now.
    var trust = Trust.none
    /// Whether the server has not processed the request, and has said so.
    var wasRefused = false
    /// How often libcurl has begun to send the request.
    var sends = 0
    var hasResponseBytes = false
    /// Whether other requests may have been sent on the connection, or this one was not sent.
    var sharesConnection = false
    /// Whether this libcurl does not report how a stream of HTTP/2 has ended if its connection has ended too.
    var confusesStreamEnds = false
    var hasStatus = false
    /// The bytes of the body that libcurl has delivered, before content codings are undone.
    var received = ByteCount.zero
    /// The proxy's challenge to `CONNECT`, with its response.
    var tunnel: (response: HTTPURLResponse, challenge: AuthenticationChallenge)?

    enum Trust { case none, pending, decided }
}
