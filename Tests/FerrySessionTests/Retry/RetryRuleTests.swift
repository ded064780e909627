import Testing

@testable import FerrySession

/// Which failed attempts are followed by another one, and after which delay.
@Suite struct RetryRuleTests {
    typealias Situation = RetryRule.Situation

    /// One row of the table: a change to a GET that has failed with a 503, and what follows.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let expected: RetryRule.Decision
        let change: @Sendable (inout Situation, inout RetryPolicy) -> Void

        init(
            _ description: String,
            _ expected: RetryRule.Decision,
            _ change: @escaping @Sendable (inout Situation, inout RetryPolicy) -> Void
        ) {
            (testDescription, self.expected, self.change) = (description, expected, change)
        }
    }

    private static let again = RetryRule.Decision.retry(after: 0.5, .beginning, needsStream: false)
    private static let rest = RetryRule.Decision.retry(after: 0.5, .rest, needsStream: false)

    private static func status(_ status: Int, delay: TimeInterval? = nil) -> RetryRule.Outcome {
        .response(status, delay: delay)
    }

    private static func methods(_ names: [String], _ expected: RetryRule.Decision, _ source: String) -> [Row] {
        names.map { name in Row("\(name) (\(source))", expected) { situation, _ in situation.method = name } }
    }

    private static func statuses(_ statuses: [Int], _ expected: RetryRule.Decision, _ source: String) -> [Row] {
        statuses.map { status in
            Row("\(status) (\(source))", expected) { situation, _ in situation.outcome = .response(status, delay: nil) }
        }
    }

    static let rows: [Row] =
        methods(["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"], again, "idempotent: RFC 9110, section 9.2.2")
        + methods(["PROPFIND", "MKCOL", "MOVE"], again, "idempotent: RFC 4918")
        + methods(["POST", "PATCH", "CONNECT", "LOCK", "get", ""], .end(.notRepeatable), "not idempotent")
        + statuses([408, 425, 429, 500, 502, 503, 504], again, "temporary: RFC 9110, section 15; RFC 6585; RFC 8470")
        + statuses(
            [200, 206, 301, 304, 400, 401, 403, 404, 409, 410, 412, 416, 501, 505],
            .end(.notRetried),
            "lasting"
        )
        + [
            Row("POST with an Idempotency-Key", again) { situation, _ in
                (situation.method, situation.hasIdempotencyKey) = ("POST", true)
            },
            Row("POST that the policy calls idempotent", again) { situation, policy in
                situation.method = "POST"
                policy.additionalMethods = ["POST"]
            },
            Row("POST of which nothing was sent", again) { situation, _ in
                situation.method = "POST"
                (situation.outcome, situation.wasSent) = (.failure(.connect), false)
            },
            Row("POST whose connection was lost after it was sent", .end(.notRepeatable)) { situation, _ in
                situation.method = "POST"
                situation.outcome = .failure(.connectionLost)
            },
            Row("POST with a 503, although nothing seems to be sent", .end(.notRepeatable)) { situation, _ in
                (situation.method, situation.wasSent) = ("POST", false)
            },
            Row("No name", again) { situation, _ in situation.outcome = .failure(.nameLookup) },
            Row("No connection", again) { situation, _ in situation.outcome = .failure(.connect) },
            Row("No connection in time", again) { situation, _ in situation.outcome = .failure(.connectTimeout) },
            Row("A lost connection", again) { situation, _ in situation.outcome = .failure(.connectionLost) },
            Row("A slow response", .end(.notRetried)) { situation, _ in
                situation.outcome = .failure(.inactivityTimeout)
            },
            Row("A slow response, if the policy says so", again) { situation, policy in
                situation.outcome = .failure(.inactivityTimeout)
                policy.failures.insert(.inactivityTimeout)
            },
            Row("A body that stalls after some progress", rest) { situation, _ in
                situation.outcome = .failure(.inactivityTimeout)
                situation.delivered = .continuable(isProgress: true)
            },
            Row("A body that stalls without progress", rest) { situation, _ in
                situation.outcome = .failure(.inactivityTimeout)
                situation.delivered = .continuable(isProgress: false)
            },
            Row("A body that stalls, if lost connections are not retried", .end(.notRetried)) { situation, policy in
                situation.outcome = .failure(.inactivityTimeout)
                situation.delivered = .continuable(isProgress: true)
                policy.failures = [.connect]
            },
            Row("A lasting error", .end(.notRetried)) { situation, _ in situation.outcome = .permanent },
            Row("A lost connection, if the policy has no failures", .end(.notRetried)) { situation, policy in
                situation.outcome = .failure(.connectionLost)
                policy.failures = []
            },
            Row("A 503, if the policy has no statuses", .end(.notRetried)) { _, policy in policy.statusCodes = [] },
            Row("The second retry", .retry(after: 1, .beginning, needsStream: false)) { situation, _ in
                situation.retries = 1
            },
            Row("The third retry", .retry(after: 2, .beginning, needsStream: false)) { situation, _ in
                situation.retries = 2
            },
            Row("No fourth retry", .end(.tooManyRetries)) { situation, _ in situation.retries = 3 },
            Row("No retry with a maximum of zero", .end(.tooManyRetries)) { _, policy in policy.maximumRetries = 0 },
            Row("No retry with a negative maximum", .end(.tooManyRetries)) { _, policy in policy.maximumRetries = -1 },
            Row("Retry-After instead of the backoff", .retry(after: 7, .beginning, needsStream: false)) {
                situation,
                _ in situation.outcome = status(503, delay: 7)
            },
            Row("Retry-After of zero", .retry(after: 0, .beginning, needsStream: false)) { situation, _ in
                situation.outcome = status(429, delay: 0)
            },
            Row("Retry-After at the maximum", .retry(after: 60, .beginning, needsStream: false)) { situation, _ in
                situation.outcome = status(429, delay: 60)
            },
            Row("Retry-After beyond the maximum", .end(.serverDelayTooLong)) { situation, _ in
                situation.outcome = status(429, delay: 61)
            },
            Row("Retry-After of a status that is not retried", .end(.notRetried)) { situation, _ in
                situation.outcome = status(301, delay: 1)
            },
            Row("Retry-After does not make a POST repeatable", .end(.notRepeatable)) { situation, _ in
                situation.method = "POST"
                situation.outcome = status(429, delay: 1)
            },
            Row("Enough time left", again) { situation, _ in situation.timeLeft = 0.6 },
            Row("Too little time left for the delay", .end(.deadline)) { situation, _ in situation.timeLeft = 0.4 },
            Row("As much time left as the delay takes", .end(.deadline)) { situation, _ in situation.timeLeft = 0.5 },
            Row("No time left", .end(.deadline)) { situation, _ in situation.timeLeft = 0 },
            Row("The last attempt may still begin", again) { situation, policy in
                (situation.elapsed, policy.maximumRetryTime) = (9, 9.6)
            },
            Row("The last attempt would begin too late", .end(.deadline)) { situation, policy in
                (situation.elapsed, policy.maximumRetryTime) = (9, 9.4)
            },
            Row("The last attempt would begin just when the time ends", .end(.deadline)) { situation, policy in
                (situation.elapsed, policy.maximumRetryTime) = (9, 9.5)
            },
            Row("The time for retries was over before", .end(.deadline)) { situation, policy in
                policy.maximumRetryTime = -1
            },
            Row("Too little time left for Retry-After", .end(.deadline)) { situation, _ in
                situation.timeLeft = 5
                situation.outcome = status(503, delay: 6)
            },
            Row("A stream that was read", .retry(after: 0.5, .beginning, needsStream: true)) { situation, _ in
                (situation.method, situation.needsStream) = ("PUT", true)
            },
            Row("A part of the response that the delegate has", .end(.delivered)) { situation, _ in
                (situation.outcome, situation.delivered) = (.failure(.connectionLost), .final)
            },
            Row("A part of the response that can be discarded", again) { situation, _ in
                (situation.outcome, situation.delivered) = (.failure(.connectionLost), .discardable)
            },
            Row("A part whose rest can be requested", rest) { situation, _ in
                situation.outcome = .failure(.connectionLost)
                situation.delivered = .continuable(isProgress: false)
            },
            Row("A part whose rest can be requested, if the policy continues no bodies", .end(.delivered)) {
                situation,
                policy in
                situation.outcome = .failure(.connectionLost)
                situation.delivered = .continuable(isProgress: true)
                policy.continuesBodies = false
            },
            Row("Progress resets the count", rest) { situation, _ in
                situation.retries = 3
                situation.outcome = .failure(.connectionLost)
                situation.delivered = .continuable(isProgress: true)
            },
            Row("Without progress the count goes on", .end(.tooManyRetries)) { situation, _ in
                situation.retries = 3
                situation.outcome = .failure(.connectionLost)
                situation.delivered = .continuable(isProgress: false)
            },
            Row("A POST's response is not continued", .end(.notRepeatable)) { situation, _ in
                situation.method = "POST"
                situation.outcome = .failure(.connectionLost)
                situation.delivered = .continuable(isProgress: true)
            },
        ]

    @Test("What follows a failed attempt", arguments: rows) func table(_ row: Row) {
        var situation = Situation()
        situation.outcome = .response(503, delay: nil)
        var policy = RetryPolicy.standard
        policy.backoff.hasJitter = false
        row.change(&situation, &policy)
        #expect(RetryRule.decide(situation, policy, random: 0.5) == row.expected)
    }

    @Test("The table has at least sixty rows") func size() { #expect(Self.rows.count >= 60) }

    // MARK: - Backoff

    @Test("The upper limit doubles up to the cap, and jitter takes a share of it") func backoff() {
        let backoff = RetryPolicy.Backoff()
        let limits = (0..<9).map { backoff.delay(retry: $0, random: 1) }
        #expect(limits == [0.5, 1, 2, 4, 8, 16, 30, 30, 30])
        #expect(backoff.delay(retry: 3, random: 0) == 0)
        #expect(backoff.delay(retry: 3, random: 0.25) == 1)
    }

    @Test(
        "Extreme values give a delay between zero and the cap, which may be infinite",
        arguments: [0, -1, 1e300, .infinity, -.infinity, .nan] as [Double],
        [0, -1, 0.5, 1e300, .infinity, .nan] as [Double]
    )
    func extremes(_ first: Double, _ second: Double) {
        for backoff in [
            RetryPolicy.Backoff(base: first, multiplier: second),
            RetryPolicy.Backoff(base: first, multiplier: 2, cap: second),
            RetryPolicy.Backoff(base: 1, multiplier: first, cap: second, hasJitter: false),
        ] {
            for retry in [0, 1, 100, Int.max, -5] {
                let delay = backoff.delay(retry: retry, random: 0.7)
                #expect(delay >= 0 && (delay.isFinite || backoff.cap == .infinity || backoff.cap.isNaN), "\(backoff)")
            }
        }
    }

    @Test("No cap is not a cap of zero") func uncapped() {
        for cap in [.infinity, .nan] as [Double] {
            let backoff = RetryPolicy.Backoff(base: 2, cap: cap, hasJitter: false)
            #expect((0..<4).map { backoff.delay(retry: $0, random: 0) } == [2, 4, 8, 16])
        }
        let endless = RetryPolicy.Backoff(base: .infinity, cap: .infinity)
        #expect(endless.delay(retry: 0, random: 0) == .infinity)
        #expect(RetryPolicy.Backoff(base: .nan, cap: 30, hasJitter: false).delay(retry: 0, random: 0) == 30)
    }

    // MARK: - Errors

    @Test(
        "Errors of the connection are temporary, those of trust and content are not",
        arguments: [
            (.cannotFindHost, nil, false, .failure(.nameLookup)),
            (.cannotConnectToHost, nil, false, .failure(.connect)),
            (.cannotConnectToHost, .proxyUnreachable, false, .failure(.connect)),
            (.cannotConnectToHost, .proxyRefused, false, .permanent),
            (.cannotConnectToHost, .localEndpointUnavailable, false, .permanent),
            (.cannotConnectToHost, .httpVersionUnsupported, false, .permanent),
            (.secureConnectionFailed, .httpVersionRefused, false, .permanent),
            (.networkConnectionLost, .httpVersionRefused, true, .failure(.connectionLost)),
            (.timedOut, .connectTimeout, false, .failure(.connectTimeout)),
            (.timedOut, .inactivityTimeout, false, .failure(.connectTimeout)),
            (.timedOut, .inactivityTimeout, true, .failure(.inactivityTimeout)),
            (.timedOut, .resourceTimeout, true, .permanent),
            (.timedOut, .deadlineExceeded, true, .permanent),
            (.networkConnectionLost, nil, true, .failure(.connectionLost)),
            (.networkConnectionLost, .cannotContinue, true, .permanent),
            (.serverCertificateUntrusted, .pinMismatch, false, .permanent),
            (.serverCertificateHasUnknownRoot, .selfSignedCertificate, false, .permanent),
            (.secureConnectionFailed, .tlsHandshake, false, .permanent),
            (.cancelled, nil, true, .permanent),
            (.cannotParseResponse, .malformedResponse, true, .permanent),
            (.cannotDecodeContentData, .damagedContentCoding, true, .permanent),
            (.cannotDecodeContentData, .incompleteContentCoding, true, .permanent),
            (.dataLengthExceedsMaximum, .responseTooLarge, true, .permanent),
            (.badURL, nil, false, .permanent),
            (.unknown, nil, true, .permanent),
        ] as [(URLError.Code, CurlSessionError.Code?, Bool, RetryRule.Outcome)]
    )
    func outcome(_ code: URLError.Code, _ reason: CurlSessionError.Code?, _ wasSent: Bool, _ outcome: RetryRule.Outcome)
    {
        let error = URLError.ferry(code, url: nil, underlying: reason.map { CurlSessionError($0, "") })
        #expect(RetryRule.outcome(of: error, wasSent: wasSent) == outcome)
    }

    @Test("A connection that is closed during the handshake is lost, one whose handshake fails is not")
    func handshake() {
        func outcome(_ text: String, _ curlCode: Int? = 35) -> RetryRule.Outcome {
            let cause = CurlSessionError(.tlsHandshake, text, curlCode: curlCode)
            return RetryRule.outcome(of: .ferry(.secureConnectionFailed, url: nil, underlying: cause), wasSent: false)
        }
        #expect(outcome("OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to x") == .failure(.connectionLost))
        #expect(outcome("Connection reset by peer") == .failure(.connectionLost))
        #expect(outcome("error:0A000126:SSL routines::unexpected eof while reading") == .failure(.connectionLost))
        #expect(outcome("wrong version number") == .permanent)
        #expect(outcome("Connection reset by peer", nil) == .permanent)
    }
}
