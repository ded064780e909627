import Testing

@testable import FerrySession

/// The delays that servers ask for.
@Suite struct ServerDelayTests {
    private let now = Date(timeIntervalSince1970: 784_111_777)

    private func seconds(_ fields: [String: String]) -> TimeInterval? { seconds(503, fields) }

    private func seconds(_ status: Int, _ fields: [String: String]) -> TimeInterval? {
        ServerDelay.seconds(status: status, now: now) { fields[$0] }
    }

    @Test(
        "Retry-After is a number of seconds or a date (RFC 9110, section 10.2.3)",
        arguments: [
            ("0", 0), ("120", 120), (" 7 ", 7), ("007", 7),
            ("Sun, 06 Nov 1994 08:49:47 GMT", 10),
            ("Sunday, 06-Nov-94 08:49:47 GMT", 10),
            ("Sun Nov  6 08:49:47 1994", 10),
            // A date in the past.
            ("Sun, 06 Nov 1994 08:00:00 GMT", 0),
            ("-1", nil), ("+1", nil), ("1.5", nil), ("1 2", nil), ("", nil), ("soon", nil), ("0x10", nil), ("١", nil),
            ("Sun, 31 Feb 1994 08:49:47 GMT", nil),
            // Longer than any maximum that makes sense, but not an overflow.
            ("99999999999999999999999999", 31_536_000), ("999999999", 31_536_000),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 31_536_000),
        ] as [(String, TimeInterval?)]
    )
    func retryAfter(_ field: String, _ expected: TimeInterval?) {
        #expect(seconds(["Retry-After": field]) == expected)
    }

    @Test(
        "A date is compared with that of the server's clock, unless that one is far off",
        arguments: [
            ("Sun, 06 Nov 1994 08:47:37 GMT", "Sun, 06 Nov 1994 08:47:47 GMT", 10),
            ("Sun, 06 Nov 1994 09:49:37 GMT", "Sun, 06 Nov 1994 09:49:47 GMT", 10),
            ("Mon, 07 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:47 GMT", 10),
            ("Thu, 01 Jan 1970 00:00:00 GMT", "Sun, 06 Nov 1994 08:49:47 GMT", 10),
        ] as [(String, String, TimeInterval)]
    )
    func serverClock(_ date: String, _ field: String, _ expected: TimeInterval) {
        #expect(seconds(["Date": date, "Retry-After": field]) == expected)
        #expect(seconds(["Date": date, "Retry-After": field, "Age": "4"]) == (date.hasPrefix("Sun") ? 6 : 10))
    }

    @Test(
        "RateLimit delays a request that was refused for its rate (draft-ietf-httpapi-ratelimit-headers)",
        arguments: [
            (#""default";r=0;t=30"#, 30), (#""a";r=5;t=100, "b";r=0;t=12"#, 12), (#""a";r=0;t=3,"b";r=0;t=9"#, 9),
            ("limit=100, remaining=0, reset=50", 50),
            (#""default";r=1;t=30"#, nil), ("limit=100, remaining=3, reset=50", nil), (#""default";r=0"#, nil),
            (#""a";r=0;t=0"#, 0), (";;;,,,===", nil), ("", nil), (#""default";r=0;t=-5"#, nil),
        ] as [(String, TimeInterval?)]
    )
    func rateLimit(_ field: String, _ expected: TimeInterval?) {
        #expect(seconds(429, ["RateLimit": field]) == expected)
        #expect(seconds(500, ["RateLimit": field]) == nil)
    }

    @Test("Separate fields of earlier drafts are understood, and Retry-After takes precedence") func precedence() {
        #expect(seconds(429, ["RateLimit-Remaining": "0", "RateLimit-Reset": "9"]) == 9)
        #expect(seconds(429, ["RateLimit-Remaining": "1", "RateLimit-Reset": "9"]) == nil)
        #expect(seconds(429, ["RateLimit-Reset": "9"]) == nil)
        #expect(seconds(429, ["Retry-After": "2", "RateLimit": #""a";r=0;t=30"#]) == 2)
        #expect(seconds(429, ["Retry-After": "soon", "RateLimit": #""a";r=0;t=30"#]) == 30)
        #expect(seconds(503, [:]) == nil)
    }

    @Test("A very long RateLimit field is ignored") func long() {
        let field = String(repeating: #""a";r=0;t=30,"#, count: 1_000)
        #expect(seconds(429, ["RateLimit": field]) == nil)
    }
}
