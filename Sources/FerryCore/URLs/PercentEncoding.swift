extension Sequence<UInt8> {
    /// Returns the bytes as text, percent-encoded except for letters, digits and those of `marks`.
    package func percentEncoded(keeping marks: String, spaceIsPlus: Bool = false) -> String {
        let marks = Array(marks.utf8)
        var result: [UInt8] = []
        // An array, since other modules do not specialize the loop for their sequences.
        for byte in Array(self) {
            if HeaderRule.isLetterOrDigit(byte) || marks.contains(byte) {
                result.append(byte)
            } else if spaceIsPlus, byte == UInt8(ascii: " ") {
                result.append(UInt8(ascii: "+"))
            } else {
                result.appendPercentEncoded(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

extension Substring.UTF8View {
    /// The bytes after percent-encoding is undone once; a percent sign without two digits is kept.
    package func percentDecoded(plusIsSpace: Bool = false) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        var rest = self[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let high = rest.first?.hexValue, let low = rest.dropFirst().first?.hexValue {
                bytes.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return bytes
    }
}

extension [UInt8] {
    /// Appends a byte as a percent sign and two upper-case hexadecimal digits (RFC 3986, section 2.1).
    fileprivate mutating func appendPercentEncoded(_ byte: UInt8) {
        func digit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10 }
        append(UInt8(ascii: "%"))
        append(digit(byte >> 4))
        append(digit(byte & 0xF))
    }
}
