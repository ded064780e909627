import FerryFormats
import Foundation
import TestSupport
import Testing

/// The same bodies are valid for values of unknown structure and for typed values (RFC 8259).
@Suite("Grammar of JSON")
struct JSONGrammarTests {
    private func sample(_ text: String) -> SampleResponse { SampleResponse(200, "application/json", text) }

    private func json(_ text: String) throws -> SerializedResponse<JSONValue> {
        try sample(text).serialized(by: JSONResponseSerializer(readingOptions: .fragmentsAllowed))
    }

    private func decoded<Value: Decodable & Sendable>(_ text: String, _ type: Value.Type) throws -> Value? {
        try sample(text).serialized(by: .decodable(type)).value
    }

    @Test(
        "Both serializers accept a text, and have the same value",
        arguments: [
            "[]", " [1 , 2]\r\n", #"{"a":{}}"#, "null", #""a\u00e9\ud83d\ude00\/""#, "[-0]", "[0e1]", "[-0.0E+2, 0e-1]",
            "[1e2]", "[10e-1]", "[123.456e-789]", #"[{"a":0e1},0e1]"#, "\u{FEFF}[1]", #"{"a":1,"a":2}"#,
            #"{"a":1,"b":2,"\u0061":3}"#, #"{"é":1,"é":2}"#, #"{"é":1,"\u00e9":2}"#,
            #"{"a":{"a":1,"b":[{"a":2}]},"b":1}"#, #"{"x":{"a":1,"a":2},"a":0e1}"#, #"{"K":1,"é":2}"#,
        ]
    )
    func accepted(text: String) throws {
        let value = try #require(try json(text).value)
        #expect(try decoded(text, JSONValue.self) == value)
        #expect(try decoded(text, Empty.self) != nil)
    }

    @Test(
        "Both serializers refuse a text, also if its values are not decoded",
        arguments: [
            "[1,]", #"{"a":1,}"#, "[,1]", "[1,,2]", "[01]", "[1.]", "[.5]", "[1e]", "[+1]", "[0x1]", "[NaN]", "[1e999]",
            #"["\x"]"#, #"["\ud800"]"#, "[\"\t\"]", "[1]x", "[1", "{a:1}", "{'a':1}", #"{"a" 1}"#, "[tru]", "// a\n[]",
        ]
    )
    func refused(text: String) throws {
        #expect(try json(text).codes == [.decodingFailed])
        let result = try sample(text).serialized(by: .decodable(Empty.self))
        #expect(result.codes == [.decodingFailed])
        let cause = try #require(try json(text).error?.decodingError as? JSONParsingError)
        let place = "at line \(cause.line), column \(cause.column) (GET http://example.com/path)"
        #expect(result.error?.message == "The body is not Empty: \(cause.reason) \(place)")
    }

    @Test("Zeros with an exponent and the last of equal members are decoded into types")
    func typed() throws {
        #expect(try decoded("[0e1,-0.0e2,0E05,1e-2,0]", [Double].self) == [0, 0, 0, 0.01, 0])
        #expect(try decoded("[-0.0e2]", [Double].self)?.first?.sign == .minus)
        #expect(try decoded("[0e1,0]", [Int].self) == [0, 0])
        #expect(try decoded(#"{"a":1,"b":5,"\u0061":3}"#, [String: Int].self) == ["a": 3, "b": 5])
        let wide = try #require(#"[{"a":1,"a":0e1}]"#.data(using: .utf16LittleEndian))
        let body = SampleResponse(200, "application/json", bytes: wide)
        let result = try body.serialized(by: .decodable([[String: Double]].self))
        #expect(result.value == [["a": 0]])
    }

    /// Strings of Swift are equal if they are canonically equivalent, so a dictionary would have only one of the two.
    @Test(
        "Members whose names differ only in Unicode normalization are refused instead of merged",
        arguments: [
            "{\"\u{E9}\":1,\"e\u{301}\":2}", "{\"e\u{301}\":1,\"a\":0,\"\\u00e9\":2}", "{\"K\":1,\"\u{212A}\":2}",
            "{\"\\u212a\":1,\"K\":2}", "[{\"\u{AC00}\":{},\"\u{1100}\u{1161}\":[]}]",
        ]
    )
    func spellings(text: String) throws {
        for error in [try json(text).error, try sample(text).serialized(by: .decodable(Empty.self)).error] {
            #expect(error?.code == .decodingFailed)
            #expect(error?.message.contains("differs from another one only in Unicode normalization at line 1") == true)
        }
    }

    @Test("Names in different objects, and other names that look alike, are kept apart")
    func otherNames() throws {
        let text =
            "[{\"\u{E9}\":1},{\"e\u{301}\":2},{\"\u{E9}\":{\"e\u{301}\":1}},{\"\u{FB01}\":1,\"fi\":2,\"A\":3,\"\u{391}\":4}]"
        #expect(try json(text).value?[3]?.object?.count == 4)
        #expect(try decoded(text, JSONValue.self) == json(text).value)
    }

    @Test("Texts with many members, zeros and long names are checked in linear time")
    func linear() throws {
        let members = (0..<100_000).map { "\"k\($0)é\":0" }.joined(separator: ",")
        let texts = [
            "{\(members)}", "{\(String(repeating: "\"a\":0,", count: 200_000))\"b\":0}",
            "[\(String(repeating: "0e1,", count: 200_000))1]",
        ]
        let start = ContinuousClock.now
        for text in texts { #expect(try decoded(text, Empty.self) != nil) }
        #expect(ContinuousClock.now - start < .seconds(20 * patience))
    }
}
