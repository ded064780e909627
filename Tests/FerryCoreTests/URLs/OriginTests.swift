import FerryCore
import Foundation
import Testing

@Suite struct OriginTests {
    private func origin(_ string: String) throws -> Origin {
        Origin(try #require(URL(string: string)))
    }

    /// RFC 6454, sections 4 and 5: scheme and host in lower case, and the port, by default that of the scheme.
    @Test(
        "URLs of one origin",
        arguments: [
            ("http://a.test/x", "HTTP://A.TEST:80/y?z#f"),
            ("https://a.test/", "https://a.test:443"),
            ("http://user:secret@a.test/", "http://a.test/"),
            ("http://[::1]:8080/", "http://[::1]:8080/x"),
            ("http://[::1]/", "http://[::1]:80/"),
            ("http://[::1]/", "http://[0:0::1]/"),
            ("http://127.0.0.1/", "http://127.1/"),
            ("http://a.test/", "http://%61.TEST/"), ("http://a.test./", "http://A.test.:80/"),
            ("http://127.0.0.1/", "http://127.0.0.1./"), ("http://localhost/", "http://localhost./"),
        ]
    )
    func same(_ pair: (String, String)) throws {
        #expect(try origin(pair.0) == origin(pair.1))
    }

    @Test(
        "URLs of different origins",
        arguments: [
            ("http://a.test/", "https://a.test/"),
            ("http://a.test/", "http://b.test/"),
            ("http://a.test/", "http://a.test:8080/"),
            ("http://a.test/", "http://www.a.test/"),
            ("http://a.test/", "http://a.test./"),
            ("https://a.test/", "https://a.test:80/"),
            ("http://127.0.0.1/", "http://localhost/"),
            ("http://a.test/", "http://a.test.evil/"),
            ("http://a.test/", "http://a.test@evil.test/"),
            ("http://a%2F.test/", "http://a.test/"),
            ("http://a%2Fb/", "http://a%40b/"),
            ("a+b-c.d://h/", "a+b-c.d://i/"),
            ("http:/", "http://a.test/"),
        ]
    )
    func different(_ pair: (String, String)) throws {
        #expect(try origin(pair.0) != origin(pair.1))
    }
}
