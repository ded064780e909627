extension String {
    /// Whether two strings are equal except for the case of ASCII letters, as field names are (RFC 9110, section 5.1).
    package func isEqualIgnoringCase(_ other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        if self == other { return true }
        let isEqual = utf8.withContiguousStorageIfAvailable { left in
            other.utf8.withContiguousStorageIfAvailable { right in
                for index in 0..<min(left.count, right.count) {
                    let (one, two) = (left[index], right[index])
                    if one != two, one.lowercased != two.lowercased { return false }
                }
                return true
            }
        }
        // Strings that Swift has not made itself may not have contiguous storage.
        return (isEqual ?? nil) ?? (lowercased() == other.lowercased())
    }

    /// The string in lowercase; most strings need no change and are returned without a copy.
    package var folded: String {
        let isFolded = utf8.allSatisfy { $0 < 0x80 && !(UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0) }
        return isFolded ? self : lowercased()
    }

    package func hasByte(_ byte: UInt8) -> Bool {
        var text = self
        return text.withUTF8 { $0.contains(byte) }
    }
}
