import FerryCache
import Testing

@Suite struct CacheValidationTests {
    /// RFC 9111, section 4.3.1.
    @Test("Conditions contain only values that can be sent") func conditions() {
        func conditions(_ fields: [(String, String)]) -> [String] {
            CacheValidation.conditions(CacheRows.fields(fields)).map { "\($0.name): \($0.value)" }
        }
        let date = CacheRows.date(-100)
        #expect(conditions([]) == [])
        #expect(conditions([("ETag", "W/\"a\"")]) == ["If-None-Match: W/\"a\""])
        #expect(conditions([("Last-Modified", date)]) == ["If-Modified-Since: \(date)"])
        #expect(
            conditions([("ETag", "\"a\""), ("Last-Modified", date)])
                == ["If-None-Match: \"a\"", "If-Modified-Since: \(date)"]
        )
        #expect(conditions([("ETag", "\"ü\"")]) == [])
        #expect(conditions([("ETag", ""), ("Last-Modified", "once")]) == [])
    }

    @Test(
        "A 304 is about the stored response unless its tag differs (section 4.3.4)",
        arguments: [
            ("\"a\"", nil, true), (nil, nil, true), ("\"a\"", "\"a\"", true), ("\"a\"", "\"b\"", false),
            ("W/\"a\"", "W/\"a\"", true), ("\"a\"", "W/\"a\"", true), ("W/\"a\"", "\"a\"", false),
            ("W/\"a\"", "W/\"b\"", false), (nil, "\"a\"", false), (nil, "W/\"a\"", true),
        ] as [(String?, String?, Bool)]
    )
    func selects(_ row: (stored: String?, answer: String?, isAbout: Bool)) {
        func fields(_ tag: String?) -> CacheFields { CacheRows.fields(tag.map { [("ETag", $0)] } ?? []) }
        #expect(CacheValidation.selects(fields(row.stored), by: fields(row.answer)) == row.isAbout)
    }

    @Test("Without tags, a 304 is about the stored response unless it has another date (section 4.3.4)")
    func dates() {
        func selects(_ stored: String?, _ answer: String?, tag: String? = nil) -> Bool {
            func fields(_ date: String?) -> [(String, String)] { date.map { [("Last-Modified", $0)] } ?? [] }
            let stored = CacheRows.fields(fields(stored) + (tag.map { [("ETag", $0)] } ?? []))
            return CacheValidation.selects(stored, by: CacheRows.fields(fields(answer)))
        }
        let (old, new) = (CacheRows.date(-100), CacheRows.date(-50))
        #expect(selects(old, old) && selects(old, nil) && selects(nil, new) && selects(old, "once"))
        #expect(!selects(new, old) && !selects(old, new))
        #expect(selects(old, new, tag: "\"a\""))
    }

    /// Section 3.2.
    @Test("New fields replace those of the same name, but not those that describe the stored body") func merging() {
        let stored = CacheRows.list([
            ("Content-Type", "text/plain"), ("Content-Length", "3"), ("Content-Encoding", "gzip"), ("X-Old", "1"),
            ("Set-Cookie", "a=1"), ("Age", "100"), ("Cache-Control", "max-age=1"),
        ])
        let answer = CacheRows.list([
            ("content-length", "0"), ("CACHE-CONTROL", "max-age=60"), ("Set-Cookie", "b=1"), ("Set-Cookie", "c=1"),
            ("Connection", "X-Hop"), ("X-Hop", "1"), ("Content-Encoding", "br"), ("X-New", "2"),
        ])
        let merged = CacheValidation.merge(stored, with: answer).map { "\($0.name): \($0.value)" }
        #expect(
            merged == [
                "Content-Type: text/plain", "Content-Length: 3", "Content-Encoding: gzip", "X-Old: 1",
                "CACHE-CONTROL: max-age=60", "Set-Cookie: b=1", "Set-Cookie: c=1", "X-New: 2",
            ]
        )
    }

    @Test(
        "A response to HEAD is about the stored response if each validator and the length are the same (section 4.3.5)",
        arguments: [
            ([("ETag", "\"a\""), ("Content-Length", "3")], [], true),
            ([("ETag", "\"a\""), ("Content-Length", "3")], [("Content-Length", "3")], true),
            ([("ETag", "\"a\""), ("Content-Length", "3")], [("Content-Length", "4")], false),
            ([("ETag", "\"a\"")], [("ETag", "\"a\"")], true),
            ([("ETag", "\"a\"")], [("ETag", "\"b\"")], false),
            ([("ETag", "\"a\"")], [("ETag", "\"a\""), ("Last-Modified", "now")], false),
            ([("Last-Modified", "then")], [("Last-Modified", "now")], false),
            ([], [("ETag", "\"a\"")], false),
            ([], [("Last-Modified", "now")], false),
            ([], [], true),
        ] as [([(String, String)], [(String, String)], Bool)]
    )
    func head(_ row: (stored: [(String, String)], answer: [(String, String)], isAbout: Bool)) {
        let answer = CacheRows.head(200, row.answer)
        let isAbout = CacheValidation.matchesHead(CacheRows.head(200, row.stored), answer, length: nil)
        #expect(isAbout == row.isAbout)
        // The response to GET would have the same status.
        #expect(!CacheValidation.matchesHead(CacheRows.head(404, row.stored), answer, length: nil))
    }

    @Test("The length of the stored body stands for a missing Content-Length, unless it was decoded")
    func lengthOfBody() {
        let answer = CacheRows.head(200, [("Content-Length", "3")])
        #expect(CacheValidation.matchesHead(CacheRows.head(), answer, length: 3))
        #expect(!CacheValidation.matchesHead(CacheRows.head(), answer, length: 4))
        #expect(!CacheValidation.matchesHead(CacheRows.head(), answer, length: nil))
    }

    private static let tag = ("ETag", "\"a\"")

    /// RFC 9111, section 3.4.
    @Test(
        "The beginning of a body is kept if its rest can be requested and added",
        arguments: [
            (206, [tag, ("Content-Range", "bytes 0-2/10")], true),
            (200, [tag, ("Content-Range", "bytes 0-2/10")], false),
            (206, [tag, ("Content-Range", "bytes 1-3/10")], false),
            (206, [tag, ("Content-Range", "bytes 0-9/10")], false),
            (206, [tag, ("Content-Range", "bytes 0-2/*")], false), (206, [("Content-Range", "bytes 0-2/10")], false),
            (206, [("ETag", "W/\"a\""), ("Content-Range", "bytes 0-2/10")], false),
            (206, [tag, ("Content-Range", "bytes 0-2/10"), ("Content-Encoding", "gzip")], false),
        ] as [(Int, [(String, String)], Bool)]
    )
    func beginning(_ row: (status: Int, fields: [(String, String)], isKept: Bool)) {
        let beginning = CacheCompletion.beginning(CacheRows.head(row.status, row.fields))
        #expect((beginning != nil) == row.isKept)
        if row.isKept {
            #expect(beginning?.conditions.map { "\($0.name): \($0.value)" } == ["Range: bytes=3-", "If-Range: \"a\""])
        }
    }

    @Test(
        "A rest completes the beginning only if it is of the same entity and goes to its end",
        arguments: [
            ([tag, ("Content-Range", "bytes 3-9/10")], true), ([tag, ("Content-Range", "bytes 3-8/10")], false),
            ([("Content-Range", "bytes 3-9/10")], false),
            ([("ETag", "\"b\""), ("Content-Range", "bytes 3-9/10")], false),
            ([tag, ("Content-Range", "bytes 3-9/10"), ("Content-Encoding", "identity")], false),
        ] as [([(String, String)], Bool)]
    )
    func completion(_ row: (fields: [(String, String)], isWhole: Bool)) throws {
        let stored = CacheRows.head(206, [Self.tag, ("Content-Range", "bytes 0-2/10"), ("Content-Length", "3")])
        let beginning = try #require(CacheCompletion.beginning(stored))
        let answer = CacheRows.head(206, row.fields + [("Content-Length", "7")])
        let whole = CacheCompletion.whole(beginning, stored: stored, answer: answer)
        #expect((whole != nil) == row.isWhole)
        if let whole {
            #expect(whole.status == 200)
            #expect(whole.fields.map { "\($0.name): \($0.value)" } == ["ETag: \"a\"", "Content-Length: 10"])
        }
    }

    /// Section 5.1.
    @Test("The current age replaces the received one", arguments: [(0.0, "0"), (3.9, "3"), (1e12, "2147483648")])
    func age(_ row: (Double, String)) {
        let fields = CacheValidation.withAge(CacheRows.list([("age", "7"), ("X", "1")]), row.0)
        #expect(fields.filter { $0.name.lowercased() == "age" }.map(\.value) == [row.1])
        #expect(fields.count == 2)
    }

    @Test(
        "A response to an unsafe method invalidates its URL and the named ones of the same origin (section 4.4)",
        arguments: [
            ("POST", 200, ["/x", "/location", "/content"]), ("PUT", 204, ["/x", "/location", "/content"]),
            ("DELETE", 302, ["/x", "/location", "/content"]), ("M-SEARCH", 200, ["/x", "/location", "/content"]),
            ("POST", 500, []), ("POST", 404, []), ("GET", 200, []), ("HEAD", 200, []), ("OPTIONS", 200, []),
        ]
    )
    func invalidation(_ row: (method: String, status: Int, paths: [String])) throws {
        let url = try #require(URL(string: "http://example.com/x"))
        let head = CacheRows.head(row.status, [("Location", "/location"), ("Content-Location", "content")])
        #expect(CacheInvalidation.invalidated(by: head, to: url, method: row.method).map(\.path) == row.paths)
        let foreign = CacheRows.head(
            200,
            [("Location", "http://other.com/"), ("Content-Location", "https://example.com/")]
        )
        #expect(CacheInvalidation.invalidated(by: foreign, to: url, method: "POST") == [url])
    }
}
