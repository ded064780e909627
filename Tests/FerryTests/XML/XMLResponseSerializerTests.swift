import FerryXML
import Foundation
import Testing

@Suite("XML responses", .timeLimit(.minutes(2)))
struct XMLResponseSerializerTests {
    private final class Characters: NSObject, XMLParserDelegate {
        var text = ""

        func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

        func parser(_ parser: XMLParser, foundCDATA block: Data) { text += String(decoding: block, as: UTF8.self) }
    }

    @Test("The serializer of documents keeps its settings in an archive")
    func archive() throws {
        var serializer = XMLDocumentResponseSerializer(options: .nodePreserveCDATA, maximumBodySize: 7)
        serializer.validation = Validation(contentTypes: ["a/b"])
        let data = try JSONEncoder().encode(serializer)
        let restored = try JSONDecoder().decode(XMLDocumentResponseSerializer.self, from: data)
        #expect(restored.options == .nodePreserveCDATA)
        #expect(restored.maximumBodySize == 7)
        #expect(restored.validation == serializer.validation)
    }

    @Test("Serializers of XML are available with a leading dot")
    func leadingDot() throws {
        func make<S: ResponseSerializer>(_ serializer: S) -> S { serializer }
        let sample = SampleResponse(200, "application/json", "[1]")
        #expect(try sample.serialized(by: make(.xmlParser)).codes == [.unacceptableContentType])
        #expect(try sample.serialized(by: make(.xmlDocument)).codes == [.unacceptableContentType])
    }

    @Test("The parser serializer yields an unstarted parser after validation")
    func parser() throws {
        let result = try SampleResponse(200, "application/xml", "<a><b/></a>").serialized(by: .xmlParser)
        let content = try #require(result.value)
        let names = ElementNames()
        let parser = content.makeParser()
        parser.delegate = names
        #expect(parser.parse())
        #expect(names.names == ["a", "b"])
        #expect(content.makeParser() !== parser)
        #expect(try SampleResponse(200, "application/atom+xml", "<a/>").serialized(by: .xmlParser).value != nil)
        #expect(
            try SampleResponse(404, "text/xml", "<a/>").serialized(by: .xmlParser).codes == [.unacceptableStatusCode]
        )
        #expect(try SampleResponse(404, "text/xml", "<a/>").serialized(by: .xmlParser).value != nil)
        #expect(
            try SampleResponse(200, "text/html", "<a/>").serialized(by: .xmlParser).codes == [.unacceptableContentType]
        )
        let empty = try SampleResponse(200, "text/xml", "").serialized(by: .xmlParser)
        #expect(empty.value == nil)
        #expect(empty.error == nil)
    }

    @Test("A well-formed body becomes a tree, and each call creates a separate document")
    func document() throws {
        let result = try SampleResponse(200, "text/xml", "<a x='1'><b>t</b></a>").serialized(by: .xmlDocument)
        let parsed = try #require(result.value)
        let first = try parsed.makeDocument()
        let second = try parsed.makeDocument()
        #expect(first !== second)
        #expect(first.rootElement()?.name == "a")
        #expect(first.rootElement()?.attribute(forName: "x")?.stringValue == "1")
        first.rootElement()?.setChildren(nil)
        #expect(second.rootElement()?.stringValue == "t")
    }

    static let malformedTexts = [
        " ", "<", "<foo", "<a>", "<a></b>", "<a><b></a>", "text", "<a/><b/>", "<a/>text", "<a x=1/>", "<a>&nope;</a>",
        "<?xml version=\"1.0\"?>", "<!-- only -->", "<a><![CDATA[</a>", "<a>\u{1}</a>", "{\"a\":1}",
    ]

    @Test("Malformed bodies are an error", arguments: malformedTexts)
    func malformed(text: String) throws {
        let result = try SampleResponse(200, "text/xml", text).serialized(by: .xmlDocument)
        #expect(result.value == nil)
        #expect(result.codes == [.decodingFailed])
        #expect(result.error?.decodingError is XMLParsingError)
        #expect(result.error?.message.contains(" at line ") == true)
        #expect(try SampleResponse(200, "text/xml", text).serialized(by: .xmlParser).codes == [.decodingFailed])
    }

    static let positions: [(String, String)] = [
        ("<a>\r\n<b>", "The text ends inside b at line 2, column 4"),
        ("<a><b>\n</a>", "End tag of a inside b at line 2, column 4"),
        ("<a>\n<b>\n é&nope;</b></a>", "The entity nope is not declared at line 3, column 4"),
        ("<a>&#x41;&#0;</a>", "A reference to an invalid character at line 1, column 10"),
        ("<a><!-- é -- --></a>", "Two hyphens inside a comment at line 1, column 12"),
        ("<a>\n\u{FFFE}</a>", "A character that XML does not allow at line 2, column 1"),
        ("<?xml version='1.0' encoding='UTF-16'?><a/>", "The text declares utf-16, but is not in this encoding"),
    ]

    @Test("An error has the line, and the column in bytes", arguments: positions)
    func position(text: String, expected: String) {
        let error = #expect(throws: XMLParsingError.self) { try XMLContent(Data(text.utf8)) }
        let place = expected.contains(" at line ") ? "" : " at line 1, column 1"
        #expect(error?.errorDescription == expected + place)
    }

    @Test("The parse error is the outer error, the status underneath, and an empty body is not an error")
    func chain() throws {
        let broken = try SampleResponse(500, "text/xml", "<a>").serialized(by: .xmlDocument)
        #expect(broken.codes == [.decodingFailed, .unacceptableStatusCode])
        let missing = try SampleResponse(404, "text/xml", "<a/>").serialized(by: .xmlDocument)
        #expect(missing.value != nil)
        #expect(missing.codes == [.unacceptableStatusCode])
        for body in [nil, ""] {
            let empty = try SampleResponse(204, "text/xml", body).serialized(by: .xmlDocument)
            #expect(empty.value == nil)
            #expect(empty.error == nil)
        }
    }

    @Test("Deep trees, exploding entities and external entities are harmless")
    func hostile() throws {
        func nested(_ levels: Int) -> String {
            String(repeating: "<a>", count: levels) + String(repeating: "</a>", count: levels)
        }
        #expect(try SampleResponse(200, "text/xml", nested(250)).serialized(by: .xmlDocument).value != nil)
        #expect(
            try SampleResponse(200, "text/xml", nested(251)).serialized(by: .xmlDocument).codes == [.decodingFailed]
        )
        #expect(
            try SampleResponse(200, "text/xml", nested(100_000)).serialized(by: .xmlDocument).codes == [.decodingFailed]
        )
        let laughs = (1..<12).map { level in
            "<!ENTITY l\(level) \"\(String(repeating: "&l\(level - 1);", count: 10))\">"
        }
        let bomb = "<!DOCTYPE a [<!ENTITY l0 \"lol\">\(laughs.joined())]><a>&l11;</a>"
        #expect(try SampleResponse(200, "text/xml", bomb).serialized(by: .xmlDocument).codes == [.decodingFailed])
        let external = "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><a>&x;</a>"
        let result = try SampleResponse(200, "text/xml", external).serialized(by: .xmlDocument)
        let text = try result.value?.makeDocument().rootElement()?.stringValue ?? ""
        #expect(!text.contains("root:"))
    }

    static let strict: [(String, Bool)] = [
        ("<a/>", true), ("<?xml version='1.0'?><a/>", true), ("<?xml version=\"1.1\" standalone='yes' ?>\n<a/>", true),
        ("<?xml?><a/>", false), ("<?xml version='2.0'?><a/>", false), (" <?xml version='1.0'?><a/>", false),
        ("<?x?><a><?y z?></a><?w?>", true), ("<??><a/>", false), ("<?XML x?><a/>", false),
        ("<!-- a - b --><a/>", true), ("<!-- a -- b --><a/>", false), ("<!----><a/>", true), ("<!--><a/>", false),
        ("<a>]]></a>", false), ("<a>]]</a>", true), ("<a><![CDATA[<&]]]]></a>", true), ("<![CDATA[]]><a/>", false),
        ("<![CDATA[x]]>", false), ("&amp;", false), ("x", false),
        ("<a b='1' b='2'/>", false), ("<a b='1'c='2'/>", false), ("<a b='<'/>", false), ("<a b='>\"'/>", true),
        ("<a b/>", false), ("<a b='&lt;&#x10FFFF;&#65;'/>", true), ("<a>&#0;</a>", false), ("<a>&#xD800;</a>", false),
        ("<a>&</a>", false), ("<a>& b</a>", false), ("<a>&#+65;</a>", false), ("<a>&#99999999999;</a>", false),
        ("<e\u{301}></\u{e9}>", false), ("<a e\u{301}='' \u{e9}=''/>", true),
        ("<!DOCTYPE a PUBLIC\"p\" \"s\"><a/>", false), ("<!DOCTYPE a [<!ENTITY e ']]>'>]><a>&e;</a>", false),
        ("<1a/>", false), ("<-a/>", false), ("<\u{e9}\u{4e2d}.-1/>", true), ("<a\u{d7}/>", false), ("< a/>", false),
        ("<a></a >", true), ("</a>", false), ("<a/ >", false), ("<a>\u{FFFE}</a>", false), ("<a>\u{FFFD}</a>", true),
        ("<!DOCTYPE a><a/>", true), ("<!DOCTYPE a SYSTEM \"<!--\"><?x?><a/><!-- -->", true),
        ("<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\" \"u\"><html/>", true),
        ("<!DOCTYPE a [<!ENTITY e \"text\"><!-- c --><?p?>]><a>&e;</a>", true), ("<!DOCTYPE a []><a/>", true),
        ("<!DOCTYPE a [<!ENTITY e \"&#60;?x?>\">]><a>&e;</a>", false), ("<!DOCTYPE a [<!ENTITY % p 'x'>]><a/>", false),
        ("<!DOCTYPE a [<!ENTITY e SYSTEM 'f'>]><a/>", false), ("<!DOCTYPE a [<!NOTATION n PUBLIC 'p'>]><a/>", false),
        ("<!DOCTYPE a [<!ATTLIST a x CDATA #IMPLIED>]><a/>", false), ("<a/><!DOCTYPE a>", false),
        ("<!DOCTYPE a PUBLIC \"\u{e9}\" \"\"><a/>", false), ("<!DOCTYPE a SYSTEM><a/>", false),
        // The version and the encoding of a declaration (productions 26 and 81).
        ("<?xml version='1.0?'?><a/>", false), ("<?xml version='1.0 '?><a/>", false),
        ("<?xml version='1.'?><a/>", false),
        ("<?xml version='1.a'?><a/>", false), ("<?xml version='1.10'?><a/>", true),
        ("<?xml version=' 1.0'?><a/>", false),
        ("<?xml version='1.0' encoding='a/b'?><a/>", false), ("<?xml version='1.0' encoding=''?><a/>", false),
        ("<?xml version='1.0' encoding=' utf-8'?><a/>", false), ("<?xml version='1.0' encoding='8utf'?><a/>", false),
        ("<?xml version='1.0' encoding='utf:8'?><a/>", false), ("<?xml version='1.0' encoding='\u{e9}'?><a/>", false),
        ("<?xml version='1.0' encoding='UTF-8'?><a/>", true), ("<?xml version='1.0' encoding='a.b_c-1'?><a/>", true),
        // A text that was read byte by byte is in neither of these encodings (section 4.3.3).
        ("<?xml version='1.0' encoding='UTF-16'?><a/>", false),
        ("<?xml version='1.0' encoding='utf-16le'?><a/>", false),
        ("<?xml version='1.0' encoding='UTF-32'?><a/>", false),
        ("\u{FEFF}<?xml version='1.0' encoding='UTF-16'?><a/>", true),
        // Section 4.1: an entity must be declared unless its declaration may be in a part that is not read.
        ("<!DOCTYPE a><a>&e;</a>", false), ("<!DOCTYPE a []><a>&e;</a>", false),
        ("<!DOCTYPE a SYSTEM 's'><a>&e;</a>", true),
        ("<!DOCTYPE a PUBLIC 'p' 's' [<!ENTITY f 'x'>]><a b='&e;'>&e;&f;</a>", true),
        ("<?xml version='1.0' standalone='yes'?><!DOCTYPE a SYSTEM 's'><a>&e;</a>", false),
        ("<?xml version='1.0' standalone='no'?><!DOCTYPE a SYSTEM 's'><a>&e;</a>", true),
        ("<!DOCTYPE a SYSTEM 's'><a>&e</a>", false), ("<!DOCTYPE a SYSTEM 's'><a>&;</a>", false),
        // Where white space may be, and where it must be (productions 3, 23, 32, 40 and 71).
        ("<a\tb = '1'\n/>", true), ("<?xml version = '1.0' ?><a/>", true),
        ("<!DOCTYPE a [<!ENTITY e 'x' >] ><a>&e;</a>", true),
        ("<?xml version='1.0'encoding='utf-8'?><a/>", false), ("<?xml version='1.0'standalone='yes'?><a/>", false),
        ("<?xml version='1.0' encoding='utf-8' standalone='yes'?><a/>", true), ("<?x/?><a/>", false),
        ("<?xml version='1.0' encoding='utf-8'standalone='yes'?><a/>", false),
        ("<?xml version='1.0' standalone='maybe'?><a/>", false), ("<?xml-stylesheet href='s'?><a/>", true),
        // The predefined entities (section 4.6), and a quotation mark that comes from an entity (section 4.4.5).
        ("<a b='&lt;&gt;&amp;&apos;&quot;'>&lt;&gt;&amp;&apos;&quot;</a>", true),
        ("<!DOCTYPE a [<!ENTITY e \"'\">]><a b='&e;'/>", true),
        // Names of the first characters of three and four bytes, and texts with some of the bytes of U+FFFE.
        ("<\u{800}/>", true), ("<\u{10000}/>", true), ("<a>\u{FE7E}\u{FF}\u{FF}</a>", true),
        ("<?xml", false), ("<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;", false),
    ]

    @Test("Well-formedness follows XML 1.0", arguments: strict)
    func strictness(text: String, isWellFormed: Bool) throws {
        let result = try SampleResponse(200, "text/xml", text).serialized(by: .xmlDocument)
        #expect((result.value != nil) == isWellFormed, "\(String(describing: result.error))")
        #expect(result.error == nil || result.error?.decodingError is XMLParsingError)
        guard let content = result.value?.content else { return }
        let parser = content.makeParser()
        #expect(parser.parse())
        #expect(parser.parserError == nil)
    }

    static let entityTexts: [(String, String)] = [
        ("<!DOCTYPE a [<!ENTITY e 'TEXT'>]><a>before&e;middle&e;after</a>", "beforeTEXTmiddleTEXTafter"),
        ("<!DOCTYPE a [<!ENTITY e ''>]><a>&e;<b>hello</b></a>", "hello"),
        ("<!DOCTYPE a [<!ENTITY e 'é'>]><a b='&e;'>x&amp;&e;&#65;</a>", "x&éA"),
        ("<!DOCTYPE a [<!ENTITY e '>>'>]><a>]]&e;</a>", "]]>>"),
        ("<!DOCTYPE a [<!ENTITY e ''>]><a>]]&e;>]&e;]>]]&e;&e;>x</a>", "]]>]]>]]>x"),
        ("<!DOCTYPE a [<!ENTITY e '>\u{338}'>]><a>]]&e;</a>", "]]>\u{338}"),
        ("<!DOCTYPE a [<!ENTITY e 'x\r'>]><a>&e;\ny</a>", "x\n\ny"),
        // An entity that may be declared elsewhere remains as text.
        (
            "<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0 Strict//EN' 'u'><html>a&nbsp;b&amp;]]&e;></html>",
            "a&nbsp;b&]]&e;>"
        ),
        ("<!DOCTYPE a SYSTEM 's' [<!ENTITY e 'x'>]><a b='&f;'>&e;&f;&lt;</a>", "x&f;<"),
    ]

    @Test("A parser and a document have the text of entities and the text around it", arguments: entityTexts)
    func entities(text: String, expected: String) throws {
        let content = try XMLContent(Data(text.utf8))
        let characters = Characters()
        let parser = content.makeParser()
        parser.delegate = characters
        #expect(parser.parse())
        #expect(characters.text == expected)
        #expect(try ParsedXMLDocument(content).makeDocument().rootElement()?.stringValue == expected)
    }

    /// XML 1.0, section 2.11.
    @Test("Every line end is a line feed, in character data too, unless it is written as a reference")
    func lineEnds() throws {
        let text = "<a>\r\n1\r<![CDATA[2\r\n3\r\r\n4\n]]>\r<b c='5\r\n6'/>&#13;</a>\r\n<!-- \r -->"
        for body in [Data(text.utf8), Data([0xFF, 0xFE]) + (text.data(using: .utf16LittleEndian) ?? Data())] {
            let content = try XMLContent(body)
            let characters = Characters()
            let parser = content.makeParser()
            parser.delegate = characters
            #expect(parser.parse())
            #expect(characters.text == "\n1\n2\n3\n\n4\n\n\r")
            let root = try ParsedXMLDocument(content).makeDocument().rootElement()
            #expect(root?.stringValue == "\n1\n2\n3\n\n4\n\n\r")
            #expect(root?.elements(forName: "b").first?.attribute(forName: "c")?.stringValue == "5 6")
        }
        #expect(try XMLContent(Data("\n\r\r\n<a/>\r".utf8)).data == Data("\n\n\n<a/>\n".utf8))
    }

    @Test("Texts in other encodings are decoded by byte order mark, Content-Type or declaration")
    func encodings() throws {
        let latin = Data("<?xml version='1.0' encoding='iso-8859-1'?><a>".utf8) + [0xE9] + Data("</a>".utf8)
        let wide = try #require("<?xml version='1.0' encoding='utf-16'?><a>é<?x?></a>".data(using: .utf16LittleEndian))
        let samples = [
            SampleResponse(200, "text/xml", bytes: latin),
            SampleResponse(200, "text/xml", bytes: Data([0xFF, 0xFE]) + wide),
            SampleResponse(200, "text/xml; charset=utf-8", "<?xml version='1.0' encoding='iso-8859-1'?><a>é</a>"),
            SampleResponse(200, "text/xml; charset=utf-8", "<?xml version='1.0' encoding='utf-16'?><a>é</a>"),
            SampleResponse(200, "text/xml; charset=iso-8859-1", bytes: Data("<a>".utf8) + [0xE9] + Data("</a>".utf8)),
            SampleResponse(200, "text/xml", "\u{FEFF}<a>é</a>"),
            SampleResponse(200, "text/xml", "<?xml version='1.0' encoding='nonsense'?><a>é</a>"),
        ]
        for sample in samples {
            let document = try sample.serialized(by: .xmlDocument).value?.makeDocument()
            #expect(document?.rootElement()?.stringValue == "é")
            let parser = try sample.serialized(by: .xmlParser).value?.makeParser()
            #expect(parser?.parse() == true)
        }
        let undeclared = SampleResponse(200, "text/xml", bytes: Data("<a>".utf8) + [0xE9] + Data("</a>".utf8))
        #expect(try undeclared.serialized(by: .xmlParser).codes == [.decodingFailed])
    }

    @Test("20,000 damaged bodies become trees or errors, and never crash")
    func damaged() throws {
        let bytes = Array(
            "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY e 'x'>]><?p q?><a xmlns:q='u' x=\"1\" y='&lt;'><!-- c --><b><![CDATA[x]]></b>é&amp;&e;<q:c/></a>"
                .utf8
        )
        var random = SeededGenerator(5)
        var trees = 0
        for _ in 0..<20_000 {
            let sample = SampleResponse(200, "text/xml", bytes: Data(random.damage(bytes)))
            guard let parsed = try sample.serialized(by: .xmlDocument).value else { continue }
            #expect(try parsed.makeDocument().rootElement() != nil)
            let parser = parsed.content.makeParser()
            parser.shouldProcessNamespaces = true
            _ = parser.parse()
            trees += 1
        }
        #expect(trees > 100)
        #expect(trees < 19_000)
    }
}

/// The names of the elements that a parser has found.
final class ElementNames: NSObject, XMLParserDelegate {
    var names: [String] = []

    func parser(
        _ parser: XMLParser,
        didStartElement elementName: String,
        namespaceURI: String?,
        qualifiedName: String?,
        attributes: [String: String]
    ) {
        names.append(elementName)
    }
}
