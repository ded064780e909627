import Testing

@testable import FerrySession

@Suite struct RepetitionRuleTests {
    /// RFC 9110, section 9.2.2; methods are compared with their case (section 9.1).
    @Test(
        "Idempotent methods",
        arguments: [
            ("GET", true), ("HEAD", true), ("OPTIONS", true), ("TRACE", true), ("PUT", true), ("DELETE", true),
            ("PROPFIND", true), ("POST", false), ("PATCH", false), ("LOCK", false), ("CONNECT", false), ("get", false),
            ("ANYTHING", false), ("", false),
        ]
    )
    func idempotent(_ method: String, _ isIdempotent: Bool) {
        #expect(RepetitionRule.isIdempotent(method) == isIdempotent)
    }

    /// How libcurl has given up on a request: by default a GET that it has sent six times without a response.
    struct GivenUp: Sendable {
        var code = CurlCode.sendError
        var wasRefused = false
        var sends = 6
        var hasResponseBytes = false
        var method = "GET"
        var isReplayable = true
        var sharesConnection = false
        var confusesStreamEnds = false
    }

    @Test(
        "libcurl gave up on a request: it is tried again only if that does no harm",
        arguments: [
            (GivenUp(), true), (GivenUp(method: "DELETE"), true), (GivenUp(method: "POST"), false),
            (GivenUp(method: "LOCK"), false), (GivenUp(method: "PUT", isReplayable: false), false),
            (GivenUp(hasResponseBytes: true), false),
            // A plain failure to send on one connection.
            (GivenUp(sends: 1), false), (GivenUp(code: CurlCode.receiveError), false),
            // The server has ended a connection of HTTP/2 that others use.
            (GivenUp(code: CurlCode.http2, sends: 1, sharesConnection: true), true),
            (GivenUp(code: CurlCode.http2, sends: 1), false),
            (GivenUp(code: CurlCode.http2, sends: 1, confusesStreamEnds: true), true),
            (GivenUp(code: CurlCode.http2, sends: 1, method: "POST", confusesStreamEnds: true), false),
            // The server has said that it has not processed the request.
            (GivenUp(code: CurlCode.http2, wasRefused: true, sends: 1, method: "POST", isReplayable: false), true),
            (GivenUp(wasRefused: true, method: "POST", isReplayable: false), true),
            (GivenUp(code: CurlCode.http2, wasRefused: true, sends: 1, hasResponseBytes: true), false),
            (GivenUp(code: CurlCode.timedOut, wasRefused: true, sends: 1), false),
            // The server has closed the connection.
            (GivenUp(code: CurlCode.partialFile, sends: 1, sharesConnection: true), true),
            (GivenUp(code: CurlCode.receiveError, sends: 1, sharesConnection: true), true),
            (GivenUp(sends: 1, sharesConnection: true), true),
            (GivenUp(sends: 1, method: "POST", sharesConnection: true), false),
            (GivenUp(code: CurlCode.partialFile, sends: 1, hasResponseBytes: true, sharesConnection: true), false),
            (GivenUp(code: CurlCode.partialFile, sends: 1, confusesStreamEnds: true), false),
            (GivenUp(code: CurlCode.http2, sends: 1, method: "POST", sharesConnection: true), false),
            (GivenUp(code: CurlCode.http2, sends: 1, hasResponseBytes: true, sharesConnection: true), false),
        ]
    )
    func givenUp(_ row: GivenUp, _ isTriedAgain: Bool) {
        var end = AttemptEnd(code: row.code)
        (end.wasRefused, end.sends, end.hasResponseBytes) = (row.wasRefused, row.sends, row.hasResponseBytes)
        (end.sharesConnection, end.confusesStreamEnds) = (row.sharesConnection, row.confusesStreamEnds)
        #expect(end.mayReconnect(method: row.method, isReplayable: row.isReplayable) == isTriedAgain)
    }

    /// RFC 7616, section 3.3.
    @Test(
        "One stale nonce is responded to, and does not count as a refused credential",
        arguments: [
            (0, [true, true, false, false]), (1, [true, true, true, false]), (2, [false, false, false, false]),
        ]
    )
    func challenges(_ staleNonces: Int, _ goesOn: [Bool]) {
        let answers = (1...4).map { RepetitionRule.mayAnswerChallenge(rounds: $0, staleNonces: staleNonces) }
        #expect(answers == goesOn)
    }
}
