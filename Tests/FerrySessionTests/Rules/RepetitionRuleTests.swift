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

    /// RFC 7616, section 3.3.
    @Test("The first challenge and one stale nonce are responded to") func challenges() {
        #expect((1...5).map(RepetitionRule.mayAnswerChallenge) == [true, true, false, false, false])
    }
}
