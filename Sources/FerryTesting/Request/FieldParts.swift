/// Splits field values at separators outside of quotes.
///
/// A backslash has no meaning, neither in entity tags (RFC 9110 section 8.8.3) nor in the file names of browsers.
enum FieldParts {
    /// Returns the parts of a value, without blanks around them.
    static func split(_ value: String, separator: Unicode.Scalar) -> [String] {
        var isQuoted = false
        let parts = value.utf8.split { byte in
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            return byte == UInt8(ascii: separator) && !isQuoted
        }
        return parts.map { Substring($0).trimmingCharacters(in: .whitespaces) }
    }

    /// Returns the parameters of a value such as `form-data; name="a"`, with lowercase names.
    static func parameters(_ value: String, separator: Unicode.Scalar = ";") -> [String: String] {
        split(value, separator: separator).reduce(into: [:]) { result, part in
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2 else { return }
            let name = pair[0].trimmingCharacters(in: .whitespaces).lowercased()
            result[name] = pair[1].trimmingCharacters(in: CharacterSet(charactersIn: " \t\""))
        }
    }
}
