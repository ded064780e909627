import FerryTesting
import FerryXML
import Foundation
import Testing

@Suite("XML limits", .ownThreads, .timeLimit(.minutes(5)))
struct XMLLimitTests {
    private func reason(_ text: String) -> String? {
        do throws(XMLParsingError) {
            _ = try XMLContent(Data(text.utf8))
            return nil
        } catch {
            return error.reason
        }
    }

    @Test(
        "One long entity with many references is refused, in text and in attributes",
        arguments: ["text", "attribute"]
    )
    func quadraticBlowup(_ place: String) throws {
        let entity = String(repeating: "x", count: 65_536)
        func text(_ count: Int) -> String {
            let references = String(repeating: "&e;", count: count)
            let body = place == "text" ? "<a>\(references)</a>" : "<a b='\(references)'/>"
            return "<!DOCTYPE a [<!ENTITY e \"\(entity)\">]>\(body)"
        }
        // A text of 160 KB that would expand to 2 GB.
        #expect(reason(text(31_000)) == "The entities expand to more than 8388608 bytes")
        #expect(reason(text(129)) != nil)
        let fine = try ParsedXMLDocument(XMLContent(Data(text(128).utf8))).makeDocument()
        let value =
            place == "text"
            ? fine.rootElement()?.stringValue
            : fine.rootElement()?.attribute(forName: "b")?.stringValue
        #expect(value?.utf8.count == 8_388_608)
    }

    @Test("A large text may use its entities more often")
    func largeText() {
        let entity = String(repeating: "x", count: 100_000)
        let filler = String(repeating: "y", count: 1_000_000)
        func text(_ count: Int) -> String {
            "<!DOCTYPE a [<!ENTITY e \"\(entity)\">]><a>\(filler)\(String(repeating: "&e;", count: count))</a>"
        }
        #expect(reason(text(100)) == nil)
        #expect(reason(text(120)) != nil)
    }

    @Test("The first declaration of an entity counts, with its size")
    func firstDeclaration() {
        let long = String(repeating: "x", count: 100_000)
        let references = String(repeating: "&e;", count: 1_000)
        #expect(reason("<!DOCTYPE a [<!ENTITY e '\(long)'><!ENTITY e ''>]><a>\(references)</a>") != nil)
        #expect(reason("<!DOCTYPE a [<!ENTITY e ''><!ENTITY e '\(long)'>]><a>\(references)</a>") == nil)
    }

    @Test("Nested entities and parameter entities are refused where they are declared")
    func nested() {
        let plain = "Entities other than plain text are not allowed"
        #expect(reason("<!DOCTYPE a [<!ENTITY a 'x'><!ENTITY b '&a;&a;'>]><a>&b;</a>") == plain)
        #expect(reason("<!DOCTYPE a [<!ENTITY a '&#38;b;'><!ENTITY b '&#38;a;'>]><a>&b;</a>") == plain)
        #expect(reason("<!DOCTYPE a [<!ENTITY % p '<!ENTITY e \"x\">'>%p;]><a>&e;</a>") != nil)
        #expect(reason("<!DOCTYPE a [%p;]><a/>") != nil)
    }

    @Test("No external resource that a text names is read or fetched")
    func external() throws {
        let server = try LoopbackServer { _ in .text("<!ENTITY e 'fetched'>") }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ferry-xml-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("secret")
        try Data("<!ENTITY e 'secret'>".utf8).write(to: file)
        for target in [file.absoluteString, file.path, server.url("/dtd").absoluteString] {
            #expect(
                reason("<!DOCTYPE a [<!ENTITY e SYSTEM '\(target)'>]><a>&e;</a>") == "External entities are not allowed"
            )
            #expect(reason("<!DOCTYPE a [<!ENTITY e PUBLIC 'p' '\(target)'>]><a>&e;</a>") != nil)
            #expect(
                reason("<!DOCTYPE a [<!ENTITY % e SYSTEM '\(target)'>%e;]><a/>") == "Parameter entities are not allowed"
            )
            // The document type may name an external subset, which is not read; its entities remain as text.
            let unread = try XMLContent(Data("<!DOCTYPE a SYSTEM '\(target)'><a>&e;</a>".utf8))
            #expect(try ParsedXMLDocument(unread).makeDocument().rootElement()?.stringValue == "&e;")
            #expect(unread.makeParser().parse())
            #expect(
                reason("<?xml version='1.0' standalone='yes'?><!DOCTYPE a SYSTEM '\(target)'><a>&e;</a>")
                    == "The entity e is not declared"
            )
            let named = try XMLContent(Data("<!DOCTYPE a SYSTEM '\(target)'><a>b</a>".utf8))
            #expect(try ParsedXMLDocument(named).makeDocument().rootElement()?.stringValue == "b")
            #expect(named.makeParser().parse())
            let includes = "<a xmlns:x='http://www.w3.org/2001/XInclude'><x:include parse='text' href='\(target)'/></a>"
            let included = try ParsedXMLDocument(XMLContent(Data(includes.utf8))).makeDocument()
            #expect(included.rootElement()?.stringValue == "")
            let options: [XMLNode.Options] = [
                .nodeLoadExternalEntitiesAlways, .nodeLoadExternalEntitiesSameOriginOnly, .documentValidate,
                [.nodeLoadExternalEntitiesAlways, .documentValidate],
            ]
            for options in options {
                let serializer = XMLDocumentResponseSerializer(options: options)
                let body = "<!DOCTYPE a SYSTEM '\(target)'><a>b</a>"
                let parsed = try SampleResponse(200, "text/xml", body).serialized(by: serializer).value
                #expect(try parsed?.makeDocument().rootElement()?.stringValue == "b")
                #expect(try parsed?.makeDocument().rootElement()?.stringValue == "b")
            }
        }
        #expect(server.requests.isEmpty)
    }

    /// Returns a text with an element for each 1,000 bytes.
    private func rows(size: Int) -> Data {
        let row = "<r>\(String(repeating: "x", count: 993))</r>"
        let rows = "<a>\(String(repeating: row, count: (size - 7) / 1_000))"
        return Data("\(rows)\(String(repeating: "\n", count: size - 4 - rows.utf8.count))</a>".utf8)
    }

    @Test("A document of more than 10,000,000 bytes is refused, and a parser parses it")
    func documentSize() throws {
        let document = try ParsedXMLDocument(XMLContent(rows(size: 10_000_000))).makeDocument()
        #expect(document.rootElement()?.elements(forName: "r").count == 9_999)
        let large = try XMLContent(rows(size: 10_000_001))
        let error = #expect(throws: XMLParsingError.self) { _ = try ParsedXMLDocument(large) }
        #expect(error?.reason == "A document of more than 10000000 bytes")
        let elements = ElementNames()
        let parser = large.makeParser()
        parser.delegate = elements
        #expect(parser.parse())
        #expect(elements.names.count == 10_000)
    }

    @Test("The text of entities counts as a part of the document", arguments: ["text", "attribute"])
    func expandedSize(_ place: String) throws {
        let entity = String(repeating: "x", count: 100_000)
        let filler = String(repeating: "y", count: 1_700_000)
        func isDocument(_ count: Int) throws -> Bool {
            let references = String(repeating: "&e;", count: count)
            let body = place == "text" ? "<a>\(references)\(filler)</a>" : "<a b='\(references)'>\(filler)</a>"
            let content = try XMLContent(Data("<!DOCTYPE a [<!ENTITY e \"\(entity)\">]>\(body)".utf8))
            return (try? ParsedXMLDocument(content)) != nil
        }
        #expect(try isDocument(80))
        #expect(try !isDocument(83))
    }

    @Test("Identifiers of a document type have at most 50,000 bytes")
    func identifiers() throws {
        func text(_ count: Int) -> [String] {
            let identifier = String(repeating: "u", count: count)
            return [
                "<!DOCTYPE a SYSTEM '\(identifier)'><a>b</a>", "<!DOCTYPE a PUBLIC 'p' '\(identifier)'><a>b</a>",
                "<!DOCTYPE a PUBLIC '\(identifier)' 's'><a>b</a>",
            ]
        }
        for text in text(50_000) {
            let document = try ParsedXMLDocument(XMLContent(Data(text.utf8))).makeDocument()
            #expect(document.rootElement()?.stringValue == "b")
        }
        for text in text(50_001) { #expect(reason(text) == "An identifier of more than 50000 bytes") }
    }

    @Test("Attributes, namespaces, names and nesting have limits")
    func limits() {
        func attributes(_ count: Int, _ name: String) -> String { (0..<count).map { " \(name)\($0)='u'" }.joined() }
        #expect(reason("<a\(attributes(1_000, "b"))/>") == nil)
        #expect(reason("<a\(attributes(1_001, "b"))/>") == "More than 1000 attributes")
        #expect(reason("<a\(attributes(600, "b"))><c\(attributes(600, "b"))/></a>") == nil)
        let half = attributes(500, "xmlns:n")
        #expect(reason("<a\(half)><b\(half)/><b\(half)/></a>") == nil)
        #expect(reason("<a\(half)><b\(half)><c xmlns='u'/></b></a>") == "More than 1000 namespaces")
        #expect(reason("<\(String(repeating: "a", count: 1_024))/>") == nil)
        #expect(reason("<\(String(repeating: "a", count: 1_025))/>") == "A name of more than 1024 bytes")
        #expect(reason(String(repeating: "<a>", count: 1_000_000)) == "More than 250 levels")
    }
}
