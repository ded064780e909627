import FerryFormats
import Foundation
import TestSupport
import Testing

@Suite("Typed responses")
struct DecodableResponseSerializerTests {
    struct User: Codable, Hashable {
        struct Tag: Codable, Hashable { var firstName: String }
        var name: String
        var tags: [Tag] = []
        var age: UInt8?
    }

    private func decode<T: Decodable & Sendable>(
        _ type: T.Type,
        _ sample: SampleResponse
    ) throws -> SerializedResponse<T> {
        try sample.serialized(by: DecodableResponseSerializer(type))
    }

    @Test("A body becomes a typed value, decoded with the decoder's strategies")
    func decodes() throws {
        let serializer = DecodableResponseSerializer(User.self) { $0.keyDecodingStrategy = .convertFromSnakeCase }
        let sample = SampleResponse(200, "application/json", #"{"name":"Ada","tags":[{"first_name":"x"}]}"#)
        #expect(try sample.serialized(by: serializer).value == User(name: "Ada", tags: [.init(firstName: "x")]))
    }

    /// JSONDecoder hashes every name, and sorts each run of marks in quadratic time.
    @Test(
        "A name with many combining marks in a row is refused before it is decoded",
        arguments: ["\u{301}\u{316}", #"\u0301\u0316"#],
        [String.Encoding.utf8, .utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian]
    )
    func marks(_ mark: String, _ encoding: String.Encoding) throws {
        let name = "a" + String(repeating: mark, count: 100_000)
        let body = try #require(#"{"name":"Ada","\#(name)" : 1}"#.data(using: encoding))
        let start = ContinuousClock.now
        let sample = SampleResponse(200, "application/json", bytes: body)
        let error = try #require(try decode([String: Int].self, sample).error)
        #expect(error.code == .decodingFailed)
        #expect(error.message.contains("combining marks"), "\(error.message)")
        let page = try decode(User.self, SampleResponse(500, "application/json", bytes: body))
        #expect(page.codes == [.unacceptableStatusCode])
        #expect(throws: DecodingError.self) { try page.error?.decodedBody(as: User.self) }
        #expect(ContinuousClock.now - start < .seconds(10 * patience))
    }

    private func isRefusal(_ error: (any Error)?) -> Bool {
        guard case .dataCorrupted(let context)? = error as? DecodingError else { return false }
        return context.debugDescription.contains("combining marks")
    }

    /// JSON5 has names without quotes or in single quotes, comments, and line breaks in strings.
    @Test(
        "JSON5 with many combining marks in a row is refused before it is decoded",
        arguments: [
            ("\u{301}\u{316}", "{'k", "':1}"), ("\u{301}\u{316}", "{k", ":1}"),
            ("\u{301}\u{316}", "{/*\"*/\"k", "\":1}"), (#"\u0301\u0316"#, "{'k", "' /**/ :1}"),
            (#"\u0301\u0316"#, "{k", ":1}"), ("\\\n\u{301}\\\r\n\\u0316", "{'k", "':1}"),
            (#"\uD834\uDD65\uD834\uDD6F"#, "{\"k", "\":1}"),
        ]
    )
    func json5Marks(_ mark: String, _ start: String, _ end: String) throws {
        let body = start + String(repeating: mark, count: 50_000) + end
        let began = ContinuousClock.now
        let serializer = DecodableResponseSerializer([String: Int].self) { $0.allowsJSON5 = true }
        let error = try #require(
            try SampleResponse(500, "application/json", body).serialized(by: serializer).error
        )
        #expect(error.code == .unacceptableStatusCode)
        #expect(isRefusal(error.decodingError), "\(String(describing: error.decodingError))")
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        #expect {
            try error.decodedBody(as: [String: Int].self, decoder: decoder)
        } throws: { error in
            isRefusal(error)
        }
        #expect(ContinuousClock.now - began < .seconds(10 * patience))
    }

    @Test("JSON5 with few combining marks in a row is decoded")
    func json5() throws {
        let text = String(repeating: #"e\u0301\\u0301\#u{301}\uD83D\uDE00"#, count: 100)
        let serializer = DecodableResponseSerializer([String: String].self) { $0.allowsJSON5 = true }
        let sample = SampleResponse(200, "application/json", "{/* a */ k: '\(text)'}")
        let expected = String(repeating: "e\u{301}\\u0301\u{301}\u{1F600}", count: 100)
        #expect(try sample.serialized(by: serializer).value == ["k": expected])
    }

    @Test(
        "Long names and values beyond ASCII are decoded",
        arguments: [
            String(repeating: "雪", count: 500), String(repeating: "e\u{301}", count: 500),
            String(repeating: "\\\"", count: 500),
            String(repeating: "\\\\", count: 500), String(repeating: "\\u00e9", count: 500),
        ]
    )
    func longNames(_ name: String) throws {
        let body = #"{"\#(name)"\#t:"\#(String(repeating: "\u{301}\u{316}", count: 1_000))","b":"\#(name)"}"#
        let value = try #require(
            try decode([String: String].self, SampleResponse(200, "application/json", body)).value
        )
        #expect(value.count == 2)
        #expect(value.keys.contains { $0 != "b" && value["b"] == $0 })
    }

    @Test("An error status with a decodable body yields value and error")
    func valueAndError() throws {
        let result = try decode([Int].self, SampleResponse(422, "application/json", "[1]"))
        #expect(result.value == [1])
        #expect(result.codes == [.unacceptableStatusCode])
    }

    @Test("With an error status and an undecodable body the status is the error, and the body stays available")
    func statusOnTop() throws {
        struct Problem: Codable { var title: String }
        let result = try decode([Int].self, SampleResponse(422, "application/json", #"{"title":"no"}"#))
        #expect(result.value == nil)
        #expect(result.codes == [.unacceptableStatusCode])
        #expect(result.error?.decodingError is DecodingError)
        #expect(try result.error?.decodedBody(as: Problem.self).title == "no")
    }

    @Test(
        "A decoding error names the place",
        arguments: [
            (#"{"name":1,"tags":[]}"#, "name: expected String"),
            (#"{"name":"a","tags":[{"firstName":"x"},{}]}"#, #"tags[1]: the key "firstName" is missing"#),
            (#"{"name":null,"tags":[]}"#, "name: "),
            (#"{"tags":[]}"#, #"at the top level: the key "name" is missing"#),
            ("{", "A member's name is expected at line 1, column 2"),
            ("{\n\"name\":}", "Not the beginning of a value at line 2, column 8"),
            ("{\n\n \"name\":}", "Not the beginning of a value at line 3, column 9"),
            (#"{"name":"a","tags":[],"age":1e9999}"#, "A number out of range at line 1, column 29"),
            (#"{"name":"a","tags":[],"age":256}"#, "a number cannot be represented in its type"),
        ]
    )
    func place(body: String, text: String) throws {
        let error = try #require(try decode(User.self, SampleResponse(200, "application/json", body)).error)
        #expect(error.code == .decodingFailed)
        #expect(error.message.hasPrefix("The body is not User: \(text)"), "\(error.message)")
        #expect(error.decodingError is DecodingError)
        #expect(error.underlyingError is DecodingError)
    }

    static let emptySamples = [
        SampleResponse(204, nil, ""), SampleResponse(205, nil, ""), SampleResponse(304, nil, ""),
        SampleResponse(200, "application/json", "", method: "HEAD"), SampleResponse(200, "application/json", nil),
    ]

    @Test("A response that has no body by definition yields neither value nor error", arguments: emptySamples)
    func noContent(sample: SampleResponse) throws {
        let result = try decode(User.self, sample)
        #expect(result.value == nil)
        #expect(result.codes == (sample.status == 304 ? [.unacceptableStatusCode] : []))
    }

    @Test(
        "Empty and optional types have a value for an empty body",
        arguments: emptySamples + [SampleResponse(200, nil, "")]
    )
    func emptyTypes(sample: SampleResponse) throws {
        #expect(try decode(Empty.self, sample).value == Empty())
        #expect(try decode(User?.self, sample).value == .some(nil))
    }

    @Test("An unexpectedly empty body is an error")
    func unexpectedlyEmpty() throws {
        let error = try #require(try decode(User.self, SampleResponse(200, "application/json", "")).error)
        #expect(error.code == .decodingFailed)
        #expect(error.message == "The body is empty, but User was expected (GET http://example.com/path)")
    }

    @Test("The type Empty accepts any body, but still refuses a wrong content type")
    func emptyTakesAnything() throws {
        #expect(try decode(Empty.self, SampleResponse(200, "application/json", "[1]")).value == Empty())
        let html = try decode(Empty.self, SampleResponse(200, "text/html", "<p>"))
        #expect(html.value == nil)
        #expect(html.codes == [.unacceptableContentType])
    }

    @Test("A body beyond the limit is not decoded")
    func limit() throws {
        let result = try SampleResponse(200, "application/json", "[1,2]")
            .serialized(by: DecodableResponseSerializer([Int].self, maximumBodySize: 4))
        #expect(result.value == nil)
        #expect(result.codes == [.responseTooLarge])
    }
}
