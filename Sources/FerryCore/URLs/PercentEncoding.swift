extension Sequence<UInt8> {
    /// Returns the bytes as text, percent-encoded except for letters, digits and those of `marks`.
    package func percentEncoded(keeping marks: String) -> String {
        var result: [UInt8] = []
        for byte in self {
            if HeaderRule.isLetterOrDigit(byte) || marks.utf8.contains(byte) {
                result.append(byte)
            } else {
                result.appendPercentEncoded(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Appends a byte as a percent sign and two upper-case hexadecimal digits (RFC 3986, section 2.1).
    package mutating func appendPercentEncoded(_ byte: UInt8) {
        func digit(_ value: UInt8) -> UInt8 {
            value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
        }
        append(UInt8(ascii: "%"))
        append(digit(byte >> 4))
        append(digit(byte & 0xF))
    }
}
