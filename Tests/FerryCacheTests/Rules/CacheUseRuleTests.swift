import Testing

@testable import FerryCache

@Suite struct CacheUseRuleTests {
    typealias Decision = CacheUseRule.Decision

    struct Row: Sendable, CustomTestStringConvertible {
        var request = ""
        var response = ""
        /// In seconds; the response is fresh while the lifetime is larger than the age.
        var lifetime = 60.0
        var age = 0.0
        var decision: Decision

        var testDescription: String { "request \(request), response \(response), \(age) of \(lifetime) s" }
    }

    private static func stored(_ control: String, _ lifetime: Double, _ age: Double) -> CacheUseRule.Stored {
        CacheUseRule.Stored(
            control: CacheControl([control]),
            freshness: CacheFreshness(lifetime: lifetime, age: age)
        )
    }

    @Test(
        "With the protocol's policy, the directives decide (RFC 9111, sections 4 and 5.2)",
        arguments: [
            Row(decision: .use),
            Row(age: 59.9, decision: .use),
            Row(age: 60, decision: .revalidate),
            // 5.2.2: no-cache, also with a field name, and must-revalidate.
            Row(response: "no-cache", decision: .revalidate),
            Row(response: "no-cache=\"a\"", decision: .revalidate),
            Row(response: "must-revalidate", decision: .use),
            Row(response: "immutable", age: 61, decision: .revalidate),
            // 5.2.1.4 and 5.2.1.5.
            Row(request: "no-cache", decision: .revalidate),
            Row(request: "no-store", decision: .load),
            // 5.2.1.1
            Row(request: "max-age=0", age: 1, decision: .revalidate),
            Row(request: "max-age=600", lifetime: 3600, age: 1800, decision: .revalidate),
            Row(request: "max-age=600", lifetime: 3600, age: 600, decision: .use),
            Row(request: "max-age=nonsense", age: 1, decision: .revalidate),
            Row(request: "max-age=0, max-stale", age: 100, decision: .use),
            // 5.2.1.2
            Row(request: "max-stale=100", age: 160, decision: .use),
            Row(request: "max-stale=100", age: 161, decision: .revalidate),
            Row(request: "max-stale", age: 1e8, decision: .use),
            Row(request: "max-stale", response: "must-revalidate", age: 61, decision: .revalidate),
            Row(request: "max-stale", response: "no-cache", decision: .revalidate),
            // 5.2.1.3
            Row(request: "min-fresh=60", decision: .use),
            Row(request: "min-fresh=60", age: 1, decision: .revalidate),
            Row(request: "min-fresh=1", age: 61, decision: .revalidate),
            // 5.2.1.7
            Row(request: "only-if-cached", decision: .use),
            Row(request: "only-if-cached", age: 61, decision: .gatewayTimeout),
            Row(request: "only-if-cached, max-stale", age: 61, decision: .use),
            Row(request: "only-if-cached, no-cache", decision: .gatewayTimeout),
            // RFC 5861, section 3
            Row(response: "stale-while-revalidate=10", decision: .use),
            Row(response: "stale-while-revalidate=10", age: 70, decision: .useAndRevalidate),
            Row(response: "stale-while-revalidate=10", age: 71, decision: .revalidate),
            Row(response: "stale-while-revalidate=10, must-revalidate", age: 65, decision: .revalidate),
            Row(response: "stale-while-revalidate=10, no-cache", age: 1, decision: .revalidate),
            Row(request: "max-age=100", response: "stale-while-revalidate=10", age: 65, decision: .revalidate),
            Row(request: "only-if-cached", response: "stale-while-revalidate=10", age: 65, decision: .use),
        ]
    )
    func table(_ row: Row) {
        let decision = CacheUseRule.decide(
            policy: .useProtocolCachePolicy,
            request: CacheControl([row.request]),
            stored: Self.stored(row.response, row.lifetime, row.age)
        )
        #expect(decision == row.decision)
    }

    @Test(
        "The other policies decide without the directives",
        arguments: [
            (URLRequest.CachePolicy.useProtocolCachePolicy, Decision.load, Decision.use, Decision.revalidate),
            (.reloadIgnoringLocalCacheData, .load, .load, .load),
            (.reloadIgnoringLocalAndRemoteCacheData, .load, .load, .load),
            (.returnCacheDataElseLoad, .load, .use, .use),
            (.returnCacheDataDontLoad, .unavailable, .use, .use),
            (.reloadRevalidatingCacheData, .load, .revalidate, .revalidate),
        ]
    )
    func policies(_ row: (URLRequest.CachePolicy, none: Decision, fresh: Decision, stale: Decision)) {
        func decide(_ stored: CacheUseRule.Stored?) -> Decision {
            CacheUseRule.decide(policy: row.0, request: CacheControl(), stored: stored)
        }
        #expect(decide(nil) == row.none)
        #expect(decide(Self.stored("", 60, 0)) == row.fresh)
        #expect(decide(Self.stored("no-cache", 60, 600)) == row.stale)
    }

    @Test("Without a stored response, only-if-cached is a 504") func onlyIfCached() {
        let request = CacheControl(["only-if-cached"])
        #expect(
            CacheUseRule.decide(policy: .useProtocolCachePolicy, request: request, stored: nil) == .gatewayTimeout
        )
    }

    @Test(
        "A stale response replaces an error if that is allowed (RFC 5861, section 4)",
        arguments: [
            ("", "", 61.0, false), ("", "stale-if-error=10", 70, true), ("", "stale-if-error=10", 71, false),
            ("stale-if-error=10", "", 70, true), ("stale-if-error=10", "stale-if-error=100", 100, true),
            ("", "stale-if-error=10, must-revalidate", 61, false), ("", "stale-if-error=10, no-cache", 61, false),
            ("no-cache", "stale-if-error=10", 61, false), ("", "stale-if-error=10", 1, true),
        ]
    )
    func errors(_ row: (request: String, response: String, age: Double, isUsed: Bool)) {
        let isUsed = CacheUseRule.mayUseOnError(
            request: CacheControl([row.request]),
            stored: Self.stored(row.response, 60, row.age)
        )
        #expect(isUsed == row.isUsed)
    }

    @Test("Errors are those of the network and of an unavailable server, not those of trust") func kinds() {
        #expect([500, 502, 503, 504].allSatisfy(CacheUseRule.isError(status:)))
        #expect(![200, 304, 400, 404, 501, 505].contains(where: CacheUseRule.isError(status:)))
        let network: [URLError.Code] = [
            .timedOut, .cannotFindHost, .cannotConnectToHost, .networkConnectionLost, .dnsLookupFailed,
            .notConnectedToInternet, .badServerResponse, .cannotParseResponse,
        ]
        for code in network { #expect(CacheUseRule.isError(code: code), "\(code)") }
        #expect(!CacheUseRule.isError(code: .serverCertificateUntrusted) && !CacheUseRule.isError(code: .cancelled))
    }
}
