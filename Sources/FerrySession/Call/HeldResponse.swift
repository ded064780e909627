/// A response that is held back until it is decided what to do with it.
struct HeldResponse {
    enum Kind {
        case redirect(URLRequest, keepsBody: Bool)
        case challenge(AuthenticationChallenge)
        /// The response has a status with which the request may be sent again.
        case failure
    }

    var response: HTTPURLResponse
    var kind: Kind
    /// The beginning of the response's body, which is delivered if the response turns out to be the final one.
    var body: [UInt8] = []
    var isAsked = false
    /// Whether interceptors decide about it, and not the delegate.
    var isForInterceptors: Bool {
        if case .failure = kind { true } else { false }
    }
    /// Whether the response is a success that interceptors are asked about, and may be continued like any other.
    var isSuccess: Bool { isForInterceptors && 200..<300 ~= response.statusCode }
    /// The head of a response that the cache may store, if it is delivered.
    var head: ResponseHead?
    /// The reason why the body is damaged or incomplete, which matters only if the response is delivered.
    var failure: URLError?
    /// Whether the response is a proxy's to `CONNECT`, and not one to the request.
    var isTunnel = false
    /// Whether the attempt was ended before the body came, so that the response cannot be delivered.
    var isAbandoned = false
    /// The number of the body's bytes that are kept until it is decided what to do with the response.
    var limit = Self.bodyLimit
    static let bodyLimit = 65_536
    /// The shares of turns that decoding the body has used.
    private(set) var timeUsed = TimeSpan.zero

    /// Keeps the beginning of the body, and returns whether the limit is reached.
    mutating func keep(_ bytes: UnsafeRawBufferPointer) -> Bool {
        body.append(contentsOf: bytes)
        return body.count >= limit
    }

    /// Notes that the call has used its share of a turn; returns whether the delegate must be asked now.
    mutating func noteShareUsed(_ share: TimeSpan) -> Bool {
        timeUsed += share
        return timeUsed > TurnAllowance.ofAll
    }
}

/// The response of the current attempt, from the network or from the cache; each attempt begins with a new one.
struct IncomingResponse {
    /// The reason why the attempt fails, if Ferry and not libcurl has found it.
    var failure: URLError?
    /// The error of the user's code that makes the request's body.
    var bodyError: (any Error)?
    /// Whether the attempt is ended because of the response's head.
    var isStopped = false
    /// Whether the response is a redirect that is not followed, or a challenge that is not answered.
    var isUnwanted = false
    /// Whether the body is skipped, since the file is complete already.
    var skipsBody = false
    /// Whether the attempt has succeeded; the client may not have taken all of the body yet.
    var hasEnded = false
    /// The step after the end of the attempt, if the response's head has decided it.
    var next: Call.Next?
    /// The end of the range that continues a body.
    var rangeEnd: ByteCount?
    /// The responses of the attempt that have asked for a credential.
    var challengeRounds = ChallengeRounds()
    /// The number of an unwanted body's bytes that are collected.
    static let unwantedBodyLimit = ByteCount(clamping: 16_777_216)
}
