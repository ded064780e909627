/// The host of a URL in the one form that every decision is made on: pins, proxies, maps, origins and cache keys.
///
/// It is parsed as the WHATWG URL Standard does (https://url.spec.whatwg.org/#host-parsing): percent-encoding is
/// undone, ASCII letters become lower case, international names their `xn--` form, IPv4 addresses of all spellings
/// four decimal numbers, and IPv6 addresses what RFC 5952 recommends. Three things go beyond the standard:
/// - The dot of the root is no part of the form, as `example.com.` is the host `example.com`.
/// - An IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2) is the IPv4 address, which is what it connects to.
/// - A link-local address may have a zone (RFC 6874).
///
/// A host that is in this form already, as most are, is taken as it is and nothing is allocated.
package struct URLHost: Sendable {
    /// What a host is.
    package enum Kind: Sendable, Hashable {
        /// A registered name such as `example.com`.
        case name
        /// An address such as `192.0.2.1`.
        case ipv4
        /// An address such as `2001:db8::1`.
        case ipv6
    }

    /// Why a text is not a host.
    package struct Invalid: Error, Sendable, Hashable, CustomStringConvertible {
        /// The reason, as the end of a sentence that names the host.
        package let description: String

        init(_ description: String) {
            self.description = description
        }
    }

    /// The longest name that DNS can have, in characters (RFC 1035, section 2.3.4: 255 bytes on the wire).
    package static let longestName = 253

    /// The form to compare and to look up: without brackets, and without the dot of the root.
    package let name: String

    /// What the host is.
    package let kind: Kind

    /// Whether the host was written with the dot of the root, which keeps a resolver from searching other domains.
    package let hasRootDot: Bool

    /// Parses a host as a URL or a person spells it, with or without brackets.
    package init(_ text: String) throws(Invalid) {
        if Self.isNormalName(text) {
            (name, kind, hasRootDot) = (text, .name, false)
        } else if Self.isNormalIPv4(text) {
            (name, kind, hasRootDot) = (text, .ipv4, false)
        } else if text.utf8.contains(UInt8(ascii: ":")) || text.utf8.first == UInt8(ascii: "[") {
            (name, kind) = try Self.addressInBrackets(text)
            hasRootDot = false
        } else {
            (name, kind, hasRootDot) = try Self.nameOrAddress(text)
        }
    }

    /// Whether a text is four decimal numbers up to 255, without leading zeros.
    static func isNormalIPv4(_ text: String) -> Bool {
        // A part has three digits at most, so the number stays small.
        var (dots, digits, number) = (0, 0, 0)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                if digits == 3 || (digits > 0 && number == 0) { return false }
                digits += 1
                number = number * 10 + Int(byte & 0x0F)
                if number > 255 { return false }
            case UInt8(ascii: "."):
                if digits == 0 || dots == 3 { return false }
                (dots, digits, number) = (dots + 1, 0, 0)
            default: return false
            }
        }
        return dots == 3 && digits > 0
    }

    /// The host as a URL has it, which is what libcurl gets.
    ///
    /// The dot of the root stays, for the resolver; libcurl knows `localhost` and the names below it only without
    /// one (RFC 6761, section 6.3).
    package var urlText: String {
        switch kind {
        case .ipv4: name
        case .ipv6: "[\(name)]"
        case .name: hasRootDot && !isLocalhost ? name + "." : name
        }
    }

    /// The bytes of the address; `nil` for a name.
    package var address: Data? {
        kind == .name ? nil : IPAddress(unscopedName).map { Data($0.bytes) }
    }

    /// The name without the zone of a link-local address.
    package var unscopedName: String {
        guard kind == .ipv6, let percent = name.firstIndex(of: "%") else { return name }
        return String(name[..<percent])
    }

    private var isLocalhost: Bool { name == "localhost" || name.hasSuffix(".localhost") }
}

extension URLHost: Hashable {
    /// Returns a Boolean value that indicates whether both are the same host; the dot of the root makes no difference.
    package static func == (left: URLHost, right: URLHost) -> Bool { left.name == right.name }

    /// Hashes the form that is compared.
    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
