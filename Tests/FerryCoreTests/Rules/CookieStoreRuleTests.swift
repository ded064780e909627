import FerryCore
import FerryTesting
import Testing

@Suite("Cookie store rules")
struct CookieStoreRuleTests {
    private static let now = Date(timeIntervalSince1970: 1_700_000_000)

    private func cookie(
        _ name: String,
        domain: String = "example.com",
        path: String = "/",
        secure: Bool = false,
        expires: TimeInterval? = 1_000
    ) throws -> HTTPCookie {
        var properties: [HTTPCookiePropertyKey: Any] = [.name: name, .value: "v", .domain: domain, .path: path]
        if secure { properties[.secure] = "TRUE" }
        properties[.expires] = expires.map { Self.now.addingTimeInterval($0) }
        return try #require(HTTPCookie(properties: properties))
    }

    private func changes(
        setting new: [HTTPCookie],
        among known: [HTTPCookie],
        isSecure: Bool = false,
        site: String = "example.com",
        used: [String: TimeInterval] = [:]
    ) -> CookieStoreRule.Changes {
        let context = CookieStoreRule.Context(isSecure: isSecure, site: site, now: Self.now)
        return CookieStoreRule.changes(setting: new, among: CookieIndex(known), context) { cookie in
            Self.now.addingTimeInterval(used[cookie.name] ?? 0)
        }
    }

    struct Overlay: Sendable {
        var domain = "example.com"
        var path = "/login"
        var name = "a"
        var isSecure = false
        var isStored: Bool
    }

    @Test(
        "A response over http does not change Secure cookies (RFC 6265bis, section 5.7)",
        arguments: [
            Overlay(isStored: false),
            Overlay(isSecure: true, isStored: true),
            Overlay(name: "b", isStored: true),
            // Domains match in either direction.
            Overlay(domain: ".www.example.com", isStored: false),
            Overlay(domain: ".com", isStored: false),
            Overlay(domain: "other.com", isStored: true),
            Overlay(domain: "badexample.com", isStored: true),
            // The new path is compared with that of the Secure cookie.
            Overlay(path: "/login/now", isStored: false),
            Overlay(path: "/", isStored: true),
            Overlay(path: "/loginnow", isStored: true),
            // The storage combines path and name into its key, and would replace the Secure cookie.
            Overlay(path: "/", name: "logina", isStored: false),
        ]
    )
    func secure(_ row: Overlay) throws {
        let secure = try cookie("a", path: "/login", secure: true)
        let result = changes(
            setting: [try cookie(row.name, domain: row.domain, path: row.path)],
            among: [secure],
            isSecure: row.isSecure
        )
        #expect(result.stored.count == (row.isStored ? 1 : 0))
        #expect(result.removed.isEmpty)
        let deletion = changes(
            setting: [try cookie(row.name, domain: row.domain, path: row.path, expires: -1)],
            among: [secure],
            isSecure: row.isSecure
        )
        #expect(deletion.removed.count == (row.isSecure ? 1 : 0))
    }

    @Test("An expired Secure cookie protects nothing")
    func expiredSecure() throws {
        let secure = try cookie("a", secure: true, expires: -1)
        #expect(changes(setting: [try cookie("a")], among: [secure]).stored.count == 1)
    }

    @Test("A Secure cookie of another host is not hidden by one of their common domain")
    func secureBelowDomain() throws {
        // Without a list of public suffixes, a host may set cookies for a domain above its site.
        let secure = try cookie("a", domain: "b.example.com", secure: true)
        let new = [try cookie("a", domain: ".example.com"), try cookie("a", domain: "a.example.com")]
        let result = changes(setting: new, among: [secure], site: "a.example.com")
        #expect(result.stored.map(\.domain) == ["a.example.com"])
    }

    @Test("Within one response, the last field with a name counts, and an expired one deletes")
    func order() throws {
        let known = [try cookie("a"), try cookie("b"), try cookie("c", domain: "EXAMPLE.com")]
        let result = changes(
            setting: [
                try cookie("a"), try cookie("a", expires: -1), try cookie("b", expires: -1), try cookie("b"),
                try cookie("c"), try cookie("d", expires: -1),
            ],
            among: known
        )
        #expect(result.stored.map(\.name).sorted() == ["b", "c"])
        #expect(result.removed.map { $0.domain + $0.name }.sorted() == ["example.coma"])
    }

    @Test("A site with too many cookies loses those without Secure first, then the least recently used")
    func siteLimit() throws {
        let limit = CookieStoreRule.maximumPerSite
        let others = try (0..<50).map { try cookie("o\($0)", domain: "other.com") }
        let own = try (0..<limit).map { try cookie("k\($0)", domain: "s\($0 % 7).example.com", secure: $0 > 1) }
        var used: [String: TimeInterval] = ["k0": -1, "k1": -2, "k9": -3, "k8": -4]
        for other in others { used[other.name] = -100 }
        func removed(_ count: Int) throws -> [String] {
            let new = try (0..<count).map { try cookie("n\($0)", secure: true) }
            let result = changes(setting: new, among: others + own, isSecure: true, used: used)
            #expect(result.stored.count == count)
            return result.removed.map(\.name).sorted()
        }
        #expect(try removed(1) == ["k1"])
        #expect(try removed(4) == ["k0", "k1", "k8", "k9"])
        // Expired and replaced cookies do not count towards the limit.
        let expired = try cookie("expired", expires: -1)
        let new = [try cookie("n"), own[0]]
        #expect(changes(setting: new, among: own.dropLast() + [expired], isSecure: true).removed.isEmpty)
    }

    @Test("A response with more cookies than the limit of a site does not exceed it")
    func flood() throws {
        let new = try (0..<1_000).map { try cookie("n\($0)") }
        let result = changes(setting: new, among: [try cookie("other", domain: "other.com")])
        #expect(result.stored.count == CookieStoreRule.maximumPerSite)
        #expect(result.removed.isEmpty)
    }

    @Test(
        "A full storage loses the least recently used cookies, at most as many as are added, and ignores expired ones"
    )
    func totalLimit() throws {
        let limit = CookieStoreRule.maximumTotal
        let full = try (0..<limit).map { try cookie("k", domain: "d\($0).com") }
        let old = try cookie("old", domain: "old.com")
        let expired = try cookie("expired", domain: "expired.com", expires: -1)
        let used: [String: TimeInterval] = ["old": -1]
        let new = [try cookie("n1"), try cookie("n2")]
        let atLimit = changes(setting: new, among: full.dropLast() + [old, expired], used: used)
        #expect(atLimit.stored.count == 2)
        #expect(atLimit.removed.count == 2)
        #expect(atLimit.removed.contains { $0.name == "old" })
        // Setting a cookie counts as using it.
        #expect(changes(setting: new, among: full, used: ["n1": -1, "n2": -1]).stored.count == 2)
        let stuffed = try (0..<500).map { try cookie("m", domain: "m\($0).com") }
        #expect(changes(setting: new, among: full + stuffed, used: used).removed.count == 2)
        #expect(changes(setting: [full[0]], among: full + stuffed, used: used).removed.isEmpty)
    }

    @Test(
        "A site is the topmost domain that may set cookies",
        arguments: [
            ("a.b.example.com", "example.com"), ("example.com", "example.com"), ("com", "com"),
            ("127.0.0.1", "127.0.0.1"), ("a.example.com.", "a.example.com."), ("localhost", "localhost"),
        ]
    )
    func site(_ host: String, _ expected: String) {
        #expect(CookieStoreRule.site(of: host) { $1.contains(".") } == expected)
    }
}
