import FerryFormats
import Foundation
import TestSupport
import Testing

/// The texts of https://github.com/nst/JSONTestSuite.
@Suite("JSONTestSuite", .publicSuite(.jsonTestSuite))
struct JSONSuiteTests {
    @Test("Both serializers of JSON accept and refuse the same texts, as the suite expects")
    func verdicts() throws {
        let folder = try #require(PublicSuite.jsonTestSuite.folder).appendingPathComponent("test_parsing")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") }
        var accepted: [Character: Int] = [:]
        for name in names {
            let body = try Data(contentsOf: folder.appendingPathComponent(name))
            let sample = SampleResponse(200, "application/json", bytes: body)
            let value = try sample.serialized(by: JSONResponseSerializer(readingOptions: .fragmentsAllowed)).value
            #expect(try sample.serialized(by: .decodable(JSONValue.self)).value == value, "\(name)")
            // `Empty` decodes nothing from a body, and has a value without a body.
            let isEmpty = try sample.serialized(by: .json).error == nil && value == nil
            let empty = try sample.serialized(by: .decodable(Empty.self)).value
            #expect((empty != nil) == (value != nil || isEmpty), "\(name)")
            if name.hasPrefix("y_") { #expect(value != nil, "\(name)") }
            if name.hasPrefix("n_") { #expect(value == nil, "\(name)") }
            if value != nil, let kind = name.first { accepted[kind, default: 0] += 1 }
        }
        print("JSONTestSuite: of \(names.count) texts", accepted.map { "\($1) accepted of \($0)_" }.sorted())
        #expect(names.count > 300)
    }
}
