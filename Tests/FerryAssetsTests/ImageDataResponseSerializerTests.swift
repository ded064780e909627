import FerryAssets
import Foundation
import Testing

@Suite("Image responses")
struct ImageDataResponseSerializerTests {
    private struct Broken: Error {}

    @Test(
        "Every image type of AFNetworking is accepted, and newer ones",
        arguments: [
            "image/tiff", "image/jpeg", "image/gif", "image/png", "image/ico", "image/x-icon", "image/bmp",
            "image/x-bmp", "image/x-xbitmap", "image/x-win-bitmap", "image/vnd.microsoft.icon", "image/webp",
            "image/avif", "image/heic", "image/heif",
        ]
    )
    func imageTypes(type: String) throws {
        #expect(try SampleResponse(200, type, "x").serialized(by: .imageData).value == Data("x".utf8))
    }

    @Test("An image is validated for status and type, then made by the given decoder")
    func image() throws {
        let serializer = ImageDataResponseSerializer { $0.count }
        #expect(try SampleResponse(200, "image/png", "abc").serialized(by: serializer).value == 3)
        let missing = try SampleResponse(404, "image/png", "abc").serialized(by: serializer)
        #expect(missing.value == 3)
        #expect(missing.codes == [.unacceptableStatusCode])
        let html = try SampleResponse(200, "text/html", "abc").serialized(by: serializer)
        #expect(html.value == nil)
        #expect(html.codes == [.unacceptableContentType])
        let empty = try SampleResponse(200, "image/png", "").serialized(by: serializer)
        #expect(empty.value == nil)
        #expect(empty.error == nil)
        let failing = ImageDataResponseSerializer<Int> { _ in throw Broken() }
        let broken = try SampleResponse(500, "image/png", "abc").serialized(by: failing)
        #expect(broken.codes == [.decodingFailed, .unacceptableStatusCode])
        #expect(broken.error?.decodingError is Broken)
    }

    @Test("The bytes of an image are validated for status and type, and must not be empty")
    func bytes() throws {
        let missing = try SampleResponse(404, "image/png", "abc").serialized(by: .imageData)
        #expect(missing.value == Data("abc".utf8))
        #expect(missing.codes == [.unacceptableStatusCode])
        let html = try SampleResponse(200, "text/html", "abc").serialized(by: .imageData)
        #expect(html.value == nil)
        #expect(html.codes == [.unacceptableContentType])
        let empty = try SampleResponse(200, "image/png", "").serialized(by: .imageData)
        #expect(empty.value == nil)
        #expect(empty.error == nil)
    }

    @Test("Image serializers are available with a leading dot")
    func leadingDot() throws {
        func make<S: ResponseSerializer>(_ serializer: S) -> S { serializer }
        let sample = SampleResponse(200, "application/json", "[1]")
        let image = make(.image { @Sendable in $0.count }).acceptingAnyContentType()
        #expect(try sample.serialized(by: image).value == 3)
        #expect(try sample.serialized(by: make(.imageData)).codes == [.unacceptableContentType])
    }

    @Test("A serializer of an image's bytes can be encoded, also in a compound, and one with a decoder cannot")
    func coding() throws {
        var original = HTTPDataResponseSerializer.imageData
        original.acceptableContentTypes = ["image/png"]
        original.maximumBodySize = 10
        let copy = try JSONDecoder().decode(HTTPDataResponseSerializer.self, from: JSONEncoder().encode(original))
        #expect(copy.validation == original.validation)
        #expect(copy.maximumBodySize == 10)
        #expect(try SampleResponse(200, "image/png", "abc").serialized(by: copy).value == Data("abc".utf8))
        #expect(try SampleResponse(200, "image/gif", "abc").serialized(by: copy).value == nil)
        let mixed: CompoundResponseSerializer<any Sendable> = .compound(.json, .imageData)
        let again = try JSONDecoder()
            .decode(CompoundResponseSerializer<any Sendable>.self, from: JSONEncoder().encode(mixed))
        #expect(again.responseSerializers.count == 2)
        #expect(try SampleResponse(200, "image/png", "x").serialized(by: again).value as? Data == Data("x".utf8))
        let decoding = CompoundResponseSerializer<Data>([ImageDataResponseSerializer { data in data.dropFirst() }])
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(decoding) }
    }
}
