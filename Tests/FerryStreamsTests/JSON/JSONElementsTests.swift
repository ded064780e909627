import FerryTesting
import TestSupport
import Testing

@testable import FerryStreams

@Suite("Elements of a JSON array as they arrive")
struct JSONElementsTests {
    private func elements(
        _ text: String,
        size: Int = .max,
        limit: Int = 1_000
    ) async throws -> ([JSONValue], URLError.Code?) {
        try await outcome(Pieces(text, size: size).jsonElements(as: JSONValue.self, maximumLength: limit))
    }

    private static let arrays: [(String, [JSONValue])] = [
        ("[]", []), (" [ ] \n", []), ("[1]", [1]), ("[1,2,3]", [1, 2, 3]), ("\r\n[\t1 , \"x\"\n]\n", [1, "x"]),
        ("[[1,[2]],[]]", [[1, [2]], []]), ("[{\"a\":[1,{}]},null]", [["a": [1, [:]]], .null]),
        ("[\"],[\",\"\\\"],\",\"\\\\\"]", ["],[", "\"],", "\\"]), ("[\"é😀\",\"\\ud83d\\ude00\"]", ["é😀", "😀"]),
        ("[true,-1.5e3,\"{\"]", [true, -1500, "{"]), ("\u{FEFF}[1,2]", [1, 2]),
    ]

    @Test("An array's elements are delivered, in pieces of any size", arguments: arrays)
    func wellFormed(text: String, expected: [JSONValue]) async throws {
        for size in [1, 2, 3, 7, .max] {
            let (values, code) = try await elements(text, size: size)
            #expect(values == expected)
            #expect(code == nil)
        }
    }

    private static let malformed: [(String, Int, URLError.Code)] = [
        ("", 0, .networkConnectionLost), ("[", 0, .networkConnectionLost), ("[1", 0, .networkConnectionLost),
        ("[1,2", 1, .networkConnectionLost), ("[1,", 1, .networkConnectionLost), ("[\"]", 0, .networkConnectionLost),
        ("{}", 0, .cannotParseResponse), ("1", 0, .cannotParseResponse), ("[1],", 1, .cannotParseResponse),
        ("[1][2]", 1, .cannotParseResponse), ("[,1]", 0, .cannotParseResponse), ("[1,]", 1, .cannotParseResponse),
        ("[1,,2]", 1, .cannotParseResponse), ("]", 0, .cannotParseResponse),
        ("\u{FEFF}\u{FEFF}[1]", 0, .cannotParseResponse), ("\u{FEFF}", 0, .networkConnectionLost),
    ]

    @Test("What is not a whole array is an error after the elements before it", arguments: malformed)
    func damagedArrays(text: String, count: Int, code: URLError.Code) async throws {
        for size in [1, .max] {
            let (values, found) = try await elements(text, size: size)
            #expect(values.count == count)
            #expect(found == code)
        }
    }

    @Test(
        "An element that is no value loses no other",
        arguments: ["{]", "1 2", "tru", "}", "{\"a\"}", "\"\\x\"", "01"]
    )
    func damagedElement(text: String) async throws {
        var iterator = Pieces("[1,\(text),2]", size: 3).jsonElements(as: Int.self).makeAsyncIterator()
        #expect(try await iterator.next() == 1)
        await #expect(throws: DecodingError.self) { try await iterator.next() }
        #expect(try await iterator.next() == 2)
        #expect(try await iterator.next() == nil)
    }

    @Test("An element that is too long ends the sequence, and a long array does not")
    func limit() async throws {
        let many = "[" + String(repeating: "123,", count: 2_000) + "1]"
        #expect(try await elements(many, size: 100, limit: 3).0.count == 2_001)
        for long in ["\"" + String(repeating: "x", count: 2_000), String(repeating: "[", count: 2_000), "1234"] {
            let (values, code) = try await elements("[1,\(long)", size: 10, limit: 3)
            #expect(values == [1])
            #expect(code == .dataLengthExceedsMaximum)
        }
    }

    @Test("Deep elements are refused by the decoder without a crash")
    func deep() async throws {
        let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        var iterator = Pieces("[\(deep),1]", size: 999).jsonElements(as: JSONValue.self).makeAsyncIterator()
        await #expect(throws: DecodingError.self) { try await iterator.next() }
        #expect(try await iterator.next() == 1)
    }

    @Test("Long elements and many small ones take linear time", .pure, arguments: ["1,", "[", "\"\\\\", " "])
    func linear(part: String) throws {
        let (isLinear, times) = try LinearCase(part.debugDescription) { size in
            var splitter = ElementSplitter(limit: .max)
            let text = Data(("[" + String(filling: size, with: part)).utf8)
            for pieces in [1, size] {
                splitter = ElementSplitter(limit: .max)
                for start in stride(from: 0, to: text.count, by: pieces) {
                    splitter.append(text[start..<min(text.count, start + pieces)])
                    while try splitter.next() != nil {}
                }
            }
        }.isLinear(size: 20_000)
        #expect(isLinear, "\(times)")
    }

    @Test("Damaged arrays end in any pieces with the same elements or the same kind of error")
    func mutations() async throws {
        var random = SeededGenerator(33)
        let sample = Array("[{\"a\":[1,\"x,]\"],\"b\":null}, 2 ,\"\\\"]\",[[]],-1.5]".utf8)
        for _ in 0..<(Mutations.count / 10) {
            var bytes = Bool.random(using: &random) ? sample : Mutations.replaceValue(sample, &random)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                guard let index = bytes.indices.randomElement(using: &random) else { break }
                bytes[index] = Array("[]{},:\"\\ 1\u{1E}\n".utf8).randomElement(using: &random) ?? 0
            }
            var outcomes: Set<String> = []
            for size in [1, 5, .max] {
                var iterator = Pieces(Data(bytes), size: size).jsonElements(as: JSONValue.self).makeAsyncIterator()
                var text = ""
                while true {
                    do {
                        guard let value = try await iterator.next() else { break }
                        text += "\(value);"
                    } catch let error as URLError {
                        text += "\(error.code.rawValue);"
                    } catch is DecodingError {
                        text += "?;"
                    }
                }
                outcomes.insert(text)
            }
            #expect(outcomes.count == 1, "\(String(decoding: bytes, as: UTF8.self))")
        }
    }

    @Test("Elements are delivered before the array ends")
    func live() async throws {
        let mayGoOn = Watched(false)
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n[1, 2")
            mayGoOn.block { $0 }
            connection.write("3]")
        }
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
        let (bytes, _) = try await CurlSession(configuration: .ephemeral).bytes(from: url)
        var values: [Int] = []
        for try await value in bytes.jsonElements(as: Int.self) {
            values.append(value)
            mayGoOn.change { $0 = true }
        }
        #expect(values == [1, 23])
    }
}
