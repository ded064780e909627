extension URLHost {
    /// Returns a Boolean value that indicates whether a text is already a normalized name.
    ///
    /// This is the fast path for nearly all requests. A last label that begins with a digit may be an IPv4 address.
    static func isNormalName(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            guard !bytes.isEmpty, bytes.count <= longestName else { return false }
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
            return !isLabelStart && !isDigit(lastLabel)
        }
    }

    /// Parses a host without brackets: a name, or an IPv4 address.
    static func nameOrAddress(_ text: String) throws(Invalid) -> (String, Kind, Bool) {
        // A character has up to four bytes, each of which may be written with three characters.
        guard text.utf8.count <= longestName * 12 else { throw Invalid("is longer than a name can be") }
        var bytes = try percentDecoded(text)
        try check(bytes)
        if bytes.contains(where: { $0 >= 0x80 }) {
            bytes = try encodedByIDNA(bytes)
            try check(bytes)
        }
        for index in bytes.indices { bytes[index] = lowercased(bytes[index]) }
        let hasRootDot = bytes.last == UInt8(ascii: ".")
        if hasRootDot { bytes.removeLast() }
        guard !bytes.isEmpty else { throw Invalid("is empty") }
        guard bytes.count <= longestName else { throw Invalid("is longer than a name can be") }
        let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.allSatisfy({ !$0.isEmpty }) else { throw Invalid("has an empty label") }
        if let last = labels.last, isNumber(last) {
            guard let address = ipv4Address(labels) else {
                throw Invalid("ends in a number but is not an IPv4 address")
            }
            return (address, .ipv4, hasRootDot)
        }
        return (String(decoding: bytes, as: UTF8.self), .name, hasRootDot)
    }

    /// Parses an IPv6 address, with or without brackets (RFC 3986, section 3.2.2).
    static func addressInBrackets(_ text: String) throws(Invalid) -> (String, Kind) {
        var inner = text[...]
        if inner.hasPrefix("[") || inner.hasSuffix("]") {
            guard inner.hasPrefix("["), inner.hasSuffix("]"), inner.utf8.count > 2 else {
                throw Invalid("has an unmatched bracket")
            }
            inner = inner.dropFirst().dropLast()
        }
        // The longest address has 45 characters, its zone 15, and the percent sign three.
        let longest = 63
        guard inner.utf8.count <= longest else { throw Invalid("is not an IPv6 address") }
        let parts = inner.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        // The C function would stop at a null byte.
        guard let literal = parts.first, literal.utf8.allSatisfy(isAddressByte), literal.contains(":"),
            let address = IPAddress(String(literal))
        else { throw Invalid("is not an IPv6 address") }
        guard parts.count == 2 else {
            return address.mappedIPv4.map { ($0.description, .ipv4) } ?? (address.description, .ipv6)
        }
        guard address.isLinkLocal else { throw Invalid("has a zone, which only a link-local address can have") }
        let zone = parts[1].hasPrefix("25") ? parts[1].dropFirst(2) : parts[1]
        guard (1...15).contains(zone.utf8.count), zone.utf8.allSatisfy(isUnreserved) else {
            throw Invalid("has a zone that no network interface can have")
        }
        return ("\(address)%25\(zone)", .ipv6)
    }

    // MARK: - Bytes

    /// Undoes percent-encoding once.
    ///
    /// A percent sign without two digits is kept, and refused later.
    private static func percentDecoded(_ text: String) throws(Invalid) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let high = rest.first.flatMap(hexValue),
                let low = rest.dropFirst().first.flatMap(hexValue)
            {
                bytes.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
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

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        hexValue(byte) != nil || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lowercased(byte))
            || "-._~".utf8.contains(byte)
    }

    static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
