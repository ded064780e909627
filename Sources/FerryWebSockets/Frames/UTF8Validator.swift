/// Checks text that comes in pieces (RFC 3629), so that an error is found at the first byte that is wrong.
struct UTF8Validator: Sendable {
    /// The number of bytes of the current character that are missing.
    private var missing = 0
    /// The values that the next byte may have.
    private var allowed: ClosedRange<UInt8> = 0x80...0xBF

    /// Whether the text so far ends with a whole character.
    var isComplete: Bool { missing == 0 }

    /// Returns whether the text is valid so far.
    mutating func consume(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index < bytes.count {
            if missing == 0 {
                while bytes.count - index >= 8,
                    bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
                {
                    index += 8
                }
                guard index < bytes.count else { return true }
            }
            let byte = bytes[index]
            index += 1
            if missing > 0 {
                guard allowed.contains(byte) else { return false }
                missing -= 1
                allowed = 0x80...0xBF
            } else if byte >= 0x80, !begin(byte) {
                return false
            }
        }
        return true
    }

    /// Begins a character of several bytes; returns false if no character begins with the byte.
    private mutating func begin(_ byte: UInt8) -> Bool {
        switch byte {
        case 0xC2...0xDF: (missing, allowed) = (1, 0x80...0xBF)
        // Shorter forms, surrogates, and characters after U+10FFFF are not allowed.
        case 0xE0: (missing, allowed) = (2, 0xA0...0xBF)
        case 0xED: (missing, allowed) = (2, 0x80...0x9F)
        case 0xE1...0xEC, 0xEE, 0xEF: (missing, allowed) = (2, 0x80...0xBF)
        case 0xF0: (missing, allowed) = (3, 0x90...0xBF)
        case 0xF1...0xF3: (missing, allowed) = (3, 0x80...0xBF)
        case 0xF4: (missing, allowed) = (3, 0x80...0x8F)
        default: return false
        }
        return true
    }
}
