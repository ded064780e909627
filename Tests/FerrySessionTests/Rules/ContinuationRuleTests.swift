import Foundation
import Testing

@testable import FerrySession

@Suite struct ContinuationRuleTests {
    private func validator(_ fields: [String: String], status: Int = 200, method: String = "GET") throws -> String? {
        let url = try #require(URL(string: "http://a.test/"))
        var request = URLRequest(url: url)
        request.httpMethod = method
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
        )
        return ContinuationRule.validator(for: response, request: request)
    }

    /// RFC 9110, section 13.1.5: a client must not generate `If-Range` with a weak entity tag.
    @Test("Only a strong entity tag continues a response") func tags() throws {
        #expect(try validator(["ETag": "\"a\""]) == "\"a\"")
        #expect(try validator(["ETag": "W/\"a\""]) == nil)
        #expect(try validator(["ETag": "a"]) == nil)
        #expect(try validator(["ETag": "\""]) == nil)
        #expect(try validator([:]) == nil)
    }

    /// RFC 9110, section 8.8.2.2: a date is strong when it is at least a second older than the answer.
    @Test("A date continues a response only when it is strong") func dates() throws {
        let modified = "Sun, 06 Nov 1994 08:49:37 GMT"
        #expect(try validator(["Last-Modified": modified, "Date": "Sun, 06 Nov 1994 08:49:38 GMT"]) == modified)
        #expect(try validator(["Last-Modified": modified, "Date": modified]) == nil)
        #expect(try validator(["Last-Modified": modified]) == nil)
        let weakTag = ["ETag": "W/\"a\"", "Last-Modified": modified, "Date": "Sun, 06 Nov 1994 09:49:38 GMT"]
        #expect(try validator(weakTag) == nil)
    }

    @Test("Other statuses, methods and codings are not continued") func others() throws {
        let tag = ["ETag": "\"a\""]
        #expect(try validator(tag, status: 206) == nil)
        #expect(try validator(tag, method: "POST") == nil)
        #expect(try validator(tag.merging(["Content-Encoding": "gzip"]) { $1 }) == nil)
        #expect(try validator(tag.merging(["Content-Encoding": "Identity"]) { $1 }) == "\"a\"")
        #expect(try validator(tag.merging(["Accept-Ranges": "none"]) { $1 }) == nil)
    }

    /// RFC 9110, sections 14.2 and 15.3.7.
    @Test("The answer to a request for the rest is judged by status and range") func answers() {
        func judge(_ status: Int, _ range: String?, total: Int64? = 100) -> ContinuationRule.Answer {
            ContinuationRule.judge(status: status, contentRange: range, offset: 40, expectedTotal: total)
        }
        #expect(judge(206, "bytes 40-99/100") == .continues)
        #expect(judge(206, "bytes 40-99/*") == .continues)
        #expect(judge(206, "bytes 40-99/100", total: nil) == .continues)
        #expect(judge(206, "bytes 39-99/100") == .isAnother)
        #expect(judge(206, "bytes 0-99/100") == .isAnother)
        #expect(judge(206, "bytes 40-98/99") == .isAnother)
        #expect(judge(206, "bytes 40-59/100") == .isAnother)
        #expect(judge(206, "bytes 40-59/*") == .isAnother)
        #expect(judge(206, "bytes 40-59/*", total: nil) == .continues)
        #expect(judge(206, nil) == .isAnother)
        #expect(judge(206, "garbage") == .isAnother)
        #expect(judge(200, nil) == .restarts)
        #expect(judge(416, "bytes */100") == .isAnother)
        #expect(judge(416, "bytes */40") == .isAnother)
        #expect(judge(416, "bytes */40", total: 40) == .isComplete)
        #expect(judge(416, "bytes */40", total: nil) == .isComplete)
        #expect(judge(416, "bytes 0-39/40", total: 40) == .isAnother)
        #expect(judge(416, nil, total: 40) == .isAnother)
        #expect(judge(416, "bytes */+40", total: nil) == .isAnother)
        #expect(judge(416, "bytesmore */40", total: nil) == .isAnother)
        #expect(judge(203, nil) == .restarts)
        #expect(judge(503, nil) == .fails)
    }

    @Test("An answer with another entity tag than the one that was asked for is about another entity") func entityTags()
    {
        func judge(_ status: Int, _ tag: String?, _ validator: String?) -> ContinuationRule.Answer {
            ContinuationRule.judge(
                status: status,
                contentRange: status == 206 ? "bytes 40-99/100" : "bytes */40",
                entityTag: tag,
                offset: 40,
                expectedTotal: nil,
                validator: validator
            )
        }
        #expect(judge(206, "\"a\"", "\"a\"") == .continues)
        #expect(judge(206, "\"b\"", "\"a\"") == .isAnother)
        #expect(judge(206, nil, "\"a\"") == .continues)
        #expect(judge(206, "\"b\"", "Sun, 06 Nov 1994 08:49:37 GMT") == .continues)
        #expect(judge(416, "\"b\"", "\"a\"") == .isAnother)
        #expect(judge(416, "\"a\"", "\"a\"") == .isComplete)
        #expect(judge(200, "\"b\"", "\"a\"") == .restarts)
    }

    /// RFC 9110, sections 8.8.3 and 13.1.5.
    @Test(
        "A validator is a strong entity tag or a date, and never ends a line",
        arguments: [
            ("\"a\"", true), ("\"\"", true), ("\"!#~\"", true), ("Sun, 06 Nov 1994 08:49:37 GMT", true),
            ("Sunday, 06-Nov-94 08:49:37 GMT", true), ("Sun Nov  6 08:49:37 1994", true),
            ("", false), ("\"", false), ("W/\"a\"", false), ("a", false), ("\"a", false), ("\"a\"b\"", false),
            ("\"a b\"", false), ("\"a\r\nX: 1\"", false), ("\"a\u{0}\"", false), ("\"ä\"", false),
            ("\"a\u{7F}\"", false),
            ("Sun,\r\nX:1 06 Nov 1994 08:49:37 GMT", false), ("Sun, 06 Nov 1994 08:49:37 GMT\r\nX: 1", false),
            ("yesterday", false), ("\"" + String(repeating: "a", count: 9000) + "\"", false),
        ]
    ) func validators(_ text: String, _ isOne: Bool) {
        #expect(ContinuationRule.isValidator(text) == isOne)
    }
}
