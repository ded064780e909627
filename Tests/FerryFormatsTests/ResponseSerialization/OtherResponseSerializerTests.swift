import FerryFormats
import Foundation
import Testing

@Suite("Data and closure responses")
struct OtherResponseSerializerTests {
    private struct Broken: Error {}

    @Test("The body is delivered unchanged, even with an error")
    func data() throws {
        let serializer = HTTPDataResponseSerializer()
        let good = try SampleResponse(200, "x/y", "abc").serialized(by: serializer)
        #expect(good.value == Data("abc".utf8))
        #expect(good.error == nil)
        let bad = try SampleResponse(404, "x/y", "abc").serialized(by: serializer)
        #expect(bad.value == Data("abc".utf8))
        #expect(bad.codes == [.unacceptableStatusCode])
        let wrongType = HTTPDataResponseSerializer(validation: Validation(contentTypes: ["a/b"]))
        let refused = try SampleResponse(200, "x/y", "abc").serialized(by: wrongType)
        #expect(refused.value == Data("abc".utf8))
        #expect(refused.codes == [.unacceptableContentType])
        #expect(try SampleResponse(204, nil, "").serialized(by: serializer).value == Data())
        #expect(try SampleResponse(204).serialized(by: serializer).value == nil)
        let large = try SampleResponse(200, nil, "abc").serialized(by: serializer.limited(toBytes: 2))
        #expect(large.value == nil)
        #expect(large.codes == [.responseTooLarge])
        #expect(try SampleResponse(200, nil, "abc").serialized(by: serializer.limited(toBytes: 3)).error == nil)
        let largeError = try SampleResponse(500, nil, "abc").serialized(by: serializer.limited(toBytes: 2))
        #expect(largeError.codes == [.responseTooLarge, .unacceptableStatusCode])
    }

    @Test("A body that is empty or of another type has no value if the serializer requires an acceptable one")
    func acceptableData() throws {
        var serializer = HTTPDataResponseSerializer(validation: Validation(contentTypes: ["a/b"]), maximumBodySize: 3)
        serializer.requiresAcceptableBody = true
        #expect(try SampleResponse(200, "a/b", "abc").serialized(by: serializer).value == Data("abc".utf8))
        let missing = try SampleResponse(404, "a/b", "abc").serialized(by: serializer)
        #expect(missing.value == Data("abc".utf8))
        #expect(missing.codes == [.unacceptableStatusCode])
        let refused = try SampleResponse(200, "x/y", "abc").serialized(by: serializer)
        #expect(refused.value == nil)
        #expect(refused.codes == [.unacceptableContentType])
        let empty = try SampleResponse(200, "a/b", "").serialized(by: serializer)
        #expect(empty.value == nil)
        #expect(empty.error == nil)
        let large = try SampleResponse(200, "a/b", "abcd").serialized(by: serializer)
        #expect(large.value == nil)
        #expect(large.codes == [.responseTooLarge])
    }

    @Test("A closure makes the value after validation, and its error is reported")
    func closure() throws {
        let serializer = ClosureResponseSerializer { request, response, data in
            "\(request?.httpMethod ?? "") \((response as? HTTPURLResponse)?.statusCode ?? 0) \(data?.count ?? -1)"
        }
        #expect(try SampleResponse(200, nil, "abc").serialized(by: serializer).value == "GET 200 3")
        #expect(try SampleResponse(204).serialized(by: serializer).value == "GET 204 -1")
        let missing = try SampleResponse(404, nil, "abc").serialized(by: serializer)
        #expect(missing.value == "GET 404 3")
        #expect(missing.codes == [.unacceptableStatusCode])
        let strict = serializer.validating(Validation(contentTypes: ["a/b"]))
        #expect(try SampleResponse(200, "x/y", "abc").serialized(by: strict).value == nil)
        let failing = ClosureResponseSerializer<Int> { _, _, _ in throw Broken() }
        #expect(
            try SampleResponse(404, nil, "a").serialized(by: failing).codes == [
                .decodingFailed, .unacceptableStatusCode,
            ]
        )
        let own = NetworkError.Code(rawValue: "quotaExceeded")
        let typed = ClosureResponseSerializer<Int> { _, _, _ in throw NetworkError(own, message: "Too much") }
        #expect(try SampleResponse(404, nil, "a").serialized(by: typed).codes == [own, .unacceptableStatusCode])
    }

    @Test("A serializer's value can be mapped")
    func map() throws {
        let count = JSONResponseSerializer().map { $0.array?.count ?? 0 }
        #expect(try SampleResponse(404, "application/json", "[1,2]").serialized(by: count).value == 2)
        #expect(
            try SampleResponse(404, "application/json", "[1,2]").serialized(by: count).codes == [
                .unacceptableStatusCode
            ]
        )
        let failing = JSONResponseSerializer().limited(toBytes: 10).map { _ -> Int in throw Broken() }
        #expect(failing.maximumBodySize == 10)
        #expect(
            try SampleResponse(404, "application/json", "[]").serialized(by: failing).codes
                == [.decodingFailed, .unacceptableStatusCode]
        )
    }
}
