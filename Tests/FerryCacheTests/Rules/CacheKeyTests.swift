import FerryCache
import Testing

@Suite struct CacheKeyTests {
    /// RFC 9111, section 2, and the normalization of RFC 9110, section 4.2.3.
    @Test(
        "A key is the requested URL",
        arguments: [
            ("http://Example.com", "http://example.com:80/"),
            ("http://example.com:80/?b=1&a=2", "http://example.com:80/?b=1&a=2"),
            ("https://user:secret@example.com/a%2Fb?q#fragment", "https://example.com:443/a%2Fb?q"),
            ("HTTPS://example.com:8443/A", "https://example.com:8443/A"),
            ("http://example.com?x", "http://example.com:80/?x"),
            ("http://[::1]:8080/x", "http://[::1]:8080/x"),
            ("http://Example.com./x", "http://example.com.:80/x"),
            ("http://example.com/@name/http://other/", "http://example.com:80/@name/http://other/"),
        ]
    )
    func key(_ row: (url: String, key: String)) throws {
        #expect(CacheKey.key(try #require(URL(string: row.url))) == row.key)
    }

    @Test("Only http and https URLs have a key", arguments: ["file:///etc/passwd", "data:,x", "x", "ftp://a/b"])
    func noKey(_ string: String) throws {
        #expect(CacheKey.key(try #require(URL(string: string))) == nil)
    }

    /// Sorting the names again for each field would take minutes.
    @Test("Many Vary fields are read in linear time, and more than a hundred names are not stored")
    func manyVaryFields() {
        let start = ContinuousClock.now
        let fields = CacheFields((0..<70_000).map { ResponseHead.Field(name: "Vary", value: "a\($0)") })
        #expect(ContinuousClock.now - start < .seconds(10 * patience))
        #expect(fields.vary == nil)
        #expect(CacheRows.fields((0..<100).map { ("Vary", "a\($0)") }).vary?.count == 100)
        #expect(CacheRows.fields((0..<101).map { ("Vary", "a\($0)") }).vary == nil)
        #expect(CacheRows.fields([("Vary", "b, A"), ("vary", "a,, c")]).vary == ["a", "b", "c"])
        #expect(CacheRows.fields([("Vary", "b"), ("vary", "c, *")]).vary == nil)
    }

    /// Section 4.1.
    @Test("Requests that differ in a field named by Vary select different responses") func variants() {
        func variant(_ names: [String], _ lines: [String]) -> String { CacheKey.variant(names, lines: lines) }
        let lines = ["Foo: 1", "Accept-Encoding: gzip", "Bar;", "Content-Type:"]
        #expect(variant([], lines) == "")
        #expect(variant(["foo"], lines) == variant(["foo"], ["FOO:  1 ", "Other: 2"]))
        #expect(variant(["foo"], lines) != variant(["foo"], ["Foo: 2"]))
        #expect(variant(["foo"], lines) != variant(["foo"], []))
        #expect(variant(["bar"], lines) != variant(["bar"], []))
        #expect(variant(["content-type"], lines) == variant(["content-type"], []))
        #expect(variant(["foo"], ["Foobar: 1"]) == variant(["foo"], []))
        #expect(variant(["a", "b"], ["A: 1"]) != variant(["a", "b"], ["B: 1"]))
    }

    @Test("The values of a request's fields are not stored in clear text") func secrets() {
        let names = ["authorization", "cookie", "x-api-key"]
        let variant = CacheKey.variant(names, lines: ["Authorization: Bearer s-3", "Cookie: a=s-3", "X-API-Key: s-3"])
        // No digest contains a hyphen.
        #expect(!variant.contains("s-3"))
        #expect(variant != CacheKey.variant(names, lines: ["Cookie: a=s-3", "X-API-Key: s-3"]))
        #expect(variant != CacheKey.variant(names, lines: ["Authorization: Bearer s-3", "Cookie: a=s-3"]))
    }
}
