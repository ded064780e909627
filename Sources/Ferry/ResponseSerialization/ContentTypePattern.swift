import Foundation

/// A content type that may have a wildcard for the type, the subtype, or the subtype before a suffix.
struct ContentTypePattern {
    private let text: String

    init(_ text: String) {
        self.text = text.trimmingCharacters(in: .whitespaces).lowercased()
    }

    /// Returns whether a content type, given in lower case, matches the pattern.
    func matches(_ type: String) -> Bool {
        // Compare bytes: comparing strings takes quadratic time if there are long runs of combining marks.
        guard let star = text.utf8.firstIndex(of: UInt8(ascii: "*")) else { return text.utf8.elementsEqual(type.utf8) }
        if text == "*/*" || text == "*" { return true }
        let head = text.utf8[..<star]
        let tail = text.utf8[text.utf8.index(after: star)...]
        return type.utf8.count > head.count + tail.count && type.utf8.starts(with: head)
            && type.utf8.suffix(tail.count).elementsEqual(tail)
    }
}
