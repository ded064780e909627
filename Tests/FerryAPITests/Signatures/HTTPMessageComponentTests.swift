import FerryAPI
import FerrySession
import Foundation
import Testing

/// The components of requests (RFC 9421, section 2).
@Suite("Components of HTTP Message Signatures")
struct HTTPMessageComponentTests {
    private func request(_ text: String, host: String) throws -> SignableRequest {
        SignableRequest(method: "GET", url: try #require(URL(string: text)), headerFields: [("Host", host)])
    }

    @Test(
        "Derived components are those of the request that is sent",
        arguments: [
            ("https://a.example/b?c", "a.example", "a.example", "https", "/b", "?c", "https://a.example/b?c"),
            ("http://a.example", "A.example:80", "a.example", "http", "/", "?", "http://a.example/"),
            ("https://1.2.3.4?", "a:443", "a", "https", "/", "?", "https://a/?"),
            (
                "http://u:p@127.0.0.1:8/%2f/../b?a=%c3&?#f", "127.0.0.1:443", "127.0.0.1:443", "http", "/%2f/../b",
                "?a=%c3&?", "http://127.0.0.1:443/%2f/../b?a=%c3&?"
            ),
            ("https://[::1]:80/", "[::1]:80", "[::1]:80", "https", "/", "?", "https://[::1]:80/"),
        ]
    )
    func derived(
        _ text: String,
        _ host: String,
        _ authority: String,
        _ scheme: String,
        _ path: String,
        _ query: String,
        _ target: String
    ) throws {
        let request = try self.request(text, host: host)
        let components: [HTTPMessageSignature.Component] = [.authority, .scheme, .path, .query, .targetURI, .method]
        #expect(
            try components.map { try $0.value(in: request) } == [authority, scheme, path, query, target, "GET"]
        )
    }

    @Test(
        "An item of the query is encoded in one way (section 2.2.8)",
        arguments: [
            ("a", "?a=b", #""@query-param";name="a""#, "b"), ("a", "?c&a&d=a", #""@query-param";name="a""#, ""),
            ("a b", "?a+b=c+%20~*", #""@query-param";name="a%20b""#, "c%20%20%7E*"),
            ("ü", "?%c3%bc=%e2%82%ac=", #""@query-param";name="%C3%BC""#, "%E2%82%AC%3D"),
            // Bytes that are not UTF-8 are replaced, as by the parser of forms.
            ("a", "?a=%E4%20x", #""@query-param";name="a""#, "%EF%BF%BD%20x"),
            ("\u{E9}", "?e%CC%81=1&%C3%A9=2", #""@query-param";name="%C3%A9""#, "2"),
        ]
    )
    func items(_ name: String, _ query: String, _ identifier: String, _ value: String) throws {
        let component = HTTPMessageSignature.Component.queryParameter(name)
        #expect(try component.identifier() == identifier)
        #expect(try component.value(in: request("https://a.example/\(query)", host: "a.example")) == value)
    }

    @Test(
        "What a request does not have, or has twice, cannot be signed",
        arguments: [
            "x-missing", "@status", "@query-param", "@signature-params", "", "ü", .queryParameter("b"),
            .queryParameter("a"),
        ] as [HTTPMessageSignature.Component]
    )
    func missing(_ component: HTTPMessageSignature.Component) throws {
        let request = try self.request("https://a.example/?a=1&a=2", host: "a.example")
        let error = #expect(throws: RequestSerializationError.self) {
            try component.value(in: request)
        }
        #expect(error?.code == .invalidHeader)
    }
}
