import FerryFormats
import Foundation
import Testing

@Suite("Property list request serializer")
struct PropertyListRequestSerializerTests {
    private func request(_ method: HTTPMethod) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: "http://e.com/path")))
        request.httpMethod = method.rawValue
        return request
    }

    private let parameters: Parameters = [
        "text": "é", "number": 1, "real": 1.5, "flag": true, "list": [1, 2],
        "date": .date(Date(timeIntervalSince1970: 0)),
        "data": .data(Data([1, 2])), "decimal": .decimal(2.5), "set": .set([2, 1]),
    ]

    @Test("Values keep their types", arguments: [.xml, .binary] as [PropertyListSerialization.PropertyListFormat])
    func roundTrip(format: PropertyListSerialization.PropertyListFormat) throws {
        let serializer = PropertyListRequestSerializer(format: format)
        let result = try serializer.serialize(request(.post), parameters: parameters)
        #expect(result.value(forHTTPHeaderField: "Content-Type") == "application/x-plist")
        let body = try #require(result.httpBody)
        #expect(body.starts(with: Data((format == .xml ? "<?xml" : "bplist00").utf8)))
        let list = try #require(try PropertyListSerialization.propertyList(from: body, format: nil) as? [String: Any])
        #expect(list["text"] as? String == "é")
        #expect(list["number"] as? Int == 1)
        #expect(list["real"] as? Double == 1.5)
        #expect(list["flag"] as? Bool == true)
        #expect(list["list"] as? [Int] == [1, 2])
        #expect(list["date"] as? Date == Date(timeIntervalSince1970: 0))
        #expect(list["data"] as? Data == Data([1, 2]))
        #expect(list["decimal"] as? Double == 2.5)
        #expect(list["set"] as? [Int] == [1, 2])
    }

    @Test("Encodable values are encoded with the serializer's encoder")
    func encodable() throws {
        struct User: Encodable {
            let name = "Ada"
            let note: String? = nil
        }
        let result = try PropertyListRequestSerializer().serialize(
            request(.put),
            parameters: Parameters(encoding: User())
        )
        let body = String(decoding: try #require(result.httpBody), as: UTF8.self)
        #expect(body.contains("<key>name</key>"))
        #expect(!body.contains("note"))
    }

    @Test("GET, HEAD and DELETE get a query, and without parameters there is no body")
    func uriAndNil() throws {
        let serializer = PropertyListRequestSerializer.propertyList
        #expect(try serializer.serialize(request(.get), parameters: ["a": 1]).url?.query == "a=1")
        let result = try serializer.serialize(request(.post), parameters: nil)
        #expect(result.httpBody == nil)
        #expect(result.value(forHTTPHeaderField: "Content-Type") == nil)
    }

    @Test(
        "Parameters that a property list cannot hold are an error",
        arguments: [
            ["a": nil], ["a": [["b": nil]]], "text", 1, ["a": "control \u{1}"], ["control \u{0}": 1],
            ["a": "\u{FFFE}"], ["\u{FFFF}": 1], ["a": ["\u{301}\u{FFFF}"]],
        ] as [Parameters]
    )
    func invalid(parameters: Parameters) throws {
        let error = try #require(throws: RequestSerializationError.self) {
            try PropertyListRequestSerializer().serialize(request(.post), parameters: parameters)
        }
        #expect(error.code == .invalidParameters)
        #expect((error as NSError).code == -1016)
    }

    @Test("A carriage return is written so that XML parsers keep it")
    func carriageReturn() throws {
        let serializer = PropertyListRequestSerializer()
        let text = "\ra\r\n\r\rb\u{FFFD}\r"
        let result = try serializer.serialize(request(.post), parameters: ["k\r": .string(text)])
        let body = try #require(result.httpBody)
        #expect(!body.contains(0x0D))
        #expect(String(decoding: body, as: UTF8.self).contains("&#13;a&#13;\n&#13;&#13;b\u{FFFD}&#13;<"))
        #expect(try PropertyListValue(propertyList: body) == .dictionary(["k\r": .string(text)]))
    }

    @Test("Null within an encodable value is an error too")
    func nestedNull() throws {
        struct Body: Encodable { let list: [Int?] }
        let serializer = PropertyListRequestSerializer()
        let error = try #require(throws: RequestSerializationError.self) {
            try serializer.serialize(request(.post), parameters: Parameters(encoding: Body(list: [1, nil])))
        }
        #expect(error.code == .invalidParameters)
        let whole = try serializer.serialize(request(.post), parameters: Parameters(encoding: Body(list: [1, 2])))
        #expect(whole.httpBody?.isEmpty == false)
    }

    @Test("A format that Foundation cannot write is an error")
    func openStep() throws {
        let serializer = PropertyListRequestSerializer(format: .openStep)
        let error = try #require(throws: RequestSerializationError.self) {
            try serializer.serialize(request(.post), parameters: ["a": 1])
        }
        #expect(error.underlyingError != nil)
    }
}
