import FerryCache
import Testing

@Suite struct CacheSelectorTests {
    /// RFC 9110, section 14.1.2.
    @Test(
        "A range of bytes is a part of a body of 10 bytes, or of an empty one",
        arguments: [
            ("bytes=0-0", 0..<1), ("bytes=0-9", 0..<10), ("bytes=2-5", 2..<6), ("Bytes=9-", 9..<10),
            ("bytes=0-", 0..<10), ("bytes=5-100", 5..<10), ("bytes=5-99999999999999999999", 5..<10),
            ("bytes=-1", 9..<10), ("bytes=-10", 0..<10), ("bytes=-99999999999999999999", 0..<10), ("bytes= 1-2", 1..<3),
            ("bytes=10-", nil), ("bytes=99999999999999999999-", nil), ("bytes=-0", nil), ("bytes=5-4", nil),
            ("bytes=", nil), ("bytes=-", nil), ("bytes", nil), ("items=0-1", nil), ("bytes=0-1,3-4", nil),
            ("bytes=a-b", nil), ("bytes=+1-2", nil), ("bytes=1--2", nil), ("bytes=0x1-2", nil), ("", nil),
        ] as [(String, Range<Int>?)]
    )
    func range(_ text: String, _ expected: Range<Int>?) {
        #expect(CacheSelector.bytes(text, of: 10) == expected)
        #expect(CacheSelector.bytes(text, of: 0) == nil)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var request: [String: String]
        var fields: [(String, String)] = [
            ("ETag", "\"a\""), ("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"),
            ("Date", "Sun, 06 Nov 1994 08:49:38 GMT"),
        ]
        var status = 200
        var isCoded = false
        var answer: CacheSelector.Answer?

        var testDescription: String { "\(request) of \(status) \(fields.map { "\($0): \($1)" })" }
    }

    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let weak = [("ETag", "W/\"a\"")]
    private static let plain: [(String, String)] = [("Date", "Sun, 06 Nov 1994 08:49:38 GMT")]

    @Test(
        "A stored response of 10 bytes is used for what it proves",
        arguments: [
            Row(request: [:], answer: nil),
            // RFC 9110, sections 13.1.5 and 14.2.
            Row(request: ["range": "bytes=1-2"], answer: .part(1..<3)),
            Row(request: ["range": "bytes=1-2"], status: 404, answer: nil),
            Row(request: ["range": "bytes=1-2"], isCoded: true, answer: nil),
            Row(request: ["range": "bytes=1-2", "if-range": "\"a\""], answer: .part(1..<3)),
            Row(request: ["range": "bytes=1-2", "if-range": "\"b\""], answer: nil),
            Row(request: ["range": "bytes=1-2", "if-range": "W/\"a\""], fields: weak, answer: nil),
            Row(request: ["range": "bytes=1-2", "if-range": "\"a\""], fields: weak, answer: nil),
            Row(request: ["range": "bytes=1-2", "if-range": date], answer: .part(1..<3)),
            Row(request: ["range": "bytes=1-2", "if-range": "Sun, 06 Nov 1994 08:49:38 GMT"], answer: nil),
            Row(
                request: ["range": "bytes=1-2", "if-range": date],
                fields: [("Last-Modified", date), ("Date", date)],
                answer: nil
            ),
            // Section 13.1.2: weak comparison; the tag takes precedence over a date.
            Row(request: ["if-none-match": "\"a\""], answer: .notModified),
            Row(request: ["if-none-match": "W/\"a\""], answer: .notModified),
            Row(request: ["if-none-match": "\"a\""], fields: weak, answer: .notModified),
            Row(request: ["if-none-match": "\"x\", \"y,\" , W/\"a\""], answer: .notModified),
            Row(request: ["if-none-match": "\"x, \\\"a\""], answer: nil),
            Row(request: ["if-none-match": "*"], answer: .notModified),
            Row(request: ["if-none-match": "*"], fields: plain, answer: .notModified),
            Row(request: ["if-none-match": "\"b\""], answer: nil),
            Row(request: ["if-none-match": "a"], answer: nil),
            Row(request: ["if-none-match": "\"a"], answer: nil),
            Row(request: ["if-none-match": "\"\""], fields: plain, answer: nil),
            Row(request: ["if-none-match": "\"\""], fields: [("ETag", "\"\"")], answer: .notModified),
            Row(request: ["if-none-match": "\"\""], fields: [("ETag", "\"")], answer: nil),
            Row(request: ["if-none-match": "\"\""], fields: [("ETag", "\"a")], answer: nil),
            Row(request: ["if-none-match": "\"\""], fields: [("ETag", "a\"")], answer: nil),
            Row(request: ["if-none-match": "\"a\""], status: 404, answer: nil),
            Row(request: ["if-none-match": "\"b\"", "if-modified-since": date], answer: nil),
            Row(
                request: ["if-none-match": "\"a\"", "if-modified-since": "Sat, 05 Nov 1994 08:49:37 GMT"],
                answer: .notModified
            ),
            // Section 13.1.3, and RFC 9111, section 4.3.2.
            Row(request: ["if-modified-since": date], answer: .notModified),
            Row(request: ["if-modified-since": "Sunday, 06-Nov-94 08:49:37 GMT"], answer: .notModified),
            Row(request: ["if-modified-since": "Mon, 07 Nov 1994 08:49:37 GMT"], answer: .notModified),
            Row(request: ["if-modified-since": "Sun, 06 Nov 1994 08:49:36 GMT"], answer: nil),
            Row(request: ["if-modified-since": "Sun, 6 Nov 1994 08:49:37 GMT"], answer: nil),
            Row(request: ["if-modified-since": date], fields: plain, answer: nil),
            Row(request: ["if-modified-since": "Mon, 07 Nov 1994 08:49:37 GMT"], fields: plain, answer: .notModified),
            Row(request: ["if-modified-since": "Mon, 07 Nov 1994 08:49:37 GMT"], fields: [], answer: nil),
            Row(request: ["if-modified-since": date], fields: [("Last-Modified", "0")], answer: nil),
        ]
    )
    func answer(_ row: Row) throws {
        let selector = try #require(CacheSelector(row.request, method: "GET"))
        let answer = selector.answer(
            status: row.status,
            fields: CacheRows.fields(row.fields),
            responseTime: Date(timeIntervalSince1970: 1_700_000_000),
            length: 10,
            isCoded: row.isCoded
        )
        #expect(answer == row.answer)
    }

    /// RFC 9110, sections 14.4 and 15.4.5.
    @Test("A part has its own length and range, and a 304 only the fields that a cache needs") func fields() {
        let stored = CacheRows.list([
            ("Content-Length", "10"), ("content-range", "x"), ("ETag", "\"a\""), ("Set-Cookie", "a=1"),
        ])
        let part = CacheSelector.fields(stored, of: 2..<6, length: 10).map { "\($0.name): \($0.value)" }
        #expect(part == ["ETag: \"a\"", "Set-Cookie: a=1", "Content-Length: 4", "Content-Range: bytes 2-5/10"])
        let kept = [
            "Age", "Cache-Control", "Content-Location", "Date", "ETag", "Expires", "Last-Modified", "Vary",
        ]
        let all = CacheRows.list(kept.map { ($0, "x") })
        #expect(CacheSelector.notModifiedFields(all + stored).map(\.name) == kept + ["ETag"])
    }

    @Test(
        "Requests whose conditions only the server can evaluate bypass the cache",
        arguments: [
            (["if-match": "\"a\""], "GET"), (["if-unmodified-since": date], "GET"), (["if-range": "\"a\""], "GET"),
            (["range": "bytes=0-1", "if-none-match": "\"a\""], "GET"), (["range": "bytes=0-1"], "HEAD"),
            (["if-match": "*", "if-none-match": "\"a\""], "GET"),
            (["if-match": "*", "if-modified-since": date], "GET"),
        ]
    )
    func unanswered(_ fields: [String: String], _ method: String) {
        #expect(CacheSelector(fields, method: method) == nil)
    }
}
