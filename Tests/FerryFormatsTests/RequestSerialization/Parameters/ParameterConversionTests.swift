import FerryFormats
import Foundation
import Testing

@Suite("Parameters from Swift values")
struct ParameterConversionTests {
    @Test("Literals")
    func literals() throws {
        let parameters: Parameters = ["a": 1, "b": ["x", 2.5, true, nil], "c": ["d": "\(3)"], "e": nil]
        #expect(
            try parameters.value()
                == .dictionary([
                    "a": .integer(1),
                    "b": .array([.string("x"), .double(2.5), .bool(true), .null]),
                    "c": .dictionary(["d": .string("3")]),
                    "e": .null,
                ])
        )
        #expect(try (["a": 1, "a": 2] as Parameters).value() == ["a": 2])
    }

    @Test("A dictionary of mixed values")
    func mixed() throws {
        let id = 7
        let missing: String? = nil
        let uuid = UUID()
        let dictionary: [String: any Sendable] = [
            "int": id, "bool": true, "missing": missing, "present": Optional("x"), "float": Float(0.1),
            "uint": UInt64.max, "small": Int8(-1), "list": [1, 2], "set": Set([1]), "map": ["k": "v"],
            "keyed": [1: "one"], "url": URL(string: "http://e.com/ü"), "uuid": uuid, "data": Data([1]),
            "sub": "abc".dropFirst(), "char": Character("z"), "value": ParameterValue.string("v"),
            "nested": ["x": Optional<Int>.none],
        ]
        let value = try Parameters(dictionary).value()
        #expect(
            value
                == .dictionary([
                    "int": 7, "bool": true, "missing": nil, "present": "x", "float": 0.1,
                    "uint": .unsignedInteger(.max), "small": -1, "list": [1, 2], "set": .set([1]), "map": ["k": "v"],
                    "keyed": ["1": "one"], "url": "http://e.com/%C3%BC", "uuid": .string(uuid.uuidString),
                    "data": .data(Data([1])), "sub": "bc", "char": "z", "value": "v", "nested": ["x": nil],
                ])
        )
    }

    @Test("Dictionaries of literals, of variables and of both are equivalent")
    func spellings() throws {
        let name = "Ada"
        let strings = ["name": name]
        let optional: String? = nil
        #expect(try Parameters(["name": "Ada", "age": 36]).value() == ["name": "Ada", "age": 36])
        #expect(
            try Parameters(["name": name, "age": 36, "none": optional]).value()
                == ["name": "Ada", "age": 36, "none": nil]
        )
        #expect(try Parameters(["name": "Ada", "none": nil]).value() == ["name": "Ada", "none": nil])
        #expect(try Parameters(strings).value() == ["name": "Ada"])
        #expect(try Parameters(encoding: strings).value() == ["name": "Ada"])
        #expect(try (["name": "\(name)"] as Parameters).value() == ["name": "Ada"])
    }

    @Test("Foundation's numbers keep their type")
    func numbers() throws {
        let value = try Parameters([
            "one": NSNumber(value: 1), "true": NSNumber(value: true), "byte": NSNumber(value: Int8(1)),
            "half": NSNumber(value: 0.5), "tenth": NSNumber(value: Float(0.1)), "max": NSNumber(value: UInt64.max),
            "decimal": NSDecimalNumber(string: "1.10"), "null": NSNull(),
        ]).value()
        #expect(
            value
                == .dictionary([
                    "one": 1, "true": true, "byte": 1, "half": 0.5, "tenth": 0.1, "max": .unsignedInteger(.max),
                    "decimal": .decimal(Decimal(string: "1.1") ?? 0), "null": nil,
                ])
        )
    }

    @Test("Encodable values inside a dictionary are encoded")
    func encodableInside() throws {
        struct User: Encodable, Sendable { let name: String }
        let value = try Parameters(["users": [User(name: "a"), User(name: "b")]]).value()
        #expect(value == ["users": [["name": "a"], ["name": "b"]]])
    }

    @Test("A value of an unknown type is an error that names its key path, when the request is made")
    func unknown() throws {
        struct Opaque: Sendable {}
        let parameters = Parameters(["a": ["b": [Opaque()]]])
        let error = try #require(throws: RequestSerializationError.self) { try parameters.value() }
        #expect(error.code == .invalidParameters)
        #expect(error.reason.contains("[a][b][]"))
        #expect(error.reason.contains("Opaque"))
    }
}
