/// Which cookies are stored (RFC 6265bis, sections 5.6 and 5.7).
///
/// FoundationNetworking's storage ignores `Path`, `Secure` and `Max-Age`, so that these rules are applied before it.
enum CookieRule {
    /// The largest size of a name with its value, in bytes; a field with a larger one is ignored (section 5.6).
    static let maximumPairSize = 4_096

    /// The largest size of an attribute's value, in bytes; a larger attribute is ignored (section 5.6).
    static let maximumAttributeSize = 1_024

    /// How long a cookie is kept at most, in seconds: 400 days (section 5.5).
    static let maximumAge = 400.0 * 86_400

    /// Reads one `Set-Cookie` field of a response from `url`; returns `nil` for a field that is to be ignored.
    ///
    /// A cookie that has already expired is returned: storing it deletes the one that it replaces.
    static func parse(
        _ field: String,
        from url: URL,
        now: Date,
        isAcceptable: (_ host: String, _ domain: String) -> Bool
    ) -> HTTPCookie? {
        guard let host = url.host(percentEncoded: true)?.lowercased(), !host.isEmpty else { return nil }
        let parts = field[...].utf8.parts(between: ";")
        guard let cookie = parts.first.flatMap(nameAndValue) else { return nil }
        let attributes = CookieAttributes(parts.dropFirst(), now: now)
        if attributes.isSecure, url.scheme?.lowercased() != "https" { return nil }

        var domain = host
        if let wanted = attributes.domain, wanted != host {
            guard isName(wanted), domainMatches(host, wanted), isAcceptable(host, wanted) else { return nil }
            domain = "." + wanted
        } else if attributes.domain != nil, isName(host), isAcceptable(host, host) {
            domain = "." + host
        }
        let path = attributes.path ?? defaultPath(url)
        guard keepsPrefixPromise(cookie.name, attributes, path: path, isHostOnly: !domain.hasPrefix(".")) else {
            return nil
        }

        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: cookie.name, .value: cookie.value, .domain: domain, .path: path,
        ]
        if let expires = attributes.expires { properties[.expires] = expires } else { properties[.discard] = "TRUE" }
        if attributes.isSecure { properties[.secure] = "TRUE" }
        if attributes.isHTTPOnly { properties[HTTPCookiePropertyKey("HttpOnly")] = "TRUE" }
        return HTTPCookie(properties: properties)
    }

    /// The path of the URL up to its last slash (RFC 6265bis, section 5.1.4).
    static func defaultPath(_ url: URL) -> String {
        let path = CookieRequest.path(of: url)
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    private static func nameAndValue(_ pair: Substring.UTF8View) -> (name: String, value: String)? {
        guard let sides = pair.cut(at: "=") else { return nil }
        let (name, value) = (sides.before.trimmed, sides.after.trimmed)
        guard !name.isEmpty, name.count + value.count <= maximumPairSize else { return nil }
        let isControl: (UInt8) -> Bool = { $0 <= 0x1F || $0 == 0x7F }
        guard !name.contains(where: isControl), !value.contains(where: isControl) else { return nil }
        return (name.string, value.string)
    }

    /// The names `__Secure-…` and `__Host-…` promise how a cookie was set (section 4.1.3).
    private static func keepsPrefixPromise(
        _ name: String,
        _ attributes: CookieAttributes,
        path: String,
        isHostOnly: Bool
    ) -> Bool {
        let folded = Substring(name.utf8.prefix(16)).lowercased()
        if folded.hasPrefix("__secure-") { return attributes.isSecure }
        if folded.hasPrefix("__host-") {
            return attributes.isSecure && isHostOnly && attributes.path == "/" && path == "/"
        }
        return true
    }
}
