import FerryFormats
import Foundation
import Testing

@Suite("Coding of response serializers")
struct ResponseSerializerCodingTests {
    private func recoded<Value: Codable>(_ value: Value) throws -> Value {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .xml
        return try PropertyListDecoder().decode(Value.self, from: encoder.encode(value))
    }

    /// A serializer of images.
    private var image: HTTPDataResponseSerializer {
        var serializer = HTTPDataResponseSerializer(validation: Validation(contentTypes: ["image/png"]))
        serializer.requiresAcceptableBody = true
        return serializer
    }

    @Test("A data serializer keeps its settings, and decodes without the last of them")
    func data() throws {
        var original = image
        original.maximumBodySize = 10
        let copy = try recoded(original)
        #expect(copy.validation == original.validation)
        #expect(copy.maximumBodySize == 10)
        #expect(copy.requiresAcceptableBody)
        #expect(try SampleResponse(200, "image/png", "abc").serialized(by: copy).value == Data("abc".utf8))
        let earlier = try JSONDecoder().decode(HTTPDataResponseSerializer.self, from: Data(#"{"validation":{}}"#.utf8))
        #expect(!earlier.requiresAcceptableBody)
    }

    @Test("A property list serializer keeps its format and options, and decodes without them")
    func propertyList() throws {
        let original = PropertyListResponseSerializer(format: .binary, readOptions: .mutableContainersAndLeaves)
        let copy = try recoded(original)
        #expect(copy.format == .binary)
        #expect(copy.readOptions == .mutableContainersAndLeaves)
        let text = #"{"validation":{"acceptableStatusCodes":[200]}}"#
        let earlier = try JSONDecoder().decode(PropertyListResponseSerializer.self, from: Data(text.utf8))
        #expect(earlier.format == nil)
        #expect(earlier.readOptions == [])
        let unknown = #"{"validation":{},"format":7}"#
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(PropertyListResponseSerializer.self, from: Data(unknown.utf8))
        }
    }

    @Test("A compound serializer keeps its members, their order and its fallback")
    func compound() throws {
        let mixed: CompoundResponseSerializer<any Sendable> = .compound(
            JSONResponseSerializer(readingOptions: .fragmentsAllowed),
            image,
            CompoundResponseSerializer<Data>([image])
        )
        let copy = try recoded(mixed.limited(toBytes: 100))
        #expect(copy.maximumBodySize == 100)
        #expect(copy.responseSerializers.count == 3)
        #expect(try SampleResponse(200, "application/json", "1").serialized(by: copy).value as? JSONValue == 1)
        #expect(try SampleResponse(200, "image/png", "x").serialized(by: copy).value as? Data == Data("x".utf8))
        #expect(try SampleResponse(200, "text/plain", "x").serialized(by: copy).value as? Data == Data("x".utf8))
        let bodies = CompoundResponseSerializer<Data>([image])
        #expect(try SampleResponse(200, "text/plain", "x").serialized(by: recoded(bodies)).value == Data("x".utf8))
        let typed = CompoundResponseSerializer<JSONValue>([JSONResponseSerializer()])
        let typedCopy = try recoded(typed)
        #expect(try SampleResponse(200, "application/json", "[1]").serialized(by: typedCopy).value == [1])
        #expect(try SampleResponse(200, "text/plain", "x").serialized(by: typedCopy).value == nil)
    }

    @Test("A serializer with a closure or of another type cannot be encoded or decoded")
    func refused() throws {
        let closure = ClosureResponseSerializer<any Sendable> { _, _, _ in 1 }
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(CompoundResponseSerializer([closure])) }
        let fallback = CompoundResponseSerializer<String>([StringResponseSerializer()], fallback: { "\($0)" })
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(fallback) }
        let strings = try JSONEncoder().encode(CompoundResponseSerializer<String>([StringResponseSerializer()]))
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(CompoundResponseSerializer<JSONValue>.self, from: strings)
        }
        let bodies = try JSONEncoder().encode(CompoundResponseSerializer<Data>([]))
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(CompoundResponseSerializer<String>.self, from: bodies)
        }
    }

    @Test("Nested compounds are decoded up to a depth of 16", arguments: [(16, true), (17, false), (200, false)])
    func depth(_ count: Int, isRead: Bool) throws {
        var text = #"{"validation":{},"givesBody":true,"responseSerializers":[]}"#
        for _ in 1..<count {
            text = #"{"validation":{},"givesBody":true,"responseSerializers":[{"compound":{"_0":\#(text)}}]}"#
        }
        let read = Result {
            try JSONDecoder().decode(CompoundResponseSerializer<any Sendable>.self, from: Data(text.utf8))
        }
        let isThere = (try? read.get()) != nil
        #expect(isThere == isRead)
    }
}
