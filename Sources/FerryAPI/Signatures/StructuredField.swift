/// Serializes the parts of structured fields (RFC 9651, section 4.1) that signatures need.
package enum StructuredField {
    /// Returns a string (section 4.1.6), or throws if a character is not printable ASCII.
    package static func string(_ text: String) throws -> String {
        guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw RequestSerializationError(
                .invalidHeader,
                reason: "A string of a signature has characters other than printable ASCII."
            )
        }
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(escaped)\""
    }

    /// Returns an integer (section 4.1.4), or throws if it has more than 15 digits.
    package static func integer(_ date: Date) throws -> String {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        guard abs(seconds) < 1e15 else {
            throw RequestSerializationError(.invalidHeader, reason: "A date of a signature is out of range.")
        }
        return String(Int64(seconds))
    }

    /// Returns a byte sequence (section 4.1.8).
    package static func bytes(_ data: Data) -> String { ":\(data.base64EncodedString()):" }

    /// Returns a key of a dictionary (section 4.1.1.3), or throws if the text is not a valid key.
    package static func key(_ text: String) throws -> String {
        let lowercase = UInt8(ascii: "a")...UInt8(ascii: "z")
        let isKey = text.utf8.allSatisfy { lowercase.contains($0) || $0.isDigit || "_-.*".utf8.contains($0) }
        guard isKey, let first = text.utf8.first, lowercase.contains(first) || first == UInt8(ascii: "*") else {
            throw RequestSerializationError(
                .invalidHeader,
                reason: "The label of a signature must consist of lowercase letters, digits and _-.*, and begin with "
                    + "a letter or *: \(text.debugDescription)"
            )
        }
        return text
    }
}
