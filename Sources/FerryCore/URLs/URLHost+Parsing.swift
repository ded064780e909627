extension URLHost {
    /// Whether a text is already a normalized name: the fast path for nearly all requests.
    ///
    /// A last label that begins with a digit may be an IPv4 address.
    package static func isNormalName(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            guard !bytes.isEmpty, bytes.count <= maximumNameLength else { return false }
            var isLabelStart = true
            var lastLabel = UInt8(0)
            for byte in bytes {
                switch byte {
                case UInt8(ascii: "."):
                    if isLabelStart { return false }
                    isLabelStart = true
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                    UInt8(ascii: "_"):
                    if isLabelStart { lastLabel = byte }
                    isLabelStart = false
                default: return false
                }
            }
            return !isLabelStart && !lastLabel.isDigit
        }
    }

    /// Parses a host without brackets: a name, or an IPv4 address.
    package static func nameOrAddress(_ text: String) throws(Invalid) -> (String, Kind, Bool) {
        // A character has up to four bytes, each of which may be written with three characters.
        guard text.utf8.count <= maximumNameLength * 12 else { throw Invalid("is longer than a name can be") }
        var bytes = try percentDecoded(text)
        try check(bytes)
        if bytes.contains(where: { $0 >= 0x80 }) {
            bytes = try encodedByIDNA(bytes)
            try check(bytes)
        }
        for index in bytes.indices { bytes[index] = bytes[index].lowercased }
        let hasRootDot = bytes.last == UInt8(ascii: ".")
        if hasRootDot { bytes.removeLast() }
        guard !bytes.isEmpty else { throw Invalid("is empty") }
        guard bytes.count <= maximumNameLength else { throw Invalid("is longer than a name can be") }
        let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.allSatisfy({ !$0.isEmpty }) else { throw Invalid("has an empty label") }
        if let last = labels.last, isNumber(last) {
            guard let ipv4 = ipv4Address(labels) else { throw Invalid("ends in a number but is not an IPv4 address") }
            return (ipv4, .ipv4, hasRootDot)
        }
        return (String(decoding: bytes, as: UTF8.self), .name, hasRootDot)
    }

    /// Parses an IPv6 address, with or without brackets (RFC 3986, section 3.2.2).
    package static func addressInBrackets(_ text: String) throws(Invalid) -> (String, Kind) {
        var inner = text[...]
        if inner.hasPrefix("[") || inner.hasSuffix("]") {
            guard inner.hasPrefix("["), inner.hasSuffix("]"), inner.utf8.count > 2 else {
                throw Invalid("has an unmatched bracket")
            }
            inner = inner.dropFirst().dropLast()
        }
        // The longest address has 45 characters, its zone 15, and the percent sign three.
        guard inner.utf8.count <= 63 else { throw Invalid("is not an IPv6 address") }
        let parts = inner.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        // The C function would stop at a null byte.
        guard let literal = parts.first, literal.contains(":"),
            literal.utf8.allSatisfy({ $0.hexValue != nil || ":.".utf8.contains($0) }),
            let address = IPAddress(String(literal))
        else { throw Invalid("is not an IPv6 address") }
        guard parts.count == 2 else { return (address.description, .ipv6) }
        guard address.isLinkLocal else { throw Invalid("has a zone, which only a link-local address can have") }
        let zone = parts[1].hasPrefix("25") ? parts[1].dropFirst(2) : parts[1]
        // The unreserved characters of RFC 3986, section 2.3.
        guard (1...15).contains(zone.utf8.count),
            zone.utf8.allSatisfy({ $0.isDigit || (0x61...0x7A).contains($0.lowercased) || "-._~".utf8.contains($0) })
        else { throw Invalid("has a zone that no network interface can have") }
        return ("\(address)%25\(zone)", .ipv6)
    }

    /// Undoes percent-encoding once; a percent sign without two digits is kept, and refused later.
    private static func percentDecoded(_ text: String) throws(Invalid) -> [UInt8] {
        let bytes = text[...].utf8.percentDecoded()
        guard String(validating: bytes, as: UTF8.self) != nil else { throw Invalid("is not UTF-8") }
        return bytes
    }

    /// Refuses the forbidden domain code points (https://url.spec.whatwg.org/#forbidden-domain-code-point).
    private static func check(_ bytes: [UInt8]) throws(Invalid) {
        for byte in bytes where byte <= 0x20 || byte == 0x7F || forbidden.contains(byte) {
            throw Invalid("has a character that no host can have")
        }
    }

    private static let forbidden = Set("#/:<>?@[\\]^|%".utf8)

    /// Encodes an international name with IDNA (UTS #46), as Foundation does for a URL.
    private static func encodedByIDNA(_ bytes: [UInt8]) throws(Invalid) -> [UInt8] {
        var components = URLComponents()
        components.scheme = "http"
        components.host = String(decoding: bytes, as: UTF8.self)
        guard let encoded = components.encodedHost, !encoded.isEmpty, encoded.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw Invalid("is not an international name that can be encoded")
        }
        return Array(encoded.utf8)
    }
}

/// Parsing of IPv4 addresses in all spellings (https://url.spec.whatwg.org/#concept-ipv4-parser), in lower case.
extension URLHost {
    /// Whether a last label is a number, so that the host must be an IPv4 address.
    private static func isNumber(_ label: ArraySlice<UInt8>) -> Bool {
        label.allSatisfy(\.isDigit) || number(label) != nil
    }

    /// Returns the address of one to four decimal, octal or hexadecimal numbers as four decimal ones.
    private static func ipv4Address(_ labels: [ArraySlice<UInt8>]) -> String? {
        guard (1...4).contains(labels.count) else { return nil }
        var address: UInt64 = 0
        for (index, label) in labels.enumerated() {
            guard let number = number(label) else { return nil }
            // The last number covers all remaining bytes.
            let bits = index == labels.count - 1 ? 8 * (4 - index) : 8
            guard number < 1 << UInt64(bits) else { return nil }
            address = address << UInt64(bits) | number
        }
        return [24, 16, 8, 0].map { "\(address >> $0 & 0xFF)" }.joined(separator: ".")
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
            guard let figure = digit.hexValue, UInt64(figure) < base else { return nil }
            // A value above the limit is too large anyway; the remaining digits must still be valid.
            value = min(value * base + UInt64(figure), 1 << 32)
        }
        return value
    }
}
