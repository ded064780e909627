/// The scheme, host and port that credentials and connections belong to (RFC 6454, section 4).
package struct Origin: Hashable, Sendable {
    package let scheme: String
    /// The host in the form of ``URLHost/name``.
    package let host: String
    package let port: Int
    /// Whether the host has a trailing dot, with which a resolver may find another server than without it.
    package let isAbsoluteName: Bool

    package init(_ url: URL) {
        let text = url.absoluteString
        let written = Authority(text).map { String(text[$0.host]) } ?? ""
        let scheme = url.scheme?.folded ?? ""
        if let host = try? URLHost(written) {
            self.init(scheme: scheme, host: host, port: url.port)
        } else {
            // No request is sent to an invalid host, and its text cannot equal a normalized one.
            self.init(scheme: scheme, name: written.folded, port: url.port)
        }
    }

    /// Creates an origin with a scheme in lower case; without a port, uses the default port of the scheme.
    package init(scheme: String, host: URLHost, port: Int?) {
        self.init(scheme: scheme, name: host.name, isAbsoluteName: host.keepsRootDot, port: port)
    }

    /// Creates an origin from parts in lower case; without a port, uses the default port of the scheme.
    package init(scheme: String, name: String, isAbsoluteName: Bool = false, port: Int?) {
        self.scheme = scheme
        host = name
        self.port = port ?? (scheme == "https" ? 443 : 80)
        self.isAbsoluteName = isAbsoluteName
    }

    /// The host as in a `Host` field: with the brackets of an IPv6 address, or a trailing dot.
    package var hostText: String { host.contains(":") ? "[\(host)]" : exactHost }

    /// The host in the form of ``URLHost/exactName``.
    package var exactHost: String { isAbsoluteName ? host + "." : host }
}

/// The position of the authority in the text of a URL (RFC 3986, section 3.2).
///
/// It is found in the text that libcurl gets, not in Foundation's components, so that both mean the same host.
package struct Authority {
    /// The user information with the `@` after it; empty if there is none.
    package let userInfo: Range<String.Index>
    /// The host, with the brackets of an IPv6 address.
    package let host: Range<String.Index>

    /// Finds the authority of a URL, or returns `nil` if it has none.
    package init?(_ url: String) {
        var url = url
        guard let found = url.withUTF8(Self.find) else { return nil }
        let bytes = url.utf8
        let start = bytes.index(bytes.startIndex, offsetBy: found.start)
        let hostStart = bytes.index(start, offsetBy: found.hostStart - found.start)
        userInfo = start..<hostStart
        host = hostStart..<bytes.index(hostStart, offsetBy: found.hostEnd - found.hostStart)
    }

    /// Returns the offsets of the authority, of its host, and of the host's end.
    private static func find(_ bytes: UnsafeBufferPointer<UInt8>) -> (start: Int, hostStart: Int, hostEnd: Int)? {
        let (slash, colon) = (UInt8(ascii: "/"), UInt8(ascii: ":"))
        guard let scheme = bytes.firstIndex(where: { !isSchemeByte($0) }), bytes.count - scheme >= 3,
            bytes[scheme] == colon, bytes[scheme + 1] == slash, bytes[scheme + 2] == slash
        else { return nil }
        let start = scheme + 3
        let end =
            bytes[start...].firstIndex { $0 == slash || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
            ?? bytes.endIndex
        let hostStart = bytes[start..<end].lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? start
        let rest = bytes[hostStart..<end]
        let isInBrackets = rest.first == UInt8(ascii: "[")
        let hostEnd = isInBrackets ? rest.firstIndex(of: UInt8(ascii: "]")).map { $0 + 1 } : rest.firstIndex(of: colon)
        return (start, hostStart, hostEnd ?? end)
    }

    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        byte.isDigit || (0x61...0x7A).contains(byte.lowercased) || byte == UInt8(ascii: "+")
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }
}
