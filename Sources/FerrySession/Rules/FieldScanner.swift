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

    /// Reads a quoted string, in which a backslash escapes the character behind it (RFC 9110, section 5.6.4).
    private mutating func quotedString() -> String {
        rest.removeFirst()
        var value = String.UnicodeScalarView()
        let isPath = Self.beginsWithDrive(rest)
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\"": return String(value)
            // Only a quote or a backslash is escaped in a path, or its last component could not be found.
            case "\\" where !isPath || rest.first == "\"" || rest.first == "\\":
                if let next = rest.popFirst() { value.append(next) }
            default: value.append(scalar)
            }
        }
        return String(value)
    }

    /// Returns a Boolean value that indicates whether a text begins as `C:\dir` does, a path of Windows that is sent with
    /// bare backslashes.
    private static func beginsWithDrive(_ text: Substring.UnicodeScalarView) -> Bool {
        let start = Array(text.prefix(4))
        guard start.count == 4, start[1] == ":", start[2] == "\\", start[3] != "\\", start[3] != "\"" else {
            return false
        }
        return ("a"..."z").contains(start[0]) || ("A"..."Z").contains(start[0])
    }

    private mutating func skipBlanks() {
        while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
    }

    private static let separators: Set<Unicode.Scalar> = [" ", "\t", ";", "=", ",", "\""]
}
