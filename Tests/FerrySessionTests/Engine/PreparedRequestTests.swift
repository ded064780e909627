import Testing

@testable import FerrySession

@Suite struct PreparedRequestTests {
    @Test(
        "The host that libcurl gets is the one that decisions are based on",
        arguments: [
            ("http://127.1:81/a?b#c", "http://127.0.0.1:81/a?b#c", "127.0.0.1"),
            ("http://ada:s3cret@0x7f.1/", "http://ada:s3cret@127.0.0.1/", "127.0.0.1"),
            ("http://%6cocalhost./x@y", "http://localhost/x@y", "localhost"),
            ("https://EXAMPLE.com", "https://example.com", "example.com"),
            ("http://[::FFFF:102:304]:8/", "http://[::ffff:1.2.3.4]:8/", "::ffff:1.2.3.4"),
            ("http://[2001:DB8:0::1]/", "http://[2001:db8::1]/", "2001:db8::1"),
            ("http://example.com./", "http://example.com./", "example.com"),
            ("http://plain.example/a%2Fb", "http://plain.example/a%2Fb", "plain.example"),
        ]
    )
    func prepared(_ text: String, _ forCurl: String, _ host: String) throws {
        let settings = CurlSessionSettings(.ephemeral, options: CurlSession.Options())
        let url = try #require(URL(string: text))
        let prepared = try PreparedRequest(URLRequest(url: url), settings: settings, context: .init())
        #expect(prepared.url == forCurl)
        #expect(prepared.origin.host == host)
        #expect(Origin(url) == prepared.origin)
        #expect(CacheKey.key(url) == CacheKey.key(prepared.url, origin: prepared.origin))
    }

    @Test(
        "A URL with an invalid host is refused before anything is sent",
        arguments: ["http://a%2Fb/", "http://256.1.1.1/", "http://a%40b/", "http://ex%00ample/", "http://[1.2.3.4]/"]
    )
    func unprepared(_ text: String) throws {
        let settings = CurlSessionSettings(.ephemeral, options: CurlSession.Options())
        let url = try #require(URL(string: text))
        let error = #expect(throws: URLError.self) {
            try PreparedRequest(URLRequest(url: url), settings: settings, context: .init())
        }
        #expect(error?.code == .badURL)
        #expect((error?.userInfo[NSUnderlyingErrorKey] as? CurlSessionError)?.code == .invalidHost)
    }
}
