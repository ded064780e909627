import FerryFormats
import Foundation
import Testing

@Suite("Parsers take linear time", .slow, .ownThreads, .timeLimit(.minutes(10)))
struct LinearTimeTests {
    private static let readers: [(String, @Sendable (String) -> Void)] = [
        (
            "JSON",
            { text in
                for json in [text, "\"\(text)\"", "{\"\(text)\":1}", "[\(text)]", "{\"a\":\(text)"] {
                    _ = try? JSONValue(json: json)
                }
            }
        ),
        (
            "JSON numbers",
            { text in
                for json in ["1" + text, "-" + text, "1.0" + text, "1e" + text] { _ = try? JSONValue(json: json) }
            }
        ),
        (
            "XML property list",
            { text in
                for body in [
                    text, "<string>\(text)</string>", "<dict><key>\(text)</key><true/></dict>", "<data>\(text)",
                ] {
                    let list = "<?xml version=\"1.0\"?><plist version=\"1.0\">\(body)</plist>"
                    _ = try? PropertyListValue(propertyList: Data(list.utf8))
                }
            }
        ),
        (
            "Binary property list",
            { text in
                _ = try? PropertyListValue(propertyList: Data("bplist00".utf8) + Data(text.utf8))
            }
        ),
        (
            "Charsets",
            { text in
                let data = Data(text.utf8)
                for encoding in [String.Encoding.utf8, .utf16BigEndian, .isoLatin1, .windowsCP1252] {
                    _ = Charset.lossyString(data, encoding: encoding)
                }
                _ = Charset.xmlDeclaration(of: data)
                _ = Charset.xmlDeclaration(of: Data("<?xml ".utf8) + data)
            }
        ),
        (
            "Japanese",
            { text in
                let data = Data(text.utf8.prefix(20_000).map { $0 | 0x80 } + [0x80])
                _ = Charset.lossyString(data, encoding: .japaneseEUC)
            }
        ),
        (
            "Content types",
            { text in
                for pattern in ["application/*+xml", "*/*", "*"] { _ = ContentTypePattern(pattern).matches(text) }
                _ = Validation(contentTypes: ["text/html"]).accepts(contentType: text)
            }
        ),
    ]

    @Test("Each parser takes linear time for any text", arguments: readers.indices)
    func texts(_ index: Int) throws {
        let (name, read) = Self.readers[index]
        #expect(try HostileText.slowTexts(name, and: HostileText.documentParts, read).isEmpty)
    }

    /// Returns a binary property list with a dictionary whose members all have the same key, of a size in bytes.
    private static func sharedKey(_ size: Int, members: Int) -> Data {
        func bigEndian(_ number: some FixedWidthInteger) -> [UInt8] {
            withUnsafeBytes(of: number.bigEndian, Array.init)
        }
        var bytes = Array("bplist00".utf8)
        var table = bigEndian(UInt32(bytes.count))
        bytes += [0xDF, 0x12] + bigEndian(UInt32(members))
        bytes += [UInt8](repeating: 1, count: members) + [UInt8](repeating: 2, count: members)
        table += bigEndian(UInt32(bytes.count))
        bytes += [0x5F, 0x12] + bigEndian(UInt32(size / 2 * 2)) + Array(String(repeating: "é", count: size / 2).utf8)
        table += bigEndian(UInt32(bytes.count))
        bytes.append(0x09)
        let tableOffset = bigEndian(UInt64(bytes.count))
        bytes += table
        bytes += [0, 0, 0, 0, 0, 0, 4, 1] + bigEndian(UInt64(3)) + bigEndian(UInt64(0)) + tableOffset
        return Data(bytes)
    }

    private static let others: [LinearCase] = [
        LinearCase("Members of a JSON object") { size in
            _ = try JSONValue(json: "{" + (0..<size / 10).map { "\"a\($0)\":1" }.joined(separator: ",") + "}")
        },
        LinearCase("Equal members of JSON that is decoded, and zeros with exponents") { size in
            let members = String(filling: size, with: "\"a\":0,")
            for text in ["{\(members)\"a\":1}", "[\(String(filling: size, with: "0e1,"))1]"] {
                _ = try JSONDecoder().decodeStrictly(JSONValue.self, from: Data(text.utf8))
            }
        },
        LinearCase("A key of a binary property list that is shared") { size in
            for list in [sharedKey(size / 2, members: size / 4), sharedKey(4_000, members: size / 2)] {
                _ = try? PropertyListValue(propertyList: list)
            }
        },
    ]

    @Test("Parsers take linear time for structures with many parts", arguments: others.indices)
    func structures(_ index: Int) throws {
        let (isLinear, times) = try Self.others[index].isLinear()
        #expect(isLinear, "\(times)")
    }

    /// Core Foundation hashes 32 characters at the start, in the middle and at the end of a string, without a seed.
    @Test("Keys of an XML property list that differ in few characters take linear time")
    func similarKeys() throws {
        let (a, b) = (String(repeating: "a", count: 32), String(repeating: "b", count: 17))
        let (isLinear, times) = try LinearCase("Similar keys") { size in
            let members = (0..<size / 160).map { index in
                let counter = String(index)
                let padding = String(repeating: "0", count: 17 - counter.count)
                return "<key>\(a)\(padding)\(counter)\(a)\(b)\(a)</key><true/>"
            }
            let list = "<plist><dict>\(members.joined())</dict></plist>"
            let value = try PropertyListValue(propertyList: Data(list.utf8))
            #expect(value.dictionary?.count == members.count)
        }.isLinear(size: 600_000)
        #expect(isLinear, "\(times)")
    }

    @Test("A JSON name or property list key may have up to 30 combining marks")
    func marks() throws {
        func json(_ count: Int) -> String { "{\"a" + String(repeating: "\u{301}", count: count) + "\":1}" }
        #expect(try JSONValue(json: json(30))["a" + String(repeating: "\u{301}", count: 30)] != nil)
        #expect(throws: JSONParsingError.self) { try JSONValue(json: json(31)) }
        #expect(try JSONValue(json: "[\"" + String(repeating: "\u{301}", count: 1_000) + "\"]").array?.count == 1)
        func list(_ key: String) throws -> Data {
            try PropertyListSerialization.data(fromPropertyList: [key: 1], format: .binary, options: 0)
        }
        let key = "a" + String(repeating: "\u{301}", count: 30)
        #expect(try PropertyListValue(propertyList: list(key)) == .dictionary([key: .integer(1)]))
        let long = try list(key + "\u{301}")
        #expect(throws: PropertyListParsingError.self) { try PropertyListValue(propertyList: long) }
        let large = try list(String(repeating: "k", count: 5_000))
        #expect(throws: PropertyListParsingError.self) { try PropertyListValue(propertyList: large) }
        func xml(_ count: Int) -> String {
            let key = String(repeating: "k", count: count)
            return "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict><key>\(key)</key><true/></dict></plist>"
        }
        #expect(try PropertyListValue(propertyList: Data(xml(4_000).utf8)).dictionary?.count == 1)
        #expect(throws: PropertyListParsingError.self) { try PropertyListValue(propertyList: Data(xml(5_000).utf8)) }
        let wide = try #require(xml(5_000).data(using: .utf16))
        #expect(throws: PropertyListParsingError.self) { try PropertyListValue(propertyList: wide) }
    }
}
