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
