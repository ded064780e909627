import FerryTesting
import Foundation
import Testing

@testable import FerryAPI

@Suite("Link header fields", .timeLimit(.minutes(5)))
struct LinkTests {
    private let base = URL(string: "http://a.test/dir/list?page=1")

    private func links(_ values: String...) -> [Link] { Link.links(in: values, relativeTo: base) }

    private func targets(_ value: String) -> [String] {
        links(value).map { "\($0.target.absoluteString) \($0.relations.joined(separator: "+"))" }
    }

    /// RFC 8288, section 3 and appendix B.2.
    static let rows: [(String, [String])] = [
        ("<http://b.test/x>; rel=next", ["http://b.test/x next"]),
        ("<?page=2>;rel=\"next\"", ["http://a.test/dir/list?page=2 next"]),
        ("<../up>; rel=up", ["http://a.test/up up"]),
        ("<//b.test/x>; rel=next", ["http://b.test/x next"]),
        ("<>; rel=self", ["http://a.test/dir/list?page=1 self"]),
        ("<#part>; rel=section", ["http://a.test/dir/list?page=1#part section"]),
        ("<mailto:ada@a.test>; rel=author", ["mailto:ada@a.test author"]),
        ("</a b\"é>; rel=next", ["http://a.test/a%20b%22%C3%A9 next"]),
        ("</1>; rel=prev, </3>; rel=next", ["http://a.test/1 prev", "http://a.test/3 next"]),
        ("</1>; rel=\"NEXT  last next\"", ["http://a.test/1 next+last"]),
        ("</1>; rel=next; rel=prev", ["http://a.test/1 next"]),
        ("</1>; REL = next ; x", ["http://a.test/1 next"]),
        ("</1>; rel=http://b.test/Kind", ["http://a.test/1 http://b.test/kind"]),
        ("</1,2;3>; rel=next", ["http://a.test/1,2;3 next"]),
        ("</1>; title=\"a, <b>; rel=no\"; rel=next", ["http://a.test/1 next"]),
        ("</1>; title=\"a\\\"; rel=no; x=\\\"\"; rel=next", ["http://a.test/1 next"]),
        ("</1>;;; rel=next,, ,</2>;rel=next;", ["http://a.test/1 next", "http://a.test/2 next"]),
        // RFC 9112, section 5.2: a folded line continues with spaces, also inside quotes.
        ("</1>;\r\n rel=\"next\r\n\tx\",\r\n </2>; rel=next\n", ["http://a.test/1 next+x", "http://a.test/2 next"]),
        ("</1>; title=\"a\r\n b\" \r\n ; rel\r\n =\r\n prev", ["http://a.test/1 prev"]),
        // Malformed links are left out, and the links after them are read.
        ("/1; rel=next, </2>; rel=next", ["http://a.test/2 next"]),
        ("x; a=\", </1>; rel=next\", </2>; rel=next", ["http://a.test/2 next"]),
        ("</1> rel=next, </2>; rel=next", ["http://a.test/2 next"]),
        ("</1> junk; rel=next", ["http://a.test/1 next"]),
        ("</1>", []), ("</1>; rel", []), ("</1>; rel=\"\"", []), ("</1>; rel=é", []), ("</1; rel=next", []),
        ("", []), (",;<>\"\\", []), ("<", []), ("</1>; rel=\"next", ["http://a.test/1 next"]),
        ("</1>; rel=\"next\\", ["http://a.test/1 next"]),
    ]

    @Test("The links of a field have absolute targets and lower-case relation types", arguments: rows.indices)
    func table(_ row: Int) {
        let (value, expected) = Self.rows[row]
        #expect(targets(value) == expected, "\(value)")
    }

    @Test("The parameters of a link are decoded")
    func parameters() throws {
        let value = """
            </1>; rel=next; title="a \\"b\\" \\\\c"; title="no"; type="text/html"; hreflang=de; hreflang=en; \
            Media="screen, print"; media=no; flag; empty=""
            """
        let link = try #require(links(value).first)
        #expect(link.title == "a \"b\" \\c")
        #expect(link.type == "text/html")
        #expect(link.hreflang == ["de", "en"])
        #expect(link.parameters == ["media": "screen, print", "flag": "", "empty": ""])
        #expect(link.anchor == nil)
        #expect(link.description == "<http://a.test/1>; rel=\"next\"")
    }

    /// RFC 8288, section 3.4.1, and RFC 8187.
    @Test("title* takes precedence over title, unless it cannot be decoded")
    func extendedTitle() {
        let both = links("</1>; rel=next; title=plain; title*=UTF-8'de'n%c3%a4chstes%20Kapitel")
        #expect(both.first?.title == "nächstes Kapitel")
        #expect(links("</1>; rel=next; title=plain; title*=UTF-8''%zz").first?.title == "plain")
        #expect(links("</1>; rel=next; title*=koi8-r''a").first.map { $0.title == nil } == true)
    }

    @Test("Blanks around a value are not part of it", arguments: [" ", "\t", " \t"])
    func blanks(_ blanks: String) {
        #expect(links("</1>; title=\(blanks)a b\(blanks); rel=next").first?.title == "a b")
    }

    @Test("A line break inside a value is read as a space")
    func folded() {
        #expect(links("</1>; rel=next; title=\"a\r\n b\rc\nd\"").first?.title == "a   b c d")
    }

    /// RFC 8288, section 3.2.
    @Test("A link that belongs to another resource is not one of the response")
    func anchor() {
        let links = links(
            "</1>; rel=next; anchor=\"/other\", </2>; rel=next; anchor=\"#part\", </3>; rel=Next; anchor=\"\""
        )
        #expect(
            links.map { $0.anchor?.absoluteString } == [
                "http://a.test/other", "\(base?.absoluteString ?? "")#part", nil,
            ]
        )
        #expect(links.first(rel: "NEXT")?.target.path == "/3")
        #expect(self.links("</1>; rel=next; anchor=\"\(String(repeating: "a", count: 9_000))\"") == [])
    }

    @Test("Without a base, only absolute targets are usable")
    func noBase() {
        let values = [
            "</1>; rel=next, <>; rel=next, <http://b.test/>; rel=next, <http://b.test/>; rel=x; anchor=\"/a\""
        ]
        #expect(Link.links(in: values, relativeTo: nil).map(\.target.absoluteString) == ["http://b.test/"])
    }

    @Test("Targets, parameters, relation types and links are limited")
    func limits() {
        let long = String(repeating: "a", count: 8_192)
        #expect(links("</\(long.dropLast())>; rel=next").count == 1)
        #expect(links("</\(long)>; rel=next, </2>; rel=next").map(\.target.path) == ["/2"])
        #expect(
            links("</1>; rel=next; title=\"\(long)\"; x=\(long)").first.map { $0.title == nil && $0.parameters == [:] }
                == true
        )
        #expect(links("</1>; rel=\(long), </2>; rel=next").count == 1)
        let words = (0..<5_000).map { "r\($0 % 500)" }.joined(separator: " ").prefix(4_000)
        #expect(links("</1>; rel=\"\(words)\"").first?.relations.count == 32)
        let many = String(repeating: "</1>; rel=next,", count: 700)
        #expect(links(many, many).count == 1_000)
    }

    @Test("Without a response there are no links")
    func noResponse() {
        #expect(TaskResponse<Data>().links == [])
    }

    @Test("A link can be made, for tests and other sources")
    func made() throws {
        let link = Link(target: try #require(base), relations: ["Next"])
        #expect(link.has(rel: "NEXT"))
        #expect([link].first(rel: "next") == link)
        #expect([link].first(rel: "prev") == nil)
    }

    @Test("The description contains no secret of the target")
    func secrets() throws {
        let value = "<http://\(SecretScan.userInfo)a.test/?access_token=\(SecretScan.password)>; rel=next"
        let link = try #require(links(value).first)
        #expect(!link.description.contains(SecretScan.password))
        #expect(!link.description.contains(SecretScan.user))
    }

    @Test("Links of a response are resolved against its URL", arguments: TestTransport.allCases)
    func wire(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { request in
            request.path == "/old"
                ? .redirect(to: "/new/list") : .text("x").adding("Link", "<2>; rel=next, <9>; rel=last")
        }
        let response = await transport.manager(baseURL: server.url).response(for: .get("old", serializer: .string))
        #expect(response.links.first(rel: "next")?.target == server.url("/new/2"))
        #expect(response.links.first(rel: "last")?.target == server.url("/new/9"))
        #expect(response.links.first(rel: "prev") == nil)
    }

    /// RFC 9110, section 5.5, and RFC 9112, section 5.2.
    @Test("A folded line, and a carriage return inside a field, are read as spaces", arguments: TestTransport.allCases)
    func foldedField(_ transport: TestTransport) async throws {
        let server = try RawServer(
            answering:
                "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nLink: </2>;\r\n rel=\"next\r\n\tx\",\r\n </9>; rel=\"a\rb\"\r\n\r\n"
        )
        let response = await transport.manager(baseURL: server.url()).response(for: .get("x", serializer: .data))
        #expect(response.links.map(\.relations) == [["next", "x"], ["a", "b"]])
    }

    @Test("Links of several fields are in the order received")
    func fields() async throws {
        let server = try LoopbackServer { _ in
            .text("x").adding("Link", "</2>; rel=next, </9>; rel=last").adding("link", "</0>; rel=\"first prev\"")
        }
        let manager = TestTransport.curl.manager(baseURL: server.url)
        let response = await manager.response(for: .get("x", serializer: .string))
        #expect(response.links.map(\.target.path) == ["/2", "/9", "/0"])
        #expect(response.httpResponse?.links.first(rel: "prev")?.target == server.url("/0"))
    }
}
