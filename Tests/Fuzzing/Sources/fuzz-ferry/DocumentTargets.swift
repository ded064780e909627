import FuzzSupport

@testable import Ferry
@testable import FerryFormats
@testable import FerryXML

/// JSON texts: writing and reading again yields the same value, and Foundation accepts what is accepted here.
let jsonValue = FuzzTarget("json") { input in
    let data = Data(input.amplified(to: 300_000))
    guard let value = try? bounded({ try JSONValue(json: data) }) else { return }
    let written = bounded { value.jsonData(.sortedKeys) }
    expect((try? JSONValue(json: written)) == value, "a different value: \(String(decoding: written, as: UTF8.self))")
    expect(
        (try? JSONValue(json: value.jsonData([.prettyPrinted, .escapedSlashes]))) == value,
        "a different value in pretty-printed form"
    )
    // Foundation refuses numbers out of range, counts levels differently, and detects UTF-16 differently.
    let isPlain = data.count < 400 && !data.contains { $0 == 0 || $0 >= 0xEF || $0 | 0x20 == UInt8(ascii: "e") }
    if isPlain {
        let object = try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
        expect(object != nil, "Foundation does not accept it as JSON")
    }
}

/// JSON numbers, converted to all supported types.
let jsonNumber = FuzzTarget("json-number") { input in
    let text = input.amplifiedText(to: 100_000)
    guard let number = bounded({ JSONNumber(literal: text) }) else { return }
    let again = JSONNumber(literal: number.description)
    expect(again == number, "\(number) became \(String(describing: again))")
    _ = number.integer(as: Int.self)
    _ = number.integer(as: UInt8.self)
    _ = bounded { number.decimalValue }
    if let exact = Int(text), text != "-0" { expect(number.integer() == exact, "\(text) is \(number)") }
    if let double = Double(text), double.isFinite {
        let difference = abs(number.doubleValue - double)
        expect(difference <= abs(double) * 1e-12, "\(text) is \(number.doubleValue)")
    }
}

/// Property lists, binary and XML.
let propertyList = FuzzTarget("property-list") { input in
    let isBinary = input.bool()
    let data = (isBinary ? Data("bplist00".utf8) : Data()) + input.amplified(to: 100_000)
    guard let value = try? bounded({ try PropertyListValue(propertyList: data) }) else { return }
    checkDepth(value, 0)
}

private func checkDepth(_ value: PropertyListValue, _ depth: Int) {
    expect(depth <= BinaryPropertyListParser.maximumDepth + 1, "\(depth) levels")
    // One branch is enough: equal elements may be shared, and then there are too many to visit.
    if let element = value.array?.first { checkDepth(element, depth + 1) }
    if let element = value.dictionary?.values.first { checkDepth(element, depth + 1) }
    if case .date(let date) = value { expect(date.timeIntervalSinceReferenceDate.isFinite, "an infinite date") }
}

private let charsets = [
    "utf-8", "us-ascii", "iso-8859-1", "windows-1252", "shift_jis", "euc-jp", "iso-2022-jp", "gb18030", "big5",
    "euc-kr",
    "utf-16", "utf-16le", "utf-32", "koi8-r", "hz-gb-2312", "euc-tw", "iso-2022-kr", "macintosh",
]

/// Texts in all charsets, with and without lossy conversion, and the charsets they declare.
let text = FuzzTarget("text") { input in
    let name = input.bool() ? input.choice(charsets) : input.field()
    let data = Data(input.amplified(to: 40_000))
    _ = bounded { Charset.xmlDeclaration(of: data) }
    _ = Charset.byteOrderMark(of: data)
    guard let encoding = Charset.encoding(named: name) else { return }
    let strict = bounded { Charset.string(data, encoding: encoding) }
    let lossy = bounded { Charset.lossyString(data, encoding: encoding) }
    expect(lossy.utf8.count <= 12 * data.count + 12, "\(lossy.utf8.count) bytes of \(data.count)")
    if let strict, encoding == .utf8 { expect(Data(strict.utf8) == data, "different bytes") }
}

/// XML: Foundation's parsers survive and read everything that the scanner accepts.
let xml = FuzzTarget("xml") { input in
    let data = Data(input.amplified(to: 100_000))
    guard let content = try? bounded({ try XMLContent(data) }) else { return }
    // Entities in content are replaced by their text, which is at most 8 MiB or ten times the text.
    expect(content.data.count <= 14 * data.count + 8_500_000, "\(content.data.count) bytes of \(data.count)")
    let parser = content.makeParser()
    let reader = XMLReader()
    parser.delegate = reader
    let isRead = bounded { parser.parse() }
    expect(!isRead || reader.depth == 0, "elements that are not closed: \(reader.depth)")
    expect(reader.characters <= 14 * data.count + 8_500_000, "\(reader.characters) characters of \(data.count) bytes")
    _ = try? bounded { try ParsedXMLDocument(content).makeDocument() }
}

private final class XMLReader: NSObject, XMLParserDelegate {
    private(set) var depth = 0
    private(set) var characters = 0

    func parser(
        _ parser: XMLParser,
        didStartElement elementName: String,
        namespaceURI: String?,
        qualifiedName qName: String?,
        attributes attributeDict: [String: String]
    ) {
        depth += 1
    }

    func parser(
        _ parser: XMLParser,
        didEndElement elementName: String,
        namespaceURI: String?,
        qualifiedName qName: String?
    ) {
        depth -= 1
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        characters += string.utf8.count
    }
}

/// The response serializers, for any type and charset of a response.
let serializers = FuzzTarget("serializers") { input in
    let status = input.choice([200, 204, 404])
    let type = input.field()
    let data = Data(input.amplified(to: 50_000))
    guard let url = URL(string: "http://a.test/") else { return }
    let response = HTTPURLResponse(
        url: url,
        statusCode: status,
        httpVersion: "HTTP/1.1",
        headerFields: ["Content-Type": type]
    )
    let json = bounded { JSONResponseSerializer().serialize(request: nil, response: response, data: data) }
    let list = bounded { PropertyListResponseSerializer().serialize(request: nil, response: response, data: data) }
    let string = bounded { StringResponseSerializer().serialize(request: nil, response: response, data: data) }
    for error in [json.error, list.error, string.error] {
        expect((error?.localizedDescription.utf8.count ?? 0) < 20_000, "a very long error message")
    }
}
