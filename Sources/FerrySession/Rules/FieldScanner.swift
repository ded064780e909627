/// Reads the parts of a header field with parameters (RFC 9110, section 5.6.6), forgiving what servers get wrong.
struct FieldScanner {
    private var rest: Substring.UnicodeScalarView

    /// Begins at the start of a field's value.
    init(_ text: String) {
        rest = Substring(text).unicodeScalars
    }

    /// Reads up to a separator.
    mutating func token() -> String {
        skipBlanks()
        let token = rest.prefix { !Self.separators.contains($0) }
        rest.removeFirst(token.count)
        return String(Substring(token))
    }

    /// Goes on after the next semicolon; false at the end.
    mutating func skipSemicolon() -> Bool {
        guard let semicolon = rest.firstIndex(of: ";") else { return false }
        rest = rest[rest.index(after: semicolon)...]
        return true
    }

    /// Reads `= value`, quoted or not.
    mutating func parameterValue() -> String? {
        skipBlanks()
        guard rest.first == "=" else { return nil }
        rest.removeFirst()
        skipBlanks()
        return rest.first == "\"" ? quotedString() : bareValue()
    }

    private mutating func bareValue() -> String {
        // Names with blanks are sent without quotes often enough.
        let value = rest.prefix { $0 != ";" }
        rest.removeFirst(value.count)
        var trimmed = value
        while let last = trimmed.last, last == " " || last == "\t" { trimmed.removeLast() }
        return String(Substring(trimmed))
    }

    private mutating func quotedString() -> String {
        rest.removeFirst()
        var value = String.UnicodeScalarView()
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\"": return String(value)
            // Only a quote or a backslash is escaped: paths of Windows are sent with bare backslashes.
            case "\\" where rest.first == "\"" || rest.first == "\\":
                if let next = rest.popFirst() { value.append(next) }
            default: value.append(scalar)
            }
        }
        return String(value)
    }

    private mutating func skipBlanks() {
        while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
    }

    private static let separators: Set<Unicode.Scalar> = [" ", "\t", ";", "=", ",", "\""]
}
