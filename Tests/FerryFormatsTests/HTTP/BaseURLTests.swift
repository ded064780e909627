import FerryFormats
import Foundation
import Testing

@Suite("Base URLs")
struct BaseURLTests {
    @Test(
        "A path gets a trailing slash, and a URL without a path stays unchanged",
        arguments: [
            ("http://e.com", "http://e.com"),
            ("http://e.com/", "http://e.com/"),
            ("http://e.com/v1", "http://e.com/v1/"),
            ("http://e.com/v1/", "http://e.com/v1/"),
            ("http://e.com/v1?key=1", "http://e.com/v1/?key=1"),
            ("http://e.com/v1/?key=1", "http://e.com/v1/?key=1"),
            ("http://e.com/a%2Fb%20c", "http://e.com/a%2Fb%20c/"),
            ("http://u:p@e.com:81/v1#f", "http://u:p@e.com:81/v1/#f"),
        ]
    )
    func normalize(url: String, expected: String) throws {
        #expect(BaseURL.normalize(try #require(URL(string: url))).absoluteString == expected)
    }

    @Test(
        "Strings resolve against the base",
        arguments: [
            ("users/1", "http://e.com/v1/users/1"),
            ("/users/1", "http://e.com/users/1"),
            ("", "http://e.com/v1/"),
            ("?a=1", "http://e.com/v1/?a=1"),
            ("users?a=1#f", "http://e.com/v1/users?a=1#f"),
            ("#f", "http://e.com/v1/#f"),
            ("../x", "http://e.com/x"),
            ("./a:b", "http://e.com/v1/a:b"),
            ("//other.org/x", "http://other.org/x"),
            ("https://other.org/x", "https://other.org/x"),
            ("HTTP://other.org", "HTTP://other.org"),
            ("a b", "http://e.com/v1/a%20b"),
            ("søk/日", "http://e.com/v1/s%C3%B8k/%E6%97%A5"),
            ("already%20encoded", "http://e.com/v1/already%20encoded"),
            // Foundation encodes a percent sign too, if the same component has a character that is not allowed.
            ("half%20encoded path", "http://e.com/v1/half%2520encoded%20path"),
            ("encoded%20path?q=a b", "http://e.com/v1/encoded%20path?q=a%20b"),
        ]
    )
    func resolve(string: String, expected: String) throws {
        for base in ["http://e.com/v1", "http://e.com/v1/"] {
            #expect(try BaseURL.resolve(string, against: URL(string: base)).absoluteString == expected)
        }
    }

    @Test(
        "A base URL without a path works too",
        arguments: [
            ("users", "http://e.com/users"), ("/users", "http://e.com/users"), ("", "http://e.com"),
            ("?a=1", "http://e.com?a=1"),
        ]
    )
    func bareBase(string: String, expected: String) throws {
        #expect(try BaseURL.resolve(string, against: URL(string: "http://e.com")).absoluteString == expected)
    }

    @Test("An absolute URL needs no base")
    func noBase() throws {
        #expect(try BaseURL.resolve("http://e.com/x", against: nil).absoluteString == "http://e.com/x")
    }

    @Test("The result has no base URL")
    func absolute() throws {
        #expect(try BaseURL.resolve("x", against: URL(string: "http://e.com")).baseURL == nil)
    }

    @Test(
        "A string that yields no URL is an error that names it",
        arguments: ["", "users/1", "/x", "http://[::1", "http://", "https:///x"]
    )
    func invalid(string: String) throws {
        let error = try #require(throws: RequestSerializationError.self) {
            try BaseURL.resolve(string, against: nil)
        }
        #expect(error.code == .invalidURL)
        #expect(error.failingURL == string)
        #expect((error as NSError).code == NSURLErrorBadURL)
    }

    @Test(
        "A scheme is suggested for what may begin with a host",
        arguments: [
            ("example.com", "https://example.com"), ("//A-9.b/x?y", "https://A-9.b/x?y"),
            ("localhost", "http://localhost"), ("127.1", "http://127.1"), ("a.b:1", "https://a.b:1"),
            ("a.b:12345/c", "https://a.b:12345/c"), ("a.b:123456", nil), ("a.b:", nil), ("a.b:x", nil), ("a", nil),
            ("a..b", nil), ("a.", nil), ("a_b.c", nil), (label + ".c", "https://\(label).c"), (label + "a.c", nil),
            (name, "https://" + name), (name + "a", nil),
        ]
    )
    func missingScheme(text: String, expected: String?) { #expect(MissingScheme.suggestion(for: text) == expected) }

    /// A label and a name of the greatest length.
    private static let label = String(repeating: "a", count: 63)
    private static let name = String(repeating: "a.", count: 126) + "a"
}
