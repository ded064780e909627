import FerryCore
import Foundation
import Testing

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

    /// RFC 9110, section 8.8.2.2: a date is strong if it is at least a second older than the response.
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

    private func evaluate(
        _ status: Int,
        _ fields: [String: String],
        total: ByteCount? = 100,
        validator: String? = "\"a\""
    ) -> ContinuationRule.Answer {
        ContinuationRule.evaluate(
            .init(status: status) { fields[$0] },
            .init(offset: 40, total: total, validator: validator)
        )
    }

    /// RFC 9110, section 15.3.7.2.
    @Test("Several parts are not the rest") func parts() {
        let fields = ["Content-Range": "bytes 40-99/100", "Content-Type": "Multipart/ByteRanges; boundary=x"]
        #expect(evaluate(206, fields) == .isAnother)
    }

    /// RFC 9110, sections 14.2 and 15.3.7.
    @Test("The response to a request for the rest is evaluated by status and range") func answers() {
        func evaluate(_ status: Int, _ range: String?, total: ByteCount? = 100) -> ContinuationRule.Answer {
            self.evaluate(status, range.map { ["Content-Range": $0] } ?? [:], total: total)
        }
        #expect(evaluate(206, "bytes 40-99/100") == .continues(end: 100))
        #expect(evaluate(206, "bytes 40-99/*") == .continues(end: 100))
        #expect(evaluate(206, "bytes 40-99/100", total: nil) == .continues(end: 100))
        #expect(evaluate(206, "bytes 39-99/100") == .isAnother)
        #expect(evaluate(206, "bytes 0-99/100") == .isAnother)
        #expect(evaluate(206, "bytes 40-98/99") == .isAnother)
        #expect(evaluate(206, "bytes 40-59/100") == .isAnother)
        #expect(evaluate(206, "bytes 40-59/*") == .isAnother)
        #expect(evaluate(206, "bytes 40-59/*", total: nil) == .continues(end: 60))
        #expect(evaluate(206, "bytes 40-9223372036854775806/*", total: nil) == .continues(end: .max))
        #expect(evaluate(206, "bytes 40-9223372036854775807/*", total: nil) == .isAnother)
        #expect(evaluate(206, nil) == .isAnother)
        #expect(evaluate(206, "garbage") == .isAnother)
        #expect(evaluate(200, nil) == .restarts)
        #expect(evaluate(416, "bytes */100") == .isAnother)
        #expect(evaluate(416, "bytes */40") == .isAnother)
        #expect(evaluate(416, "bytes */40", total: 40) == .isComplete)
        #expect(evaluate(416, "bytes */40", total: nil) == .isComplete)
        #expect(evaluate(416, "bytes */+40", total: nil) == .isAnother)
        #expect(evaluate(416, "bytes 0-39/40", total: 40) == .isAnother)
        #expect(evaluate(416, nil, total: 40) == .isAnother)
        #expect(evaluate(503, nil) == .fails)
    }

    /// RFC 9110, sections 13.1.5 and 14.4: a server may ignore `If-Range`.
    @Test(
        "A part is accepted only if everything that can be compared matches",
        arguments: [
            (["ETag": "\"a\""], true), (["ETag": "\"b\""], false), (["ETag": "W/\"a\""], false), ([:], true),
            (["Content-Length": "60"], true), (["Content-Length": "59"], false), (["Content-Length": "x"], false),
            (["Content-Encoding": "gzip"], false), (["Content-Encoding": "identity"], true),
            (["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"], true),
        ] as [([String: String], Bool)]
    )
    func parts(_ fields: [String: String], _ isTaken: Bool) {
        let answer = evaluate(206, fields.merging(["Content-Range": "bytes 40-99/100"]) { $1 })
        #expect(answer == (isTaken ? .continues(end: 100) : .isAnother))
    }

    @Test("A part of an entity with another date is not accepted") func datesOfParts() {
        let sent = "Sun, 06 Nov 1994 08:49:37 GMT"
        for (modified, isTaken) in [
            (sent, true), ("Sunday, 06-Nov-94 08:49:37 GMT", true), ("Sun, 06 Nov 1994 08:49:38 GMT", false),
            ("yesterday", false),
        ] {
            let fields = ["Content-Range": "bytes 40-99/100", "Last-Modified": modified]
            #expect(evaluate(206, fields, validator: sent) == (isTaken ? .continues(end: 100) : .isAnother))
        }
    }

    @Test("A 416 about another entity does not complete this one") func entityTags() {
        func evaluate(_ tag: String, total: ByteCount? = nil) -> ContinuationRule.Answer {
            self.evaluate(416, ["Content-Range": "bytes */40", "ETag": tag], total: total)
        }
        #expect(evaluate("\"b\"") == .isAnother)
        #expect(evaluate("\"a\"") == .isComplete)
        #expect(self.evaluate(200, ["ETag": "\"b\""]) == .restarts)
        #expect(self.evaluate(203, ["ETag": "\"b\""]) == .restarts)
    }

    /// RFC 9110, sections 8.8.3 and 13.1.5.
    @Test(
        "A validator is a strong entity tag or a date, and never contains a line end",
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
