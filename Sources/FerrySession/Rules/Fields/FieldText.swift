/// Reading field values byte by byte.
///
/// A `Character` may be of any length, and finding its end can take quadratic time, so text from a server is read as
/// UTF-8.
extension Substring.UTF8View {
    /// The text without spaces and tabs at both ends (RFC 9110, section 5.6.3).
    var trimmed: Substring.UTF8View {
        let end = lastIndex { !Self.isBlank($0) }.map(index(after:)) ?? startIndex
        return self[..<end].drop(while: Self.isBlank)
    }

    /// Returns the parts between separators, including empty ones.
    func parts(between separator: Unicode.Scalar) -> [Substring.UTF8View] {
        let byte = UInt8(ascii: separator)
        return split(omittingEmptySubsequences: false) { $0 == byte }
    }

    /// Returns the parts before and after the first separator, or `nil` if there is no separator.
    func cut(at separator: Unicode.Scalar) -> (before: Substring.UTF8View, after: Substring.UTF8View)? {
        guard let place = firstIndex(of: UInt8(ascii: separator)) else { return nil }
        return (self[..<place], self[index(after: place)...])
    }

    /// The bytes as a string.
    ///
    /// The view must begin and end between Unicode characters.
    var string: String { String(Substring(self)) }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
