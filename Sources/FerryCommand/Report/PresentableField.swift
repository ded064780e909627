import Ferry

/// Header fields as they are shown to people: without secrets.
enum PresentableField {
    /// Returns the value of a field without its secrets, which may be in the URLs that it contains.
    static func value(_ name: String, _ value: String) -> String {
        if SecretName.isSecret(name) { return "…" }
        switch name.lowercased() {
        case "location", "content-location", "referer": return PresentableText.url(value)
        case "link": return link(value)
        case "refresh": return refresh(value)
        default: return value
        }
    }

    /// Returns the links of RFC 8288 with presentable targets; parameters may have URLs too, such as `anchor`.
    private static func link(_ value: String) -> String {
        var result = ""
        var rest = value[...]
        while let first = rest.first {
            if first == "<" || first == "\"" {
                let end: Character = first == "<" ? ">" : "\""
                let text = rest.dropFirst().prefix { $0 != end }
                result.append(first)
                result += first == "<" ? PresentableText.url(String(text)) : parameter(text)
                rest = rest.dropFirst(1 + text.count)
                if rest.popFirst() != nil { result.append(end) }
            } else {
                let separators = ",;= \t"
                let text = rest.prefix { !"<\"".contains($0) && !separators.contains($0) }
                // Separators may belong to a URL without quotes, which is not allowed.
                let isURL = text.contains(":") || text.contains("?")
                let whole = isURL ? rest.prefix { !"<\" \t".contains($0) } : text
                result += parameter(whole)
                rest = rest.dropFirst(whole.count)
                if let mark = rest.first, separators.contains(mark) {
                    result.append(mark)
                    rest.removeFirst()
                }
            }
        }
        return result
    }

    /// Returns the text of a parameter, which is redacted if it looks like a URL.
    private static func parameter(_ text: Substring) -> String {
        let looksLikeURL = text.contains("//") || text.contains("?") || text.contains("#")
        return looksLikeURL ? PresentableText.url(String(text)) : String(text)
    }

    /// Returns the value of `Refresh`, such as `5; url='https://example.com/'`, with a presentable URL.
    private static func refresh(_ value: String) -> String {
        let blanks = " \t"
        var url = value.drop { "0123456789.,;".contains($0) || blanks.contains($0) }
        if url.prefix(3).lowercased() == "url" {
            let rest = url.dropFirst(3).drop { blanks.contains($0) }
            if rest.first == "=" { url = rest.dropFirst() }
        }
        let isAround: (Character) -> Bool = { blanks.contains($0) || $0 == "'" || $0 == "\"" }
        url = url.drop(while: isAround)
        let end = url.lastIndex { !isAround($0) }.map { url.index(after: $0) } ?? url.startIndex
        return value[..<url.startIndex] + PresentableText.url(String(url[..<end])) + value[end...]
    }
}
