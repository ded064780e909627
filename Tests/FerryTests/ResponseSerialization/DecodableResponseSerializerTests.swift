import Ferry
import Foundation
import Testing

@Suite("Typed responses")
struct DecodableResponseSerializerTests {
    struct User: Codable, Hashable {
        struct Tag: Codable, Hashable { var firstName: String }
        var name: String
        var tags: [Tag] = []
    }

    private func decode<T: Decodable & Sendable>(
        _ type: T.Type,
        _ sample: SampleResponse
    ) throws -> SerializedResponse<T> {
        try sample.serialized(by: DecodableResponseSerializer(type))
    }

    @Test("A body becomes a typed value, by the decoder's strategies")
    func decodes() throws {
        let serializer = DecodableResponseSerializer(User.self) { $0.keyDecodingStrategy = .convertFromSnakeCase }
        let sample = SampleResponse(200, "application/json", #"{"name":"Ada","tags":[{"first_name":"x"}]}"#)
        #expect(try sample.serialized(by: serializer).value == User(name: "Ada", tags: [.init(firstName: "x")]))
    }

    @Test("An error status with a fitting body gives value and error")
    func valueAndError() throws {
        let result = try decode([Int].self, SampleResponse(422, "application/json", "[1]"))
        #expect(result.value == [1])
        #expect(result.codes == [.unacceptableStatusCode])
    }

    @Test("An error status whose body does not fit is about the status, and its body can be decoded as something else")
    func statusOnTop() throws {
        struct Problem: Codable { var title: String }
        let result = try decode([Int].self, SampleResponse(422, "application/json", #"{"title":"no"}"#))
        #expect(result.value == nil)
        #expect(result.codes == [.unacceptableStatusCode])
        #expect(result.error?.decodingError is DecodingError)
        #expect(try result.error?.decodedBody(as: Problem.self).title == "no")
    }

    @Test(
        "A decoding error says where",
        arguments: [
            (#"{"name":1,"tags":[]}"#, "name: expected String"),
            (#"{"name":"a","tags":[{"firstName":"x"},{}]}"#, #"tags[1]: the key "firstName" is missing"#),
            (#"{"name":null,"tags":[]}"#, "name: "),
            (#"{"tags":[]}"#, #"at the top level: the key "name" is missing"#),
            ("{", "at the top level: "),
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

    @Test("Where no body is to be expected there is neither value nor error", arguments: emptySamples)
    func noContent(sample: SampleResponse) throws {
        let result = try decode(User.self, sample)
        #expect(result.value == nil)
        #expect(result.codes == (sample.status == 304 ? [.unacceptableStatusCode] : []))
    }

    @Test(
        "An empty type and an optional have a value for no body",
        arguments: emptySamples + [SampleResponse(200, nil, "")]
    )
    func emptyTypes(sample: SampleResponse) throws {
        #expect(try decode(Empty.self, sample).value == Empty())
        #expect(try decode(User?.self, sample).value == .some(nil))
    }

    @Test("An empty body where one was to be expected is an error")
    func unexpectedlyEmpty() throws {
        let error = try #require(try decode(User.self, SampleResponse(200, "application/json", "")).error)
        #expect(error.code == .decodingFailed)
        #expect(error.message == "The body is empty, but User was expected")
    }

    @Test("An empty type takes any body, and a wrong content type is refused with it too")
    func emptyTakesAnything() throws {
        #expect(try decode(Empty.self, SampleResponse(200, "application/json", "[1]")).value == Empty())
        let html = try decode(Empty.self, SampleResponse(200, "text/html", "<p>"))
        #expect(html.value == nil)
        #expect(html.codes == [.unacceptableContentType])
    }

    @Test("Too large a body is not decoded")
    func limit() throws {
        let result = try SampleResponse(200, "application/json", "[1,2]")
            .serialized(by: DecodableResponseSerializer([Int].self, maximumBytes: 4))
        #expect(result.value == nil)
        #expect(result.codes == [.responseTooLarge])
    }
}
