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

    private typealias GivenUp = (code: Int32, sends: Int, hasResponseBytes: Bool, method: String, hasBody: Bool)

    @Test(
        "libcurl gave up on a request: it is tried again only if that does no harm",
        arguments: [
            ((CurlCode.sendError, 6, false, "GET", false), true),
            ((CurlCode.sendError, 6, false, "DELETE", false), true),
            ((CurlCode.sendError, 6, false, "POST", false), false),
            ((CurlCode.sendError, 6, false, "LOCK", false), false),
            ((CurlCode.sendError, 6, false, "PUT", true), false), ((CurlCode.sendError, 6, true, "GET", false), false),
            // A plain failure to send on one connection.
            ((CurlCode.sendError, 1, false, "GET", false), false),
            ((CurlCode.receiveError, 6, false, "GET", false), false),
        ] as [(GivenUp, Bool)]
    )
    private func givenUp(_ row: GivenUp, _ isTriedAgain: Bool) {
        let result = RepetitionRule.mayReconnect(
            afterCode: row.code,
            sends: row.sends,
            hasResponseBytes: row.hasResponseBytes,
            method: row.method,
            hasBody: row.hasBody
        )
        #expect(result == isTriedAgain)
    }

    /// RFC 7616, section 3.3.
    @Test("The first challenge and one stale nonce are responded to") func challenges() {
        #expect((1...5).map(RepetitionRule.mayAnswerChallenge) == [true, true, false, false, false])
    }
}
