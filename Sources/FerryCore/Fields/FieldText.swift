/// Reads field values byte by byte: finding the end of a `Character` of hostile text can take quadratic time.
extension Substring.UTF8View {
    /// The text without spaces and tabs at both ends (RFC 9110, section 5.6.3).
    package var trimmed: Substring.UTF8View {
        let end = lastIndex { !$0.isBlank }.map(index(after:)) ?? startIndex
        return self[..<end].drop(while: \.isBlank)
    }

    /// Returns the parts between separators, including empty ones.
    package func parts(between separator: Unicode.Scalar) -> [Substring.UTF8View] {
        let byte = UInt8(ascii: separator)
        return split(omittingEmptySubsequences: false) { $0 == byte }
    }

    /// Returns the parts between separators outside quoted strings, without blanks around them, and no empty ones.
    package func parts(outsideQuotesBetween separator: Unicode.Scalar) -> [Substring.UTF8View] {
        let separator = UInt8(ascii: separator)
        var parts: [Substring.UTF8View] = []
        var start = startIndex
        var isQuoted = false
        var isEscaped = false
        for index in indices {
            switch self[index] {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\") where isQuoted: isEscaped = true
            case UInt8(ascii: "\""): isQuoted.toggle()
            case separator where !isQuoted:
                parts.append(self[start..<index].trimmed)
                start = self.index(after: index)
            default: break
            }
        }
        parts.append(self[start...].trimmed)
        return parts.filter { !$0.isEmpty }
    }

    /// The text of a quoted string (RFC 9110, section 5.6.4), or the value itself if it has no quotes.
    package var unquoted: String {
        guard first == UInt8(ascii: "\""), last == UInt8(ascii: "\""), count >= 2 else { return string }
        var result: [UInt8] = []
        var isEscaped = false
        for byte in dropFirst().dropLast() {
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            if !isEscaped { result.append(byte) }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns the parts before and after the first separator, or `nil` if there is no separator.
    package func cut(at separator: Unicode.Scalar) -> (before: Substring.UTF8View, after: Substring.UTF8View)? {
        guard let place = firstIndex(of: UInt8(ascii: separator)) else { return nil }
        return (self[..<place], self[index(after: place)...])
    }

    /// The bytes as a string; the view must begin and end between Unicode scalars.
    package var string: String { String(Substring(self)) }
}

extension String {
    /// Makes a string of Latin-1, in which every byte is a character.
    package init(latin1 bytes: some Sequence<UInt8>) {
        self.init(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}

extension UInt8 {
    /// Whether the byte is a space or a tab.
    package var isBlank: Bool { self == 0x20 || self == 0x09 }
    /// Whether the byte is one of the ASCII digits.
    package var isDigit: Bool { (0x30...0x39).contains(self) }
    /// The byte, or the lower case of an ASCII letter.
    package var lowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }

    /// The value of a hexadecimal digit.
    package var hexValue: UInt8? {
        switch lowercased {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self & 0x0F
        case UInt8(ascii: "a")...UInt8(ascii: "f"): lowercased - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

/// A reader for header fields with parameters (RFC 9110, section 5.6.6) that tolerates common mistakes of servers.
package struct FieldScanner {
    private var rest: Substring.UnicodeScalarView

    /// Creates a reader at the start of a field's value.
    package init(_ text: String) { rest = Substring(text).unicodeScalars }

    /// Reads up to a separator.
    package mutating func token() -> String {
        skipBlanks()
        let token = rest.prefix { !Self.separators.contains($0) }
        rest.removeFirst(token.count)
        return String(Substring(token))
    }

    /// Moves past the next semicolon; returns `false` if there is none.
    package mutating func skipSemicolon() -> Bool {
        guard let semicolon = rest.firstIndex(of: ";") else { return false }
        rest = rest[rest.index(after: semicolon)...]
        return true
    }

    /// Reads `= value`, quoted or not.
    package mutating func parameterValue() -> String? {
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

    /// Whether a text begins like `C:\dir`, a Windows path that is sent with unescaped backslashes.
    private static func beginsWithDrive(_ text: Substring.UnicodeScalarView) -> Bool {
        let start = Array(text.prefix(4))
        return start.count == 4 && (("a"..."z").contains(start[0]) || ("A"..."Z").contains(start[0]))
            && start[1] == ":" && start[2] == "\\" && start[3] != "\\" && start[3] != "\""
    }

    private mutating func skipBlanks() { rest = rest.drop { $0 == " " || $0 == "\t" } }

    private static let separators: Set<Unicode.Scalar> = [" ", "\t", ";", "=", ",", "\""]
}
