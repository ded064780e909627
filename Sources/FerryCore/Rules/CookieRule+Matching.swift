/// The parts of a request's URL that cookies are matched with, computed once for all of them.
package struct CookieRequest {
    /// The host, in the form of ``URLHost/exactName``.
    package let host: String
    /// The path, percent-encoded, with a leading slash.
    package let path: String
    package let isSecure: Bool

    /// Reads a URL, or returns `nil` if it has no host.
    package init?(_ url: URL) {
        guard let written = url.host(percentEncoded: true), let host = try? URLHost(written) else { return nil }
        self.host = host.exactName
        path = Self.path(of: url)
        isSecure = url.scheme?.lowercased() == "https"
    }

    package static func path(of url: URL) -> String {
        let path = url.path(percentEncoded: true)
        return path.utf8.first == UInt8(ascii: "/") ? path : "/"
    }
}

/// The hosts that a stored cookie is sent to, from `HTTPCookie.domain`; a leading dot includes the subdomains.
package struct CookieDomain {
    /// The host, in the form of ``URLHost/exactName``.
    package let host: String
    private let includesHostsBelow: Bool

    package init(_ cookie: HTTPCookie) {
        let text = cookie.domain
        let hasDot = text.utf8.first == UInt8(ascii: ".")
        let name = hasDot ? String(text.utf8.dropFirst()) ?? text : text
        let parsed = try? URLHost(name)
        // A domain such as `.0250.01` is part of other spellings of addresses, and must not become an address itself.
        let isUsable = parsed.map { !hasDot || $0.kind == .name } ?? false
        host = isUsable ? parsed?.exactName ?? name : name.folded
        includesHostsBelow = hasDot && isUsable
    }

    /// Whether the cookie is sent to a host.
    package func includes(_ host: String) -> Bool {
        includesHostsBelow ? CookieRule.domainMatches(host, self.host) : host.utf8.elementsEqual(self.host.utf8)
    }
}

/// A cookie with its place in an order: by group, then by time, then by name.
struct RankedCookie: Comparable {
    let cookie: HTTPCookie
    private let group: Int
    private let time: TimeInterval

    init(_ cookie: HTTPCookie, group: Int, time: TimeInterval) {
        (self.cookie, self.group, self.time) = (cookie, group, time)
    }

    static func == (left: Self, right: Self) -> Bool { !(left < right) && !(right < left) }

    static func < (left: Self, right: Self) -> Bool {
        if left.group != right.group { return left.group < right.group }
        if left.time != right.time { return left.time < right.time }
        return left.cookie.name.utf8.lexicographicallyPrecedes(right.cookie.name.utf8)
    }
}

/// The rules that select the cookies to send (RFC 6265bis, section 5.8.3).
extension CookieRule {
    package static func cookies(for request: CookieRequest, from cookies: [HTTPCookie], now: Date) -> [HTTPCookie] {
        cookies.filter { matches($0, request, now: now) && isWritable($0) }
    }

    /// Returns cookies in the order in which they are sent: longer paths first, then those that were set earlier.
    package static func sorted(_ cookies: [HTTPCookie], creation: (HTTPCookie) -> TimeInterval) -> [HTTPCookie] {
        guard cookies.count > 1 else { return cookies }
        return cookies.map { RankedCookie($0, group: -$0.path.utf8.count, time: creation($0)) }.sorted().map(\.cookie)
    }

    /// Returns the value of the `Cookie` field, or `nil` without cookies; without a name, only the value is sent.
    package static func header(_ cookies: [HTTPCookie]) -> String? {
        guard !cookies.isEmpty else { return nil }
        return cookies.map { $0.name.isEmpty ? $0.value : "\($0.name)=\($0.value)" }.joined(separator: "; ")
    }

    package static func matches(_ cookie: HTTPCookie, _ request: CookieRequest, now: Date) -> Bool {
        if cookie.isSecure, !request.isSecure { return false }
        if let expires = cookie.expiresDate, expires <= now { return false }
        return CookieDomain(cookie).includes(request.host) && pathMatches(request.path, cookie.path)
    }

    /// Whether a host equals a domain or is one of its subdomains (section 5.1.3).
    package static func domainMatches(_ host: String, _ domain: String) -> Bool {
        let (host8, domain8) = (host.utf8, domain.utf8)
        if host8.count == domain8.count { return host8.elementsEqual(domain8) }
        guard !domain8.isEmpty, host8.count > domain8.count else { return false }
        let start = host8.index(host8.endIndex, offsetBy: -domain8.count)
        return host8[host8.index(before: start)] == UInt8(ascii: ".") && host8[start...].elementsEqual(domain8)
            && !isAddress(host)
    }

    /// Whether a request's path is within a cookie's path (section 5.1.4).
    package static func pathMatches(_ path: String, _ cookiePath: String) -> Bool {
        guard path.utf8.starts(with: cookiePath.utf8) else { return false }
        let slash = UInt8(ascii: "/")
        return path.utf8.count == cookiePath.utf8.count || cookiePath.utf8.last == slash
            || path.utf8.dropFirst(cookiePath.utf8.count).first == slash
    }

    /// Whether a domain has at least two labels: the rule for cookies without a list of public suffixes.
    package static func hasTwoLabels(_ domain: String) -> Bool { domain.utf8.contains(UInt8(ascii: ".")) }

    /// Whether resolvers may take a host for an address: an IPv6 address, or a host that ends in a number in any
    /// notation (WHATWG URL, section 3.5).
    package static func isAddress(_ host: String) -> Bool {
        if host.utf8.contains(UInt8(ascii: ":")) { return true }
        let dot = UInt8(ascii: ".")
        let name = host.utf8.last == dot ? host.utf8.dropLast() : host.utf8[...]
        let label = name.lastIndex(of: dot).map { name[name.index(after: $0)...] } ?? name
        guard !label.isEmpty else { return false }
        let isHexadecimal = label.starts(with: "0x".utf8) || label.starts(with: "0X".utf8)
        return isHexadecimal ? label.dropFirst(2).allSatisfy { $0.hexValue != nil } : label.allSatisfy(\.isDigit)
    }

    /// Whether a host can have subdomains: it is no address, and has no final dot to evade the list of public suffixes.
    package static func isName(_ host: String) -> Bool { !isAddress(host) && host.utf8.last != UInt8(ascii: ".") }

    /// Whether the cookie can be sent: a cookie from the application may contain characters that end a pair or line.
    private static func isWritable(_ cookie: HTTPCookie) -> Bool {
        let (semicolon, equals) = (UInt8(ascii: ";"), UInt8(ascii: "="))
        return HeaderRule.isValue(cookie.name) && HeaderRule.isValue(cookie.value)
            && !cookie.value.utf8.contains(semicolon)
            && !cookie.name.utf8.contains { $0 == semicolon || $0 == equals }
    }
}
