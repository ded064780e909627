import FerrySession

/// A content type in which `*` stands for a type, a subtype, or a subtype before a suffix.
struct ContentTypePattern {
    private let text: String

    init(_ text: String) {
        self.text = text.trimmingCharacters(in: .whitespaces).lowercased()
    }

    /// Says whether a content type in lower case matches.
    func matches(_ type: String) -> Bool {
        guard let star = text.firstIndex(of: "*") else { return text == type }
        if text == "*/*" || text == "*" { return true }
        let head = text[..<star]
        let tail = text[text.index(after: star)...]
        return type.utf8.count > head.utf8.count + tail.utf8.count && type.hasPrefix(head) && type.hasSuffix(tail)
    }
}
