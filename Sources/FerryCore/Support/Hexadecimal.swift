extension FixedWidthInteger where Self: UnsignedInteger {
    /// The number as lowercase hexadecimal digits, with zeros in front for its whole width.
    package var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: Self.bitWidth / 4 - digits.utf8.count) + digits
    }
}

extension Sequence<UInt8> {
    /// The bytes as lowercase hexadecimal digits.
    package var hexadecimal: String { map(\.hexadecimal).joined() }
}
