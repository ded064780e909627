/// A URL's host in the normalized form that is used for every decision: pins, proxies, maps, origins and cache keys.
///
/// It is parsed according to the WHATWG URL Standard (https://url.spec.whatwg.org/#host-parsing): percent-encoding is
/// undone, ASCII letters become lower case, international names take their `xn--` form, IPv4 addresses in any spelling
/// become four decimal numbers, and IPv6 addresses take the form that RFC 5952 recommends. Two rules go beyond the
/// standard:
/// - A trailing dot is dropped: `example.com.` is the host `example.com`.
/// - A link-local address may have a zone (RFC 6874).
///
/// An IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2) remains one: it is another origin than the IPv4 address, and
/// gets none of its credentials. Pins and proxies belong to the machine, and use ``destination`` instead.
///
/// A host that is already in this form, as most are, needs no allocation.
package struct URLHost: Sendable {
    /// The kinds of hosts.
    package enum Kind: Sendable, Hashable {
        /// A registered name such as `example.com`.
        case name
        /// An address such as `192.0.2.1`.
        case ipv4
        /// An address such as `2001:db8::1`.
        case ipv6
    }

    /// The reason why a text is not a host.
    package struct Invalid: Error, Sendable, Hashable, CustomStringConvertible {
        /// The reason, as the end of a sentence that begins with the host.
        package let description: String

        package init(_ description: String) { self.description = description }
    }

    /// The maximum length of a DNS name, in characters (RFC 1035, section 2.3.4: 255 bytes on the wire).
    package static let maximumNameLength = 253

    /// The normalized form for comparisons and lookups, without brackets and without a trailing dot.
    package let name: String
    package let kind: Kind
    /// Whether the host was written with a trailing dot, which keeps a resolver from searching other domains.
    package let hasRootDot: Bool

    /// Parses a host as written in a URL or by a person, with or without brackets.
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
    package static func isNormalIPv4(_ text: String) -> Bool {
        // A part has at most three digits, so the number stays small.
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

    /// The host as written in the URL that libcurl gets.
    ///
    /// A trailing dot is kept for the resolver, but libcurl recognizes `localhost` only without it (RFC 6761, section
    /// 6.3).
    package var urlText: String {
        switch kind {
        case .ipv4: name
        case .ipv6: "[\(name)]"
        case .name: exactName
        }
    }

    /// The name with its trailing dot, with which a resolver may find another server than without it.
    package var exactName: String { keepsRootDot ? name + "." : name }

    /// Whether ``exactName`` has a trailing dot.
    package var keepsRootDot: Bool { hasRootDot && kind == .name && !Self.isLocalhost(name) }

    /// The host that is connected to: the IPv4 address for an IPv4-mapped one, and otherwise the name.
    package var destination: String { Self.destination(of: name) }

    /// Returns the ``destination`` of a host in the form of ``name``.
    package static func destination(of name: String) -> String {
        guard name.hasPrefix("::ffff:") else { return name }
        return IPAddress(name)?.mappedIPv4?.description ?? name
    }

    /// The bytes of the address; `nil` for a name.
    package var address: Data? { kind == .name ? nil : IPAddress(unscopedName).map { Data($0.bytes) } }

    /// The name without the zone of a link-local address.
    package var unscopedName: String {
        guard kind == .ipv6, let percent = name.firstIndex(of: "%") else { return name }
        return String(name[..<percent])
    }

    /// Returns a Boolean value that indicates whether a normalized name is one of this machine (RFC 6761, section 6.3).
    package static func isLocalhost(_ name: String) -> Bool { name == "localhost" || name.hasSuffix(".localhost") }
}

extension URLHost: Hashable {
    /// Returns a Boolean value that indicates whether both are the same host, ignoring a trailing dot.
    package static func == (left: URLHost, right: URLHost) -> Bool { left.name == right.name }

    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
