/// The rule that decides whether, when and how a request is sent again after an attempt has failed.
enum RetryRule {
    /// The way in which an attempt has failed.
    enum Outcome: Hashable, Sendable {
        /// With the status of a response, and the delay that the server asks for.
        case response(Int, delay: TimeInterval?)
        case failure(RetryPolicy.Failure)
        /// With an error after which no attempt can succeed, such as a certificate that is not trusted.
        case permanent
    }

    /// The part of the response that has been delivered.
    enum Delivered: Hashable, Sendable {
        case nothing
        /// A part, whose rest can be requested; `isProgress` indicates whether this attempt has added to it.
        case continuable(isProgress: Bool)
        /// A part that the task can discard, since its result is delivered at the end.
        case discardable
        /// A part that the delegate has.
        case final
    }

    struct Situation: Sendable {
        var method = "GET"
        /// Whether the request has an `Idempotency-Key`.
        var hasIdempotencyKey = false
        /// The number of retries since the last attempt that brought progress.
        var retries = 0
        var outcome = Outcome.permanent
        /// Whether any of the request may have reached the server.
        var wasSent = true
        /// Whether the body was a stream that was read, so that the delegate is asked for another one.
        var needsStream = false
        var delivered = Delivered.nothing
        /// The seconds since the task was started.
        var elapsed: TimeInterval = 0
        /// The seconds until the deadline of the call.
        var timeLeft: TimeInterval?

        /// Whether the attempt has received a part of the body whose rest can be requested.
        var isProgress: Bool { delivered == .continuable(isProgress: true) }
    }

    /// The position at which the next attempt begins.
    enum Start: Hashable, Sendable {
        case beginning
        case rest
    }

    /// The reason why a request is not sent again.
    enum Refusal: Hashable, Sendable {
        /// The policy does not retry after this response or error.
        case notRetried
        case notRepeatable
        case tooManyRetries
        case delivered
        case serverDelayTooLong
        case deadline
    }

    enum Decision: Hashable, Sendable {
        /// The request is sent again after a delay in seconds, if the budget allows it.
        case retry(after: TimeInterval, Start, needsStream: Bool)
        case end(Refusal)
    }

    /// Returns what follows an attempt; `random`, from 0 to 1, chooses the delay.
    static func decide(_ situation: Situation, _ policy: RetryPolicy, random: Double) -> Decision {
        guard isRetried(situation, policy) else { return .end(.notRetried) }
        guard isRepeatable(situation, policy) else { return .end(.notRepeatable) }
        if case .continuable = situation.delivered, !policy.continuesBodies { return .end(.delivered) }
        if situation.delivered == .final { return .end(.delivered) }
        let retries = situation.isProgress ? 0 : situation.retries
        guard retries < policy.maximumRetries else { return .end(.tooManyRetries) }
        var delay = policy.backoff.delay(retry: retries, random: random)
        if case .response(_, let server?) = situation.outcome {
            guard server <= policy.maximumServerDelay else { return .end(.serverDelayTooLong) }
            delay = server
        }
        if let limit = policy.maximumRetryTime, situation.elapsed + delay >= limit { return .end(.deadline) }
        return retry(situation, after: delay)
    }

    /// Returns what follows an attempt after which an interceptor wants another one, whatever the policy says.
    static func retry(_ situation: Situation, after delay: TimeInterval) -> Decision {
        let start: Start
        switch situation.delivered {
        case .continuable: start = .rest
        case .nothing, .discardable: start = .beginning
        case .final: return .end(.delivered)
        }
        if let timeLeft = situation.timeLeft, delay >= timeLeft { return .end(.deadline) }
        return .retry(after: delay, start, needsStream: situation.needsStream)
    }

    /// Whether sending a request again has no further effect on the server (RFC 9110, section 9.2.2).
    static func isRepeatable(_ situation: Situation, _ policy: RetryPolicy?) -> Bool {
        if situation.hasIdempotencyKey || RepetitionRule.isIdempotent(situation.method) { return true }
        if policy?.additionalMethods.contains(situation.method) == true { return true }
        if case .response = situation.outcome { return false }
        return !situation.wasSent
    }

    static func isRetried(_ situation: Situation, _ policy: RetryPolicy) -> Bool {
        switch situation.outcome {
        // A body that stalls is like one whose connection is lost; a server that has not
        // responded may still be working.
        case .failure(.inactivityTimeout) where situation.delivered != .nothing:
            policy.failures.contains(.inactivityTimeout) || policy.failures.contains(.connectionLost)
        case .response(let status, _): policy.statusCodes.contains(status)
        case .failure(let failure): policy.failures.contains(failure)
        case .permanent: false
        }
    }

    /// Returns how an error is treated; `wasSent` indicates whether any of the request may have reached the server.
    static func outcome(of error: URLError, wasSent: Bool) -> Outcome {
        let cause = error.sessionCause
        return switch (error.code, cause?.code) {
        case (_, .cannotContinue?), (_, .localEndpointUnavailable?), (_, .proxyRefused?), (_, .circuitOpen?): .permanent
        case (_, .httpVersionUnsupported?): .permanent
        case (.cannotFindHost, _), (.dnsLookupFailed, _): .failure(.nameLookup)
        case (.cannotConnectToHost, _): .failure(.connect)
        case (.timedOut, .resourceTimeout?), (.timedOut, .deadlineExceeded?): .permanent
        case (.timedOut, .connectTimeout?): .failure(.connectTimeout)
        case (.timedOut, _): .failure(wasSent ? .inactivityTimeout : .connectTimeout)
        case (.networkConnectionLost, _): .failure(.connectionLost)
        // The server, or a device in between, has closed the connection during the handshake.
        case (.secureConnectionFailed, .tlsHandshake?) where isLostHandshake(cause): .failure(.connectionLost)
        default: .permanent
        }
    }

    private static func isLostHandshake(_ cause: CurlSessionError?) -> Bool {
        guard let cause, cause.curlCode == Int(CurlCode.tlsConnectError) else { return false }
        return ["SSL_ERROR_SYSCALL", "reset by peer", "unexpected eof"].contains { cause.message.contains($0) }
    }
}
