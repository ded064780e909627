import Testing

@testable import FerryCommand

@Suite("Continuing a file")
struct ContinueRuleTests {
    private let record = PartRecord(url: "http://a", validator: "\"v1\"", length: 100)

    @Test(
        "The answer decides whether the rest is appended, the whole begins again, or all is kept",
        arguments: [
            (206, "bytes 40-99/100", "\"v1\"", .append),
            (206, "bytes 40-99/*", nil, .append),
            (206, "bytes 40-99/100", "\"v2\"", .askAgain),
            (206, "bytes 0-99/100", nil, .askAgain),
            (206, "bytes 40-119/120", nil, .askAgain),
            (206, nil, nil, .askAgain),
            (206, "multipart", nil, .askAgain),
            (200, nil, "\"v2\"", .startOver),
            (416, "bytes */40", nil, .askAgain),
            (416, "bytes */30", nil, .askAgain),
            (416, nil, nil, .askAgain),
            (302, nil, nil, .refused),
            (404, nil, nil, .refused),
            (503, nil, nil, .refused),
        ] as [(Int, String?, String?, ContinueRule.Verdict)]
    )
    func judges(_ status: Int, _ range: String?, _ tag: String?, _ verdict: ContinueRule.Verdict) {
        let answer = ContinueRule.Answer(status: status, contentRange: range, entityTag: tag)
        #expect(ContinueRule.judge(answer, offset: 40, record: record) == verdict)
    }

    @Test("A file of which nothing is missing is complete, if the server has as many bytes")
    func completes() {
        let all = ContinueRule.Answer(status: 416, contentRange: "bytes */100")
        #expect(ContinueRule.judge(all, offset: 100, record: record) == .isComplete)
        let other = ContinueRule.Answer(status: 416, contentRange: "bytes */101")
        #expect(ContinueRule.judge(other, offset: 100, record: record) == .askAgain)
    }

    @Test(
        "Content-Range is read strictly",
        arguments: [
            "bytes 5-4/10", "bytes 0-10/10", "bytes -1-4/10", "bytes */*", "items 0-1/2", "bytes 0-1", "bytes a-b/c",
            "",
        ]
    )
    func refusesRanges(_ field: String) {
        #expect(ContinueRule.parse(field) == nil)
    }

    @Test(
        "Only a strong validator of a plain 200 proves anything later",
        arguments: [
            (200, ["ETag": "\"a\""], "\"a\""),
            (200, ["ETag": "W/\"a\""], nil),
            (200, ["ETag": "a"], nil),
            (206, ["ETag": "\"a\""], nil),
            (200, ["ETag": "\"a\"", "Content-Encoding": "gzip"], nil),
            (200, ["ETag": "\"a\"", "Content-Encoding": "identity"], "\"a\""),
            (200, ["ETag": "\"a\"", "Accept-Ranges": "none"], nil),
            (200, [:], nil),
            (
                200, ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Date": "Sun, 06 Nov 1994 08:49:38 GMT"],
                "Sun, 06 Nov 1994 08:49:37 GMT"
            ),
            (200, ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Date": "Sun, 06 Nov 1994 08:49:37 GMT"], nil),
            (200, ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"], nil),
            (200, ["Last-Modified": "yesterday", "Date": "today"], nil),
        ] as [(Int, [String: String], String?)]
    )
    func validators(_ status: Int, _ fields: [String: String], _ validator: String?) {
        #expect(Validator.find(status: status) { fields[$0] } == validator)
    }
}
