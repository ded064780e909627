import Foundation
import FoundationXML

/// The elements of an SVG document, or of the body of a timeline's page.
final class Drawing: NSObject, XMLParserDelegate {
    struct Failure: Error {
        let reason: String
    }

    struct Element {
        var name: String
        var attributes: [String: String]
        var text = ""

        var styles: [Substring] { (attributes["class"] ?? "").split(separator: " ") }

        func number(_ attribute: String) -> Double {
            attributes[attribute].flatMap(Double.init) ?? 0
        }
    }

    private var all: [Element] = []
    private var open: [Int] = []

    init(_ svg: String) throws {
        super.init()
        let parser = XMLParser(data: Data(svg.utf8))
        parser.delegate = self
        guard parser.parse() else { throw Failure(reason: "\(String(describing: parser.parserError))") }
    }

    /// Reads the body of a page without its script; it has to be well-formed XML.
    convenience init(page: String) throws {
        guard let start = page.range(of: "<body>"), let script = page.range(of: "<script>"),
            let scriptEnd = page.range(of: "</script>"), let end = page.range(of: "</body>")
        else { throw Failure(reason: "the page has no body or no script") }
        try self.init(String(page[start.lowerBound..<script.lowerBound] + page[scriptEnd.upperBound..<end.upperBound]))
    }

    func elements(_ name: String, _ style: String?) -> [Element] {
        all.filter { $0.name == name && (style.map($0.styles.map(String.init).contains) ?? true) }
    }

    var titles: [String] { elements("title", nil).map(\.text) }

    func parser(
        _ parser: XMLParser,
        didStartElement name: String,
        namespaceURI: String?,
        qualifiedName: String?,
        attributes: [String: String]
    ) {
        open.append(all.count)
        all.append(Element(name: name, attributes: attributes))
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) {
        if let last = open.last { all[last].text += text }
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        _ = open.popLast()
    }
}
