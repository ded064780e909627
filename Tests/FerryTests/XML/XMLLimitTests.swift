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
        let entity = String(repeating: "x", count: 95_000)
        func text(_ count: Int) -> String {
            let references = String(repeating: "&e;", count: count)
            let body = place == "text" ? "<a>\(references)</a>" : "<a b='\(references)'/>"
            return "<!DOCTYPE a [<!ENTITY e \"\(entity)\">]>\(body)"
        }
        // A text of 190 KB that would expand to 3 GB.
        #expect(reason(text(31_000)) == "The entities expand to more than 8388608 bytes")
        #expect(reason(text(89)) != nil)
        let fine = try ParsedXMLDocument(XMLContent(Data(text(88).utf8))).makeDocument()
        let value =
            place == "text"
            ? fine.rootElement()?.stringValue
            : fine.rootElement()?.attribute(forName: "b")?.stringValue
        #expect(value?.utf8.count == 88 * 95_000)
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
            #expect(reason("<!DOCTYPE a [<!ENTITY % e SYSTEM '\(target)'>%e;]><a/>") != nil)
            // The document type may name an external subset, which declares nothing here.
            #expect(reason("<!DOCTYPE a SYSTEM '\(target)'><a>&e;</a>") == "The entity e is not declared")
            let named = try XMLContent(Data("<!DOCTYPE a SYSTEM '\(target)'><a>b</a>".utf8))
            #expect(try ParsedXMLDocument(named).makeDocument().rootElement()?.stringValue == "b")
            #expect(named.makeParser().parse())
            let includes = "<a xmlns:x='http://www.w3.org/2001/XInclude'><x:include parse='text' href='\(target)'/></a>"
            let included = try ParsedXMLDocument(XMLContent(Data(includes.utf8))).makeDocument()
            #expect(included.rootElement()?.stringValue == "")
        }
        #expect(server.requests.isEmpty)
    }

    @Test("Attributes, namespaces, names and nesting have limits")
    func limits() {
        func attributes(_ count: Int, _ name: String) -> String { (0..<count).map { " \(name)\($0)='u'" }.joined() }
        #expect(reason("<a\(attributes(1_000, "b"))/>") == nil)
        #expect(reason("<a\(attributes(1_001, "b"))/>") == "More than 1000 attributes")
        let half = attributes(500, "xmlns:n")
        #expect(reason("<a\(half)><b\(half)/><b\(half)/></a>") == nil)
        #expect(reason("<a\(half)><b\(half)><c xmlns='u'/></b></a>") == "More than 1000 namespaces")
        #expect(reason("<\(String(repeating: "a", count: 1_024))/>") == nil)
        #expect(reason("<\(String(repeating: "a", count: 1_025))/>") == "A name of more than 1024 bytes")
        #expect(reason(String(repeating: "<a>", count: 1_000_000)) == "More than 250 levels")
    }
}
