import FerryFormats
import Foundation
import Testing

/// Returns a readable query, whose brackets are not escaped as they are on the wire.
private func query(_ parameters: Parameters, _ encoding: QueryEncoding = QueryEncoding()) throws -> String {
    try encoding.encode(parameters).replacing("%5B", with: "[").replacing("%5D", with: "]")
}

@Suite("Query encoding")
struct QueryEncodingTests {
    @Test(
        "AFNetworking's form is the default",
        arguments: [
            (["key": "value"], "key=value"),
            (
                ["key1": "value1", "key2": ["key": ["x", 1]], "key3": ["y", 2]],
                "key1=value1&key2[key][]=x&key2[key][]=1&key3[]=y&key3[]=2"
            ),
            (["b": 1, "a": 2, "C": 3, "10": 4, "9": 5], "10=4&9=5&C=3&a=2&b=1"),
            (["d": ["z": ["y": ["x": 1]], "a": 0]], "d[a]=0&d[z][y][x]=1"),
            (["a": [["b": 1], ["b": 2]]], "a[][b]=1&a[][b]=2"),
            (["a": [[1, 2], [3]]], "a[][]=1&a[][]=2&a[][]=3"),
            (["a": ["z", "y", "x"]], "a[]=z&a[]=y&a[]=x"),
            (["a": nil, "b": [nil, 1], "c": ["d": nil]], "b[]=1"),
            (["t": true, "f": false], "f=0&t=1"),
            (["e": ""], "e="),
            (["a": [], "b": [:], "c": 1], "c=1"),
            ([:], ""),
            (["n": -5, "d": 1.5, "one": 1.0, "big": 1e21, "tenth": 0.1], "big=1e%2B21&d=1.5&n=-5&one=1&tenth=0.1"),
        ] as [(Parameters, String)]
    )
    func defaults(parameters: Parameters, expected: String) throws {
        #expect(try query(parameters) == expected)
    }

    @Test("Optional properties that are nil are omitted, whether they are encoded or not")
    func optionalProperties() throws {
        struct Filter: Encodable {
            var name: String?
            var page: Int?
            var isEncoded = true
            enum Key: CodingKey { case name, page }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                if isEncoded { try container.encode(name, forKey: .name) }
                try container.encode(page, forKey: .page)
            }
        }
        for isEncoded in [true, false] {
            let value = try ParameterEncoder().encode(Filter(page: 2, isEncoded: isEncoded))
            #expect(try QueryEncoding().encode(Parameters(value)) == "page=2")
        }
        let empty = try ParameterEncoder().encode(Filter())
        #expect(try QueryEncoding().encode(Parameters(empty)).isEmpty)
    }

    @Test("Brackets in keys are escaped on the wire")
    func brackets() throws {
        #expect(try QueryEncoding().encode(["key2": ["key": [1]]]) == "key2%5Bkey%5D%5B%5D=1")
    }

    @Test("Sets repeat their key without brackets, sorted by text")
    func sets() throws {
        let set = ParameterValue.set(["b", "a", 10, 9])
        #expect(try query(["k": set]) == "k=10&k=9&k=a&k=b")
        #expect(try query(["k": ["n": set]]) == "k[n]=10&k[n]=9&k[n]=a&k[n]=b")
        #expect(try query(["k": .set([["b": 2], ["a": 1]])]) == "k[a]=1&k[b]=2")
        #expect(try query(["k": .set([])]) == "")
    }

    @Test(
        "Equal sets are written in the same way, also if elements have the same text",
        arguments: [
            [nil, ""], [[[1], [2]], [[1, 2]]], [1, "1", true, 1.5, "1.5"], [["a": [1, 2]], ["a": .set([2, 1])]],
            [.date(Date(timeIntervalSince1970: 0.25)), .date(Date(timeIntervalSince1970: 0.5))],
        ] as [[ParameterValue]]
    )
    func equalSets(elements: [ParameterValue]) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let (set, reversed) = (ParameterValue.set(elements), ParameterValue.set(elements.reversed()))
        #expect(try encoder.encode(["k": set]) == encoder.encode(["k": reversed]))
        #expect(try query(["k": set]) == query(["k": reversed]))
    }

    @Test("A single leaf is a value without a key")
    func leafAlone() throws {
        #expect(try query("a b&c") == "=a%20b%26c")
        #expect(try query(7) == "=7")
        #expect(try query(true) == "=1")
        #expect(try query(Parameters(ParameterValue.null)) == "")
    }

    @Test("A collection without a key is an error", arguments: [[1, 2], Parameters(.set([1]))] as [Parameters])
    func keyless(parameters: Parameters) throws {
        let error = try #require(throws: RequestSerializationError.self) { try query(parameters) }
        #expect(error.code == .invalidParameters)
    }

    @Test(
        "Array styles",
        arguments: [
            (.brackets, "a[]=1&a[]=2&d[]"), (.repeated, "a=1&a=2&d"), (.indexed, "a[0]=1&a[1]=2&d[0]"),
        ] as [(QueryEncoding.ArrayStyle, String)]
    )
    func arrayStyles(style: QueryEncoding.ArrayStyle, expected: String) throws {
        #expect(try query(["a": [1, 2], "d": [nil]], QueryEncoding(arrays: style, nulls: .keyOnly)) == expected)
    }

    @Test("Indexed arrays keep the dictionaries in them apart")
    func indexedNesting() throws {
        let encoding = QueryEncoding(arrays: .indexed)
        #expect(try query(["a": [["b": 1, "c": 2], ["b": 3]]], encoding) == "a[0][b]=1&a[0][c]=2&a[1][b]=3")
    }

    @Test("Commas that join values are bare, and commas in values are escaped")
    func commas() throws {
        var encoding = QueryEncoding(arrays: .commaJoined, nulls: .keyOnly)
        #expect(
            try query(["a": ["x,y", 1, true, nil], "e": [], "s": .set([2, 1])], encoding) == "a=x%2Cy,1,1,&s=1,2"
        )
        encoding.nulls = .omitted
        #expect(try query(["a": [nil, 1, nil], "n": [nil]], encoding) == "a=1")
        let error = try #require(throws: RequestSerializationError.self) { try query(["a": [["b": 1]]], encoding) }
        #expect(error.code == .invalidParameters)
    }

    @Test("The forms of Booleans, null and spaces are configurable")
    func otherStyles() throws {
        let parameters: Parameters = ["a b": "c d+e", "n": nil, "t": true, "f": [false, nil]]
        #expect(try query(parameters) == "a%20b=c%20d%2Be&f[]=0&t=1")
        #expect(try query(parameters, QueryEncoding(nulls: .keyOnly)) == "a%20b=c%20d%2Be&f[]=0&f[]&n&t=1")
        let encoding = QueryEncoding(booleans: .literal, nulls: .emptyValue, spaces: .plus)
        #expect(try query(parameters, encoding) == "a+b=c+d%2Be&f[]=false&f[]=&n=&t=true")
    }

    @Test("The form of dates is configurable, data is base64, and decimals are exact")
    func leaves() throws {
        let date = Date(timeIntervalSince1970: 981_173_106.25)
        let decimal = try #require(Decimal(string: "12345678901234567890.123456789"))
        let parameters: Parameters = ["d": .date(date)]
        #expect(try query(parameters) == "d=2001-02-03T04%3A05%3A06Z")
        #expect(try query(parameters, QueryEncoding(dates: .secondsSince1970)) == "d=981173106.25")
        #expect(try query(parameters, QueryEncoding(dates: .millisecondsSince1970)) == "d=981173106250")
        #expect(try query(["b": .data(Data([0xFB, 0xFF, 0]))]) == "b=%2B/8A")
        #expect(try query(["x": .decimal(decimal)]) == "x=12345678901234567890.123456789")
        #expect(
            try query(["u": .unsignedInteger(.max), "i": .integer(.min)])
                == "i=-9223372036854775808&u=18446744073709551615"
        )
    }

    @Test("Dates that RFC 3339 cannot express are an error", arguments: [Double.nan, .infinity, -1e11, 1e12])
    func impossibleDates(seconds: Double) throws {
        let date = ParameterValue.date(Date(timeIntervalSince1970: seconds))
        for parameters in [["d": date], ["d": .array([date])], ["d": .set([date])]] as [Parameters] {
            for encoding in [QueryEncoding(), QueryEncoding(arrays: .commaJoined)] {
                let error = #expect(throws: RequestSerializationError.self) { try query(parameters, encoding) }
                #expect(error?.code == .invalidParameters)
            }
        }
        #expect(try query(["d": .date(Date(timeIntervalSince1970: 253_402_300_799))]) == "d=9999-12-31T23%3A59%3A59Z")
    }

    @Test("Keys are sorted by UTF-16 units")
    func order() throws {
        let parameters: Parameters = ["\u{FF5E}": 1, "😀": 2, "é": 3, "z": 4]
        #expect(try query(parameters) == "z=4&%C3%A9=3&%F0%9F%98%80=2&%EF%BD%9E=1")
    }

    @Test("Other encodings yield their own bytes, and text they lack is an error")
    func encodings() throws {
        #expect(try QueryEncoding().encode(["k": "é€"], using: .windowsCP1252) == "k=%E9%80")
        let error = try #require(throws: RequestSerializationError.self) {
            try QueryEncoding().encode(["k": "日"], using: .isoLatin1)
        }
        #expect(error.code == .unencodableText)
    }
}
