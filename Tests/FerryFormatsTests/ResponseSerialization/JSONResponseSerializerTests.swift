import FerryFormats
import Foundation
import Testing

@Suite("JSON responses")
struct JSONResponseSerializerTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var status = 200
        var type: String? = "application/json"
        var body: String?
        var value: JSONValue?
        var codes: [NetworkError.Code] = []
        var testDescription: String { name }
    }

    static let rows = [
        Row(name: "an object", body: #"{"a":[1,null]}"#, value: ["a": [1, .null]]),
        Row(name: "text/json", type: "text/json", body: "[]", value: []),
        Row(name: "text/javascript", type: "text/javascript", body: "[]", value: []),
        Row(name: "a +json type", type: "application/problem+json; charset=utf-8", body: "[]", value: []),
        Row(name: "no body at all", body: nil),
        Row(name: "an empty body", body: ""),
        Row(name: "204", status: 204, type: nil, body: ""),
        Row(name: "a single space", body: " "),
        Row(name: "two spaces are not JSON", body: "  ", codes: [.decodingFailed]),
        Row(
            name: "404 with JSON: value and error",
            status: 404,
            body: #"{"e":1}"#,
            value: ["e": 1],
            codes: [.unacceptableStatusCode]
        ),
        Row(name: "404 with an empty body", status: 404, body: "", codes: [.unacceptableStatusCode]),
        Row(name: "404 with a single space", status: 404, body: " ", codes: [.unacceptableStatusCode]),
        Row(name: "HTML is not parsed", type: "text/html", body: "{}", codes: [.unacceptableContentType]),
        Row(
            name: "404 with HTML is not parsed",
            status: 404,
            type: "text/html",
            body: "{}",
            codes: [.unacceptableStatusCode, .unacceptableContentType]
        ),
        Row(name: "HTML with an empty body is success", type: "text/html", body: ""),
        Row(name: "malformed", body: "{", codes: [.decodingFailed]),
        Row(
            name: "malformed 500: the outer error is the parse error",
            status: 500,
            body: "{",
            codes: [.decodingFailed, .unacceptableStatusCode]
        ),
        Row(name: "a fragment", body: "1", codes: [.decodingFailed]),
    ]

    @Test("Value and error match AFNetworking's", arguments: rows)
    func table(row: Row) throws {
        let result = try SampleResponse(row.status, row.type, row.body).serialized(by: JSONResponseSerializer())
        #expect(result.value == row.value)
        #expect(result.codes == row.codes)
        #expect(result.error?.data == (row.codes.isEmpty ? nil : row.body.map { Data($0.utf8) }))
    }

    @Test("A parse error names the place, and keeps the parser's error")
    func parseError() throws {
        let result = try SampleResponse(500, "application/json", "{\"a\":1,\n  \"b\" 2}")
            .serialized(by: JSONResponseSerializer())
        let error = try #require(result.error)
        let place = "at line 2, column 7 (GET http://example.com/path)"
        #expect(error.message == "The body is not JSON: A colon is expected \(place); the status is 500")
        #expect(error.isRetryable)
        let thrown = try #require(error.decodingError as? JSONParsingError)
        #expect(thrown.offset == 14)
        #expect((error.underlyingError as? NetworkError)?.code == .unacceptableStatusCode)
        #expect(error.response?.statusCode == 500)
    }

    @Test("Fragments, null removal, other types and a size limit are configurable")
    func options() throws {
        let fragment = SampleResponse(200, "application/json", "1")
        #expect(try fragment.serialized(by: JSONResponseSerializer(readingOptions: .fragmentsAllowed)).value == 1)
        let nulls = SampleResponse(200, "application/json", #"{"a":null,"b":[null,{"c":null}]}"#)
        #expect(
            try nulls.serialized(by: JSONResponseSerializer(nullRemoval: .dictionaries)).value
                == ["b": [.null, [:]]]
        )
        #expect(
            try nulls.serialized(by: JSONResponseSerializer(nullRemoval: .dictionariesAndArrays)).value
                == ["b": [[:]]]
        )
        let html = SampleResponse(200, "text/html", "[1]")
        #expect(try html.serialized(by: JSONResponseSerializer().accepting("text/html")).value == [1])
        #expect(try html.serialized(by: JSONResponseSerializer().acceptingAnyContentType()).value == [1])
        let large = try html.serialized(by: JSONResponseSerializer().acceptingAnyContentType().limited(toBytes: 2))
        #expect(large.value == nil)
        #expect(large.codes == [.responseTooLarge])
        #expect(large.error?.message == "The body has 3 bytes, more than the limit of 2")
        let created = SampleResponse(404, "application/json", "[1]")
        #expect(try created.serialized(by: JSONResponseSerializer().accepting(statusCodes: [404])).error == nil)
        #expect(try created.serialized(by: JSONResponseSerializer().acceptingAnyStatusCode()).error == nil)
    }

    @Test("Serializers are available with a leading dot")
    func leadingDot() throws {
        func make<S: ResponseSerializer>(_ serializer: S) -> S { serializer }
        let sample = SampleResponse(200, "application/json", "[1]")
        #expect(try sample.serialized(by: make(.json)).value == [1])
        #expect(try sample.serialized(by: make(.data)).value == Data("[1]".utf8))
        #expect(try sample.serialized(by: make(.string)).value == "[1]")
        #expect(try sample.serialized(by: make(.decodable([Int].self))).value == [1])
        #expect(try sample.serialized(by: make(.decodable([Int].self, keys: .convertFromSnakeCase))).value == [1])
        #expect(try sample.serialized(by: make(.propertyList)).codes == [.unacceptableContentType])
        #expect(try sample.serialized(by: make(.json.accepting("x/y"))).value == [1])
        let count = make(.closure { @Sendable _, _, data in data?.count })
        #expect(try sample.serialized(by: count).value == 3)
    }
}
