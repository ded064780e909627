import FerryFormats
import Foundation
import Testing

@Suite("Property list responses")
struct PropertyListResponseSerializerTests {
    private let xml = "<plist version=\"1.0\"><dict><key>a</key><integer>1</integer></dict></plist>"

    @Test("Value and error match AFNetworking's, and an empty body has no value")
    func table() throws {
        let value = PropertyListValue.dictionary(["a": .integer(1)])
        let rows: [(SampleResponse, PropertyListValue?, [NetworkError.Code])] = [
            (SampleResponse(200, "application/x-plist", xml), value, []),
            (SampleResponse(404, "application/x-plist", xml), value, [.unacceptableStatusCode]),
            (SampleResponse(200, "application/xml", xml), nil, [.unacceptableContentType]),
            (SampleResponse(200, "application/x-plist", ""), nil, []),
            (SampleResponse(200, "application/x-plist"), nil, []),
            (SampleResponse(204, nil, ""), nil, []),
            (SampleResponse(200, "application/x-plist", "nonsense"), nil, [.decodingFailed]),
            (SampleResponse(500, "application/x-plist", "bplist00"), nil, [.decodingFailed, .unacceptableStatusCode]),
        ]
        for (sample, value, codes) in rows {
            let result = try sample.serialized(by: .propertyList)
            #expect(result.value == value)
            #expect(result.codes == codes)
        }
        let error = try SampleResponse(200, "application/x-plist", "nonsense").serialized(by: .propertyList).error
        let reason = "Neither a binary nor an XML property list (GET http://example.com/path)"
        #expect(error?.message == "The body is not a property list: \(reason)")
    }

    @Test("Only the requested format is accepted")
    func formats() throws {
        let list = try PropertyListSerialization.data(fromPropertyList: ["a": 1], format: .binary, options: 0)
        let value = PropertyListValue.dictionary(["a": .integer(1)])
        let samples = [SampleResponse(200, "application/x-plist", xml), .init(200, "application/x-plist", bytes: list)]
        let rows: [(PropertyListSerialization.PropertyListFormat?, [PropertyListValue?])] = [
            (nil, [value, value]), (.xml, [value, nil]), (.binary, [nil, value]), (.openStep, [nil, nil]),
        ]
        for (format, expected) in rows {
            let serializer = PropertyListResponseSerializer(format: format)
            let results = try samples.map { try $0.serialized(by: serializer) }
            #expect(results.map(\.value) == expected)
            #expect(results.map { $0.error == .decodingFailed } == expected.map { $0 == nil })
        }
    }
}
