/// A reader for header fields with parameters (RFC 9110, section 5.6.6) that tolerates common mistakes of servers.
struct FieldScanner {
    private var rest: Substring.UnicodeScalarView

    /// Creates a reader at the start of a field's value.
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

    /// Moves past the next semicolon; returns `false` if there is none.
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
        // Servers often send names with blanks without quotes.
        let value = rest.prefix { $0 != ";" }
        rest.removeFirst(value.count)
        var trimmed = value
        while let last = trimmed.last, last == " " || last == "\t" { trimmed.removeLast() }
        return String(Substring(trimmed))
    }

    /// Reads a quoted string, in which a backslash escapes the next character (RFC 9110, section 5.6.4).
    private mutating func quotedString() -> String {
        rest.removeFirst()
        var value = String.UnicodeScalarView()
        let isPath = Self.beginsWithDrive(rest)
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\"": return String(value)
            // In a path, only a quote or a backslash is escaped; otherwise its last component could not be found.
            case "\\" where !isPath || rest.first == "\"" || rest.first == "\\":
                if let next = rest.popFirst() { value.append(next) }
            default: value.append(scalar)
            }
        }
        return String(value)
    }

    /// Returns a Boolean value that indicates whether a text begins like `C:\dir`, a Windows path that is sent with
    /// unescaped backslashes.
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
