/// The rules for methods, header names and values that may be sent (RFC 9110, sections 5.5, 5.6.2 and 9.1).
package enum HeaderRule {
    /// Returns whether a string is a token: one or more of the characters that HTTP allows in names.
    package static func isToken(_ string: String) -> Bool {
        var string = string
        return string.withUTF8 { isToken(UnsafeRawBufferPointer($0)) }
    }

    /// Returns whether bytes are a token.
    package static func isToken(_ bytes: UnsafeRawBufferPointer) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy(isTokenByte)
    }

    /// Returns whether a byte is a letter, a digit or one of ``!#$%&'*+-.^_`|~``.
    ///
    /// This runs for every byte of every name, so the set is stored as the bits of two numbers, which begin at zero and
    /// at `@`.
    package static func isTokenByte(_ byte: UInt8) -> Bool {
        let bits: UInt64 = byte < 0x40 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
        return byte < 0x80 && bits & (1 << UInt64(byte & 0x3F)) != 0
    }

    /// Returns whether a byte is an ASCII letter or digit.
    @inlinable
    package static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    /// Returns whether a value is free of the bytes that would end or truncate it: CR, LF and NUL.
    package static func isValue(_ string: String) -> Bool {
        var string = string
        return string.withUTF8 { !$0.contains { $0 <= 0x0D && ($0 == 0x0D || $0 == 0x0A || $0 == 0) } }
    }
}
