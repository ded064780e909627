/// The spelling of the names of header fields in `HTTPURLResponse.allHeaderFields`.
enum FieldSpelling {
    /// Returns a name as FoundationNetworking spells it; `nil` if it is not a token.
    ///
    /// Each word begins with a capital letter and goes on with small ones, except in names that begin with `X-`, which
    /// are left as they are, and in `WWW-Authenticate`.
    static func spelled(_ name: String) -> String? {
        var name = name
        var isSpelled = true
        // Whether there are only letters, digits, hyphens, underscores and periods.
        var isPlain = !name.isEmpty
        name.withUTF8 { bytes in
            var isInWord = false
            for byte in bytes {
                if (byte | 0x20) &- UInt8(ascii: "a") < 26 {
                    isSpelled = isSpelled && isInWord == (byte & 0x20 != 0)
                    isInWord = true
                } else {
                    isPlain = isPlain && (byte.isDigit || byte &- UInt8(ascii: "-") < 2 || byte == UInt8(ascii: "_"))
                    isInWord = false
                }
            }
        }
        if !isPlain, !HeaderRule.isToken(name) { return nil }
        if name.isEqualIgnoringCase("WWW-Authenticate") { return "WWW-Authenticate" }
        if isPlain && isSpelled || isUnchanged(name) { return name }
        // Other characters, such as an apostrophe, may be parts of a word.
        return isPlain ? capitalized(name) : name.capitalized
    }

    /// Whether a name is left as it is, since it begins with `X-`.
    static func isUnchanged(_ name: String) -> Bool {
        var bytes = name.utf8.makeIterator()
        return (bytes.next() ?? 0) | 0x20 == UInt8(ascii: "x") && bytes.next() == UInt8(ascii: "-")
    }

    /// Returns the name with its words capitalized; it has only letters, digits, hyphens, underscores and periods.
    private static func capitalized(_ name: String) -> String {
        var name = name
        return name.withUTF8 { bytes in
            String(unsafeUninitializedCapacity: bytes.count) { result in
                var isInWord = false
                for index in bytes.indices {
                    let letter = bytes[index] & ~0x20
                    let isLetter = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(letter)
                    result[index] = isLetter ? (isInWord ? letter | 0x20 : letter) : bytes[index]
                    isInWord = isLetter
                }
                return bytes.count
            }
        }
    }
}
