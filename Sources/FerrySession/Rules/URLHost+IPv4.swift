/// Parsing of IPv4 addresses in all spellings (https://url.spec.whatwg.org/#concept-ipv4-parser), in lower case.
extension URLHost {
    /// Returns a Boolean value that indicates whether a last label is a number, so that the host must be an IPv4
    /// address.
    static func isNumber(_ label: ArraySlice<UInt8>) -> Bool {
        label.allSatisfy(isDigit) || number(label) != nil
    }

    /// Returns the address of one to four decimal, octal or hexadecimal numbers as four decimal ones, or `nil` if it is
    /// invalid.
    static func ipv4Address(_ labels: [ArraySlice<UInt8>]) -> String? {
        guard (1...4).contains(labels.count) else { return nil }
        var address: UInt64 = 0
        for (index, label) in labels.enumerated() {
            guard let number = number(label) else { return nil }
            // The last number covers all remaining bytes.
            let bits = index == labels.count - 1 ? 8 * (4 - index) : 8
            guard number < 1 << UInt64(bits) else { return nil }
            address = address << UInt64(bits) | number
        }
        let bytes = [24, 16, 8, 0].map { String(UInt8(truncatingIfNeeded: address >> UInt64($0))) }
        return bytes.joined(separator: ".")
    }

    /// Reads a number below 2³² with the prefix of its base: `0x` for 16, `0` for 8; `0x` alone is zero.
    private static func number(_ label: ArraySlice<UInt8>) -> UInt64? {
        var digits = label
        var base: UInt64 = 10
        if digits.starts(with: "0x".utf8) {
            (digits, base) = (digits.dropFirst(2), 16)
        } else if digits.count > 1, digits.first == UInt8(ascii: "0") {
            (digits, base) = (digits.dropFirst(), 8)
        } else if digits.isEmpty {
            return nil
        }
        var value: UInt64 = 0
        for digit in digits {
            guard let figure = hexValue(digit), UInt64(figure) < base else { return nil }
            value = value * base + UInt64(figure)
            // The value is too large anyway; the remaining digits must still be valid.
            value = min(value, 1 << 32)
        }
        return value
    }
}
