/// Reading field values byte by byte.
///
/// A `Character` may be of any length, and finding its end can take quadratic time, so that text a server has sent is
/// looked at as UTF-8.
extension Substring.UTF8View {
    /// The same without spaces and tabs at both ends (RFC 9110, section 5.6.3).
    var trimmed: Substring.UTF8View {
        let end = lastIndex { !Self.isBlank($0) }.map(index(after:)) ?? startIndex
        return self[..<end].drop(while: Self.isBlank)
    }

    /// The parts between a separator; empty ones count.
    func parts(between separator: Unicode.Scalar) -> [Substring.UTF8View] {
        let byte = UInt8(ascii: separator)
        return split(omittingEmptySubsequences: false) { $0 == byte }
    }

    /// The part before the first separator and the part after it, or `nil` where there is no separator.
    func cut(at separator: Unicode.Scalar) -> (before: Substring.UTF8View, after: Substring.UTF8View)? {
        guard let place = firstIndex(of: UInt8(ascii: separator)) else { return nil }
        return (self[..<place], self[index(after: place)...])
    }

    /// The bytes as a string; the view has to begin and end between characters of Unicode.
    var string: String { String(Substring(self)) }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
