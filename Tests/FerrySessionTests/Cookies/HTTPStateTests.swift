import TestSupport
import Testing

@testable import FerrySession

/// The cookie cases of https://github.com/abarth/http-state, which is as old as RFC 6265.
@Suite("http-state", .publicSuite(.httpState))
struct HTTPStateTests {
    private struct Case: Decodable {
        struct Cookie: Decodable {
            var name: String
            var value: String
        }

        enum CodingKeys: String, CodingKey {
            case test, received, sent
            case target = "sent-to"
        }

        var test: String
        var received: [String]
        var target: String?
        var sent: [Cookie]
    }

    private struct DateCase: Decodable {
        var test: String
        var expected: String?
    }

    /// Cookies without a name, which RFC 6265bis keeps (section 5.6) and RFC 6265 ignores.
    private static let nameless: Set<String> = [
        "0004", "0021", "0023", "0024", "0025", "0026", "0027", "0028", "CHROMIUM0009", "CHROMIUM0010", "CHROMIUM0012",
        "MOZILLA0012", "MOZILLA0014", "MOZILLA0015", "MOZILLA0016", "MOZILLA0017", "NAME0017", "NAME0023", "NAME0025",
        "NAME0028", "NAME0031", "NAME0032", "NAME0033",
    ]

    /// Cases that the suite itself marks as disabled or optional, with what RFC 6265bis says instead.
    private static let decidedOtherwise: [String: String] = [
        "DISABLED_CHROMIUM0022": "A field with a NUL is ignored as a whole (section 5.6)",
        "DISABLED_CHROMIUM0023": "A field with a carriage return is ignored as a whole (section 5.6)",
        "DISABLED_PATH0029": "Paths are compared as they are written, without decoding (section 5.1.4)",
        "OPTIONAL_DOMAIN0042": "The last Domain counts, and an empty one is none (section 5.7)",
    ]

    private func decode<Value: Decodable>(_ type: Value.Type, _ path: String) throws -> Value {
        let folder = try #require(PublicSuite.httpState.folder)
        return try JSONDecoder().decode(type, from: Data(contentsOf: folder.appendingPathComponent(path)))
    }

    private func sent(_ test: Case) throws -> String {
        let root = "http://home.example.org:8888/"
        let name = test.test.lowercased()
        let source = try #require(URL(string: root + "cookie-parser?" + name))
        let path = test.target ?? "/cookie-parser-result?" + name
        let target = try #require(URL(string: path, relativeTo: source)?.absoluteURL)
        let jar = try #require(CookieJar(.ephemeral))
        // Cookies of the suite that should be kept expire in 2019.
        let received = test.received.map { $0.replacing("Aug 2019", with: "Aug 2119") }
        jar.store(received.map { .init(name: "Set-Cookie", value: $0) }, for: URLRequest(url: source))
        return jar.header(for: URLRequest(url: target)) ?? ""
    }

    @Test("Cookies are received and sent as the suite expects")
    func cookies() throws {
        let cases = try decode([Case].self, "tests/data/parser.json")
        var failed: [String] = []
        for test in cases {
            let expected = test.sent.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
            let sent = try sent(test)
            guard !sent.utf8.elementsEqual(expected.utf8) else { continue }
            failed.append(test.test)
        }
        let successors = Self.nameless.intersection(failed)
        print(
            "http-state: \(cases.count - failed.count) of \(cases.count) cookies as in RFC 6265, and \(successors.count)",
            "without a name as in RFC 6265bis; others:",
            failed.filter { !successors.contains($0) }.map { "\($0): \(Self.decidedOtherwise[$0] ?? "")" }
        )
        #expect(cases.count > 200)
        #expect(Set(failed) == Self.nameless.union(Self.decidedOtherwise.keys))
    }

    @Test("Dates are parsed as the suite expects")
    func dates() throws {
        let cases = try decode([DateCase].self, "tests/data/dates/examples.json")
        let failed = cases.filter { test in
            CookieDate.parse(test.test) != test.expected.flatMap { HTTPDate.parse($0) }
        }
        print("http-state: \(cases.count - failed.count) of \(cases.count) dates, \(failed.map(\.test))")
        #expect(!cases.isEmpty)
        #expect(failed.isEmpty)
    }
}
