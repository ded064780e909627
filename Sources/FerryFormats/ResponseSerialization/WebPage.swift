/// The words of a web page that a server has sent in place of something else, such as JSON.
package enum WebPage {
    /// The part of a body that is searched, in bytes.
    private static let limit = 4_096

    /// The greatest number of words' characters in a message, as Unicode scalars.
    private static let longest = 80

    /// Returns a sentence with the first words of a web page, for the end of a message; empty for any other body.
    package static func note(on body: Data?, contentType: String?) -> String {
        guard let beginning = body?.prefix(limit), isPage(beginning, contentType) else { return "" }
        let words = words(of: Array(beginning))
        return ". The server sent a web page" + (words.isEmpty ? "" : ": “\(words)”")
    }

    private static func isPage(_ beginning: Data, _ contentType: String?) -> Bool {
        if contentType == "text/html" || contentType == "application/xhtml+xml" { return true }
        let start = String(decoding: beginning.drop { $0 <= 0x20 }.prefix(14), as: UTF8.self).lowercased()
        return start.hasPrefix("<!doctype html") || start.hasPrefix("<html")
    }

    /// Returns the title of a page, or else the first words of its text.
    package static func words(of page: [UInt8]) -> String {
        var (title, text): ([UInt8], [UInt8]) = ([], [])
        var rest = page[...]
        // The name of the element that the next bytes belong to, where that matters.
        var element = ""
        while let byte = rest.first {
            guard byte == UInt8(ascii: "<") else {
                let run = rest.prefix { $0 != UInt8(ascii: "<") }
                if element == "title" { title += run } else if element.isEmpty { text += run }
                rest = rest[run.endIndex...]
                continue
            }
            let tag = rest.prefix { $0 != UInt8(ascii: ">") }
            let name = String(
                decoding: tag.dropFirst().prefix { HeaderRule.isLetterOrDigit($0) || $0 == UInt8(ascii: "/") },
                as: UTF8.self
            )
            .lowercased()
            if ["title", "script", "style"].contains(name), element.isEmpty {
                element = name
            } else if name == "/" + element {
                element = ""
            }
            text.append(UInt8(ascii: " "))
            rest = rest[tag.endIndex...].dropFirst()
        }
        let words = presentable(title)
        return words.isEmpty ? presentable(text) : words
    }

    /// Returns text on one line, shortened, and without secrets and control characters.
    private static func presentable(_ bytes: [UInt8]) -> String {
        var words: [String] = []
        var length = 0
        // By scalars: a character with many combining marks takes quadratic time to compare.
        let scalars = String(decoding: bytes, as: UTF8.self).unicodeScalars
        for word in scalars.split(whereSeparator: { $0.properties.isWhitespace || $0.isControl }) {
            length += word.count + 1
            if length > longest { return words.joined(separator: " ") + "…" }
            words.append(PresentableText.argument(String(word)))
        }
        return words.joined(separator: " ")
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is a control character, or one that changes how text is shown.
    package var isControl: Bool { properties.generalCategory == .control || properties.generalCategory == .format }
}
