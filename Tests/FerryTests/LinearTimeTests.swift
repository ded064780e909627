import FerryXML
import Foundation
import Testing

@testable import Ferry

@Suite("Parsers of the managers take linear time", .slow, .ownThreads, .timeLimit(.minutes(10)))
struct LinearTimeTests {
    private static let readers: [(String, @Sendable (String) -> Void)] = [
        (
            "XML",
            { text in
                let texts = [
                    text, "<a>\(text)</a>", "<a b='\(text)'/>", "<\(text)/>", "<a \(text)='1'/>",
                    "<!DOCTYPE a [\(text)]><a/>",
                    "<!--\(text)--><a/>", "<a>&\(text);</a>", "<?p \(text)?><a/>",
                    "<!DOCTYPE a PUBLIC '\(text)' 'x'><a/>", "<!DOCTYPE a SYSTEM 'x'><a b='\(text)'>&\(text);</a>",
                    "<!DOCTYPE a [<!ENTITY e '\(text)'>]><a>&e;</a>",
                ]
                for text in texts { _ = try? XMLContent(Data(text.utf8)) }
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
        #expect(try HostileText.slowTexts(name, and: HostileText.documentParts, read).isEmpty)
    }

    private static func attributes(_ count: Int, _ prefix: String) -> String {
        (0..<count).map { " \(prefix)\($0)='u'" }.joined()
    }

    private static let others: [LinearCase] = [
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
        LinearCase("Line ends of XML, and entities that may be declared elsewhere") { size in
            for part in ["\r", "\r\n", "&e;"] {
                let text = "<!DOCTYPE a SYSTEM 'x'><a>" + String(filling: size, with: part) + "</a>"
                _ = try XMLContent(Data(text.utf8))
            }
        },
        LinearCase("Instructions without data in XML") { size in
            _ = try XMLContent(Data((String(filling: size, with: "<?p?>") + "<a/>").utf8))
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
}
