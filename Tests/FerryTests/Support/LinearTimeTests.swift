import FerryXML
import Foundation
import Testing

@testable import Ferry

@Suite("Parsers take linear time", .ownThreads, .timeLimit(.minutes(10)))
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
            "XML",
            { text in
                let texts = [
                    text, "<a>\(text)</a>", "<a b='\(text)'/>", "<\(text)/>", "<a \(text)='1'/>",
                    "<!DOCTYPE a [\(text)]><a/>",
                    "<!--\(text)--><a/>", "<a>&\(text);</a>", "<?p \(text)?><a/>",
                    "<!DOCTYPE a PUBLIC '\(text)' 'x'><a/>",
                ]
                for text in texts { _ = try? XMLContent(Data(text.utf8)) }
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
        (
            "Link fields",
            { text in
                let base = URL(string: "http://a.test/")
                let values = [
                    text, "<\(text)", "<a>; \(text)", "<a>; rel=\(text)", "<a>; rel=\"\(text)\"", "<a>; \(text)=1",
                ]
                for value in values {
                    for link in Link.links(in: [value], relativeTo: base) { _ = Set([link, link]) }
                }
            }
        ),
        (
            "curl command",
            { text in
                var request = URLRequest(url: URL(fileURLWithPath: "/"))
                request.url = URL(string: "http://user:secret@example.com/")
                request.httpBody = Data(text.utf8)
                _ = request.curlCommand
            }
        ),
    ]

    @Test("Each parser takes linear time for any text", arguments: readers.indices)
    func texts(_ index: Int) throws {
        let (name, read) = Self.readers[index]
        for part in HostileText.parts + ["[", "{\"a\":", "<a>", "<!--", "&lt;", "&#769;&#790;", "<a ", "<?", "\\u0301"]
        {
            let (isLinear, times) = try LinearCase("\(name) of \(part.debugDescription)") { size in
                read(String(filling: size, with: part))
            }.isLinear(size: 10_000)
            #expect(isLinear, "\(times)")
        }
    }

    private static func attributes(_ count: Int, _ prefix: String) -> String {
        (0..<count).map { " \(prefix)\($0)='u'" }.joined()
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
        LinearCase("Attributes of an XML element") { size in
            _ = try? ParsedXMLDocument(XMLContent(Data("<a\(attributes(size / 10, "b"))/>".utf8)))
        },
        LinearCase("Namespaces of XML") { size in
            let open = (0..<20).map { "<a\(attributes(size / 400, "xmlns:n\($0)_"))>" }.joined()
            let text = open + String(filling: size, with: "<b/>") + String(repeating: "</a>", count: 20)
            _ = try? ParsedXMLDocument(XMLContent(Data(text.utf8)))
        },
        LinearCase("Entities of XML") { size in
            let entities = (0..<size / 30).map { "<!ENTITY e\($0) 'x'>" }.joined()
            let text = "<!DOCTYPE a [\(entities)]><a>" + String(filling: size / 2, with: "&e0;") + "</a>"
            _ = try ParsedXMLDocument(XMLContent(Data(text.utf8)))
        },
        LinearCase("Instructions without data in XML") { size in
            _ = try XMLContent(Data((String(filling: size, with: "<?p?>") + "<a/>").utf8))
        },
        LinearCase("Links of a field") { size in
            let base = URL(string: "http://a.test/")
            for part in ["<a>; rel=next,", "<a>; rel=\"\(String(filling: 4_000, with: "a "))\",", "<a>; a=b; rel=c,"] {
                _ = Link.links(in: [String(filling: size, with: part)], relativeTo: base)
            }
            _ = Link.links(in: ["<a>; rel=a" + String(filling: size, with: "; b=c")], relativeTo: base)
        },
        LinearCase("A key of a binary property list that is shared") { size in
            for list in [sharedKey(size / 2, members: size / 4), sharedKey(4_000, members: size / 2)] {
                _ = try? PropertyListValue(propertyList: list)
            }
        },
        LinearCase("Netlink messages") { size in
            let message: [UInt8] = [20, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 1, 0]
            let bytes = Array(repeatElement(message, count: size / 20).joined())
            for message in NetlinkMessage.messages(in: bytes[...]) { _ = message.attributes(after: 0) }
            let attributes = NetlinkMessage(type: 16, sequence: 0, payload: bytes[...])
            _ = attributes.attributes(after: 16)
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
