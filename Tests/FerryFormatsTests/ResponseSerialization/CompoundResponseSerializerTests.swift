import FerryFormats
import Foundation
import Testing

@Suite("Compound responses")
struct CompoundResponseSerializerTests {
    private let jsonOrText = CompoundResponseSerializer<any Sendable>([
        JSONResponseSerializer().erased(),
        StringResponseSerializer(validation: Validation(contentTypes: ["text/*"])).erased(),
    ])

    @Test("The first serializer that yields a value is used, with its own error")
    func firstWins() throws {
        let json = try SampleResponse(200, "application/json", "[1]").serialized(by: jsonOrText)
        #expect(json.value as? JSONValue == [1])
        #expect(json.error == nil)
        let text = try SampleResponse(200, "text/plain", "hi").serialized(by: jsonOrText)
        #expect(text.value as? String == "hi")
        #expect(text.error == nil)
        let error = try SampleResponse(404, "text/plain", "hi").serialized(by: jsonOrText)
        #expect(error.value as? String == "hi")
        #expect(error.codes == [.unacceptableStatusCode])
    }

    @Test("If none succeeds, the value is the raw body, validated for its status only")
    func fallback() throws {
        let raw = try SampleResponse(200, "image/png", "x").serialized(by: jsonOrText)
        #expect(raw.value as? Data == Data("x".utf8))
        #expect(raw.error == nil)
        let missing = try SampleResponse(404, "image/png", "x").serialized(by: jsonOrText)
        #expect(missing.value as? Data == Data("x".utf8))
        #expect(missing.codes == [.unacceptableStatusCode])
        let malformed = try SampleResponse(200, "application/json", "{").serialized(by: jsonOrText)
        #expect(malformed.value as? Data == Data("{".utf8))
        #expect(malformed.error == nil)
    }

    @Test("For a 204 response the value is the empty body")
    func noContent() throws {
        let serializer = CompoundResponseSerializer<any Sendable>([JSONResponseSerializer().erased()])
        let result = try SampleResponse(204, nil, "").serialized(by: serializer)
        #expect(result.value as? Data == Data())
        #expect(result.error == nil)
    }

    @Test("A data serializer in the list always succeeds")
    func dataWins() throws {
        let serializer = CompoundResponseSerializer<any Sendable>([
            HTTPDataResponseSerializer().erased(), JSONResponseSerializer().erased(),
        ])
        #expect(try SampleResponse(200, "application/json", "[]").serialized(by: serializer).value is Data)
    }

    @Test("If the type cannot hold the raw body, the error says that no serializer could decode it")
    func noFallback() throws {
        enum Answer: Equatable {
            case json(JSONValue)
            case count(Int)
        }
        let serializer = CompoundResponseSerializer<Answer>([
            JSONResponseSerializer().map { Answer.json($0) },
            ClosureResponseSerializer { _, _, data in Answer.count(data?.count ?? 0) }
                .validating(Validation(contentTypes: ["image/png"])),
        ])
        #expect(try SampleResponse(200, "image/png", "abc").serialized(by: serializer).value == .count(3))
        #expect(try SampleResponse(200, "application/json", "[]").serialized(by: serializer).value == .json([]))
        let none = try SampleResponse(200, "text/html", "abc").serialized(by: serializer)
        #expect(none.value == nil)
        #expect(none.codes == [.decodingFailed, .unacceptableContentType])
        #expect(none.error?.message.hasPrefix("None of 2 serializers could decode the body") == true)
        let missing = try SampleResponse(404, "text/html", "abc").serialized(by: serializer)
        #expect(missing.codes == [.unacceptableStatusCode])
        #expect(try SampleResponse(204, nil, "").serialized(by: serializer).error == nil)
        let large = try SampleResponse(200, "image/png", "abc").serialized(by: serializer.limited(toBytes: 1))
        #expect(large.codes == [.responseTooLarge])
    }
}
