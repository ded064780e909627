/// A numeric IPv4 or IPv6 address, as bytes.
package struct IPAddress: Hashable, Sendable {
    package let bytes: [UInt8]

    /// Parses an address without brackets or port; `nil` if it is not valid.
    package init?(_ text: String) {
        // inet_pton would accept an address that is followed by a null byte.
        guard !text.utf8.contains(0) else { return nil }
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            bytes = withUnsafeBytes(of: four) { Array($0) }
        } else if inet_pton(AF_INET6, text, &six) == 1 {
            bytes = withUnsafeBytes(of: six) { Array($0) }
        } else {
            return nil
        }
    }

    /// Whether the first `length` bits equal those of `network`.
    package func isIn(_ network: [UInt8], length: Int) -> Bool {
        guard bytes.count == network.count, (0...bytes.count * 8).contains(length) else { return false }
        let (whole, rest) = length.quotientAndRemainder(dividingBy: 8)
        guard bytes.prefix(whole) == network.prefix(whole) else { return false }
        guard rest > 0 else { return true }
        let mask = UInt8(truncatingIfNeeded: 0xFF << (8 - rest))
        return bytes[whole] & mask == network[whole] & mask
    }

    /// The IPv4 address mapped into this IPv6 address (RFC 4291, section 2.5.5.2), or `nil` if there is none.
    package var mappedIPv4: IPAddress? { isIn(Self.mapped, length: 96) ? IPAddress(bytes.suffix(4)) : nil }
    /// Whether the address is link-local, `fe80::/10` (RFC 4291, section 2.5.6).
    package var isLinkLocal: Bool { isIn([0xFE, 0x80] + [UInt8](repeating: 0, count: 14), length: 10) }

    package static let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 0, 0, 0, 0]
}

extension IPAddress: CustomStringConvertible {
    /// Makes an address from the four bytes of IPv4 or the sixteen of IPv6.
    package init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = Array(bytes)
    }

    package var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
