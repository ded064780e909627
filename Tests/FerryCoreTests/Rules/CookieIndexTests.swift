import FerryCore
import TestSupport
import Testing

@Suite("Cookie index")
struct CookieIndexTests {
    private static let domains = [
        "e.com", ".e.com", "a.e.com", ".a.e.com", "b.a.e.com", "xe.com", ".com", "com", "e.com.", ".e.com.", "f.org",
        "192.168.0.1", "0xC0.0250.01", ".0250.01", ".0.1", "::1", "[::1]", "localhost", "", ".", ".b\u{FC}cher.example",
    ]
    private static let hosts = [
        "e.com", "A.e.com", "b.a.e.com", "c.b.a.e.com", "xe.com", "com", "e.com.", "a.e.com.", "f.org", "192.168.0.1",
        "0300.0250.01", "[0::1]", "localhost.", "g.net", "xn--bcher-kva.example", "a.xn--bcher-kva.example",
    ]

    private let now = Date(timeIntervalSince1970: 1_700_000_000)

    private func cookie(_ random: inout SeededGenerator) throws -> HTTPCookie {
        let cookie = HTTPCookie(properties: [
            .name: "n\(Int.random(in: 0..<4, using: &random))",
            .value: "v",
            .domain: Self.domains.randomElement(using: &random) ?? "",
            .path: Bool.random(using: &random) ? "/" : "/a",
            .expires: now.addingTimeInterval(Int.random(in: 0..<5, using: &random) == 0 ? -1 : 1),
        ])
        return try #require(cookie)
    }

    /// Changes a list as a storage does, or in a more difficult way.
    private func change(_ list: inout [HTTPCookie], _ random: inout SeededGenerator) throws {
        let place = Int.random(in: 0...list.count, using: &random)
        switch Int.random(in: 0..<20, using: &random) {
        case 0: list.shuffle(using: &random)
        case 1: list.removeFirst(place)
        case 2: list = try (0..<place).map { _ in try cookie(&random) }
        case 3..<8 where place < list.count: list.remove(at: place)
        case 8..<12 where place < list.count: list[place] = try cookie(&random)
        case 12..<19: list.insert(try cookie(&random), at: place)
        default: break
        }
    }

    private func identities(_ cookies: [HTTPCookie]) -> [UInt] {
        cookies.map { UInt(bitPattern: ObjectIdentifier($0)) }.sorted()
    }

    @Test(
        "The index of a list that changes has the cookies that a search of the whole list finds",
        arguments: 1...UInt64(20)
    )
    func list(_ seed: UInt64) throws {
        var random = SeededGenerator(seed)
        var (list, index): ([HTTPCookie], CookieIndex) = ([], CookieIndex())
        for step in 0..<200 {
            try change(&list, &random)
            index.update(to: list)
            #expect(index.count == list.count)
            #expect(identities(index.all) == identities(list), "\(seed), \(step)")
            let host = try #require(Self.hosts.randomElement(using: &random))
            let request = try #require(URL(string: "http://\(host)/a").flatMap(CookieRequest.init))
            let found = CookieRule.cookies(for: request, from: index.cookies(for: request.host), now: now)
            let expected = CookieRule.cookies(for: request, from: list, now: now)
            #expect(identities(found) == identities(expected), "\(seed), \(step), \(host)")
        }
    }

    @Test(
        "A cookie takes the place of those with the same key, and the list counts again afterwards",
        arguments: 1...UInt64(20)
    )
    func keys(_ seed: UInt64) throws {
        var random = SeededGenerator(seed)
        let list = try (0..<20).map { _ in try cookie(&random) }
        var index = CookieIndex()
        var expected: [CookieStoreRule.Key: HTTPCookie] = [:]
        for _ in 0..<50 {
            let removed = try (0..<3).map { _ in try cookie(&random) }
            let stored = try cookie(&random)
            let gone = index.change(removing: removed, storing: [stored])
            let changed = Set((removed + [stored]).map(CookieStoreRule.Key.init))
            #expect(gone == changed.intersection(expected.keys))
            for key in changed { expected[key] = nil }
            expected[CookieStoreRule.Key(stored)] = stored
            #expect(identities(index.all) == identities(Array(expected.values)))
            #expect(index.count == expected.count)
        }
        var emptied = index
        emptied.update(to: [])
        #expect(emptied.count == 0 && emptied.all.isEmpty)
        index.update(to: list)
        #expect(index.count == list.count)
        #expect(identities(index.all) == identities(list))
    }

    @Test("Cookies are found by their hosts")
    func hosts() throws {
        var random = SeededGenerator(1)
        let list = try (0..<200).map { _ in try cookie(&random) }
        let index = CookieIndex(list)
        for domain in Self.domains {
            let cookie = try #require(HTTPCookie(properties: [.name: "a", .value: "v", .domain: domain, .path: "/"]))
            let host = CookieDomain(cookie).host
            let expected = identities(list.filter { CookieDomain($0).host == host })
            #expect(identities(index.cookies { $0 == host }) == expected, "\(domain)")
        }
    }
}
