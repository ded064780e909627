import FerryFormats
import Foundation
import Testing

@Suite("Parameters from Encodable values")
struct ParameterEncoderTests {
    private struct Address: Encodable {
        var city: String
        var zip: Int?
    }
    private enum Role: String, Encodable { case admin, guest }
    private struct User: Encodable {
        var name = "Ada"
        var age: UInt8 = 36
        var ratio: Float = 0.1
        var isActive = true
        var role = Role.admin
        var address = Address(city: "London", zip: nil)
        var tags = ["x", "y"]
        var unique: Set<Int> = [3, 1, 2]
        var born = Date(timeIntervalSince1970: 0)
        var key = Data([0xFF])
        var home = URL(string: "http://e.com")
        var scores = ["b": 1, "a": 2]
        var none: Int?
    }

    @Test("Structures, enumerations, collections and optionals")
    func structure() throws {
        let value = try ParameterEncoder().encode(User())
        guard case .dictionary(var fields) = value else { return #expect(Bool(false), "no dictionary: \(value)") }
        guard case .set(let unique) = fields.removeValue(forKey: "unique") else {
            return #expect(Bool(false), "a set stays a set")
        }
        #expect(Set(unique) == [1, 2, 3])
        #expect(
            fields == [
                "name": "Ada", "age": 36, "ratio": 0.1, "isActive": true, "role": "admin",
                "address": ["city": "London"],
                "tags": ["x", "y"], "born": .date(Date(timeIntervalSince1970: 0)), "key": .data(Data([0xFF])),
                "home": "http://e.com", "scores": ["a": 2, "b": 1],
            ]
        )
    }

    @Test("An Encodable becomes a query")
    func query() throws {
        struct Search: Encodable {
            let q = "a b"
            let page = 2
            let only: Set<String> = ["y", "x"]
            let after: Int? = nil
        }
        #expect(try QueryEncoding().encode(Parameters(encoding: Search())) == "only=x&only=y&page=2&q=a%20b")
    }

    @Test("Manual containers: nested, super, null and empty")
    func containers() throws {
        struct Manual: Encodable {
            enum Key: String, CodingKey { case list, map, null }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                try container.encodeNil(forKey: .null)
                var list = container.nestedUnkeyedContainer(forKey: .list)
                try list.encode(1)
                try list.encodeNil()
                var inner = list.nestedContainer(keyedBy: Key.self)
                try inner.encode("deep", forKey: .map)
                #expect(list.count == 3)
                _ = list.nestedUnkeyedContainer()
                var map = container.nestedContainer(keyedBy: Key.self, forKey: .map)
                try map.encode(true, forKey: .null)
                try "up".encode(to: container.superEncoder())
                try [5].encode(to: list.superEncoder())
            }
        }
        #expect(
            try ParameterEncoder().encode(Manual()) == [
                "list": [1, nil, ["map": "deep"], [], [5]], "map": ["null": true], "null": nil, "super": "up",
            ]
        )
    }

    @Test("A nested container that is requested again keeps its values, and one of another kind replaces it")
    func containersAgain() throws {
        struct Manual: Encodable {
            enum Key: String, CodingKey { case list, map, first, second }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                for (key, value) in [(Key.first, 1), (Key.second, 2)] {
                    var map = container.nestedContainer(keyedBy: Key.self, forKey: .map)
                    try map.encode(value, forKey: key)
                    var list = container.nestedUnkeyedContainer(forKey: .list)
                    try list.encode(value)
                    #expect(list.count == value)
                }
                try container.encode("text", forKey: .first)
                _ = container.nestedUnkeyedContainer(forKey: .first)
                var second = container.nestedUnkeyedContainer(forKey: .second)
                try second.encode(1)
                try "up".encode(to: container.superEncoder(forKey: .second))
            }
        }
        #expect(
            try ParameterEncoder().encode(Manual()) == [
                "list": [1, 2], "map": ["first": 1, "second": 2], "first": [], "second": "up",
            ]
        )
    }

    @Test("Integers of 128 bits keep all digits, in all containers")
    func wideIntegers() throws {
        struct Wide: Encodable {
            let large = UInt128.max
            let list: [Int128] = [.min, .max, 1, Int128(UInt64.max)]
            let none: Int128? = nil
            let small: UInt128? = 5
            let wrapped = Wrapped(value: .min)
        }
        struct Wrapped: Encodable {
            let value: Int128
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(value)
            }
        }
        let (least, greatest) = ("-170141183460469231731687303715884105728", "170141183460469231731687303715884105727")
        let large = "340282366920938463463374607431768211455"
        #expect(
            try QueryEncoding(arrays: .repeated).encode(Parameters(encoding: Wide()))
                == "large=\(large)&list=\(least)&list=\(greatest)&list=1&list=18446744073709551615&small=5"
                + "&wrapped=\(least)"
        )
        #expect(try ParameterEncoder().encode(Int128(7)) == 7)
        #expect(try QueryEncoding().encode(Parameters(encoding: ["a": Int128.max])) == "a=\(greatest)")
    }

    @Test("Empty, fragment and array values at the top level")
    func topLevel() throws {
        struct Empty: Encodable { func encode(to encoder: any Encoder) throws {} }
        #expect(try ParameterEncoder().encode(Empty()) == [:])
        #expect(try ParameterEncoder().encode(5) == 5)
        #expect(try ParameterEncoder().encode([User?.none]) == [nil])
        #expect(try ParameterEncoder().encode([[1], []]) == [[1], []])
    }

    @Test("An error of encode(to:) is the underlying error")
    func failure() throws {
        struct Failing: Encodable, Sendable {
            var password = "hunter2"
            func encode(to encoder: any Encoder) throws {
                throw EncodingError.invalidValue(self, .init(codingPath: [], debugDescription: "no"))
            }
        }
        let error = try #require(throws: RequestSerializationError.self) {
            try QueryEncoding().encode(Parameters(encoding: Failing()))
        }
        #expect(error.code == .invalidParameters)
        #expect(error.underlyingError is EncodingError)
        #expect(!"\(error) \(NetworkError(transport: error).nsError)".contains("hunter2"))
    }

    @Test("Coding paths include keys and indices")
    func codingPath() throws {
        struct Probe: Encodable {
            func encode(to encoder: any Encoder) throws {
                try encoder.codingPath.map(\.stringValue).joined(separator: ".").encode(to: encoder)
            }
        }
        #expect(try ParameterEncoder().encode(["a": [Probe(), Probe()]]) == ["a": ["a.0", "a.1"]])
    }
}
