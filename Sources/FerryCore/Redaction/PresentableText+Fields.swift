extension PresentableText {
    private typealias Scalars = Substring.UnicodeScalarView

    /// Returns the value of a header field, in which URLs have no secrets; a placeholder if the field's name, in upper,
    /// lower or mixed case, is the name of a secret.
    package static func field(
        _ name: String,
        _ value: String,
        isSecretParameter: (String) -> Bool = { SecretName.isSecret($0) }
    ) -> String {
        if SecretName.isSecret(name) { return SecretName.placeholder }
        return field(name.lowercased(), value, url: { url($0, isSecret: isSecretParameter) })
    }

    /// Returns a body with a placeholder for each secret value in a form or in JSON, and other values unchanged; `nil`
    /// for a body whose parts may all be secret, such as `multipart`.
    ///
    /// The media type may have parameters. A body that begins like JSON is treated as JSON, whatever its type. Other
    /// bodies without a type are treated as forms. Event streams and scripts may have JSON in other text.
    package static func body(
        _ text: String,
        type: String?,
        isSecret: (String) -> Bool = { SecretName.isSecret($0) }
    ) -> String? {
        let type = type?.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
        if type?.hasPrefix("multipart/") == true { return nil }
        let isForm = type == "application/x-www-form-urlencoded"
        // A byte and not a character, which may be as long as the whole text and slow to compare.
        let first = text.utf8.first { $0 > 0x20 }
        let isJSON = ["json", "javascript", "/event-stream"].contains { type?.hasSuffix($0) == true }
        if isJSON || first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
            let result = JSONRedactor.redact(text, isSecret: isSecret)
            // The first name of a form may begin with a bracket too.
            if !isForm || !result.utf8.elementsEqual(text.utf8) { return result }
        }
        return isForm || type == nil ? redactedPairs(text[...], isSecret: isSecret) : text
    }

    /// Returns the value of a header field, whose name is in lower case, with presentable URLs, if such values contain
    /// URLs.
    package static func field(_ name: String, _ value: String, url: (String) -> String) -> String {
        switch name {
        case "location", "content-location", "referer", "origin": url(value)
        case "link": links(value, url)
        case "refresh": refresh(value, url)
        default: value
        }
    }

    /// Returns the links of RFC 8288 with presentable targets; parameters may have URLs too, such as `anchor`.
    private static func links(_ value: String, _ url: (String) -> String) -> String {
        var result = ""
        // Not by characters: one with many combining marks takes quadratic time to compare.
        var rest = value.unicodeScalars[...]
        while let first = rest.first {
            if first == "<" || first == "\"" {
                let end: Unicode.Scalar = first == "<" ? ">" : "\""
                let text = rest.dropFirst().prefix { $0 != end }
                result.unicodeScalars.append(first)
                result += first == "<" ? url(String(text)) : parameter(text, url)
                rest = rest[text.endIndex...]
                if rest.popFirst() != nil { result.unicodeScalars.append(end) }
            } else {
                let text = rest.prefix { !isQuote($0) && !isSeparator($0) }
                // Separators may belong to a URL without quotes, which is not allowed.
                let isURL = text.contains(":") || text.contains("?")
                let whole = isURL ? rest.prefix { !isQuote($0) && $0 != " " && $0 != "\t" } : text
                result += parameter(whole, url)
                rest = rest[whole.endIndex...]
                if let mark = rest.first, isSeparator(mark) {
                    result.unicodeScalars.append(mark)
                    rest.removeFirst()
                }
            }
        }
        return result
    }

    private static func isQuote(_ scalar: Unicode.Scalar) -> Bool { scalar == "<" || scalar == "\"" }

    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case ",", ";", "=", " ", "\t": true
        default: false
        }
    }

    /// Returns the text of a parameter, which is made presentable if it looks like a URL.
    private static func parameter(_ text: Scalars, _ url: (String) -> String) -> String {
        let hasAuthority = zip(text, text.dropFirst()).contains { $0 == "/" && $1 == "/" }
        return hasAuthority || text.contains("?") || text.contains("#") ? url(String(text)) : String(text)
    }

    /// Returns the value of `Refresh`, such as `5; url='https://example.com/'`, with a presentable URL.
    private static func refresh(_ value: String, _ url: (String) -> String) -> String {
        let isBlank: (Unicode.Scalar) -> Bool = { $0 == " " || $0 == "\t" }
        let scalars = value.unicodeScalars
        var target = scalars.drop { ("0"..."9").contains($0) || $0 == "." || $0 == "," || $0 == ";" || isBlank($0) }
        if String(target.prefix(3)).lowercased() == "url" {
            let rest = target.dropFirst(3).drop(while: isBlank)
            if rest.first == "=" { target = rest.dropFirst() }
        }
        let isAround: (Unicode.Scalar) -> Bool = { isBlank($0) || $0 == "'" || $0 == "\"" }
        target = target.drop(while: isAround)
        let end = target.lastIndex { !isAround($0) }.map(target.index(after:)) ?? target.startIndex
        return value[..<target.startIndex] + url(String(target[..<end])) + value[end...]
    }
}
