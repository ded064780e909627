/// The spelling of the names of header fields in `HTTPURLResponse.allHeaderFields`.
enum FieldSpelling {
    /// Returns a name as FoundationNetworking spells it.
    ///
    /// Each word begins with a capital letter and goes on with small ones, except in names that begin with `X-`, which
    /// are left as they are, and in `WWW-Authenticate`.
    static func spelled(_ name: String) -> String {
        var isSpelled = true
        var isInWord = false
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"):
                isSpelled = isSpelled && isInWord
                isInWord = true
            case UInt8(ascii: "A")...UInt8(ascii: "Z"):
                isSpelled = isSpelled && !isInWord
                isInWord = true
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                isInWord = false
            default: return spelledByFoundation(name)
            }
        }
        if name.isEqualIgnoringCase("WWW-Authenticate") { return "WWW-Authenticate" }
        return isSpelled || hasPrefix(name) ? name : capitalized(name)
    }

    /// Returns the name as Foundation capitalizes it: other characters, such as an apostrophe, may be parts of a word.
    private static func spelledByFoundation(_ name: String) -> String { hasPrefix(name) ? name : name.capitalized }

    private static func hasPrefix(_ name: String) -> Bool { name.hasPrefix("X-") || name.hasPrefix("x-") }

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
