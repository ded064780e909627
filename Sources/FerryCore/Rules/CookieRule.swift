/// The rules that decide which cookies are stored (RFC 6265bis, sections 5.6 and 5.7).
///
/// FoundationNetworking's storage ignores `Path`, `Secure` and `Max-Age`, so these rules are applied first.
package enum CookieRule {
    /// Returns whether a host may set cookies for a domain.
    package typealias DomainTest = (_ host: String, _ domain: String) -> Bool

    /// The maximum size of a name and its value, in bytes; a field with a larger pair is ignored (section 5.6).
    package static let maximumPairSize = 4_096
    /// The maximum size of an attribute's value, in bytes; a larger attribute is ignored (section 5.6).
    package static let maximumAttributeSize = 1_024
    /// The maximum lifetime of a cookie, in seconds: 400 days (section 5.5).
    package static let maximumAge = 400.0 * 86_400

    /// Reads one `Set-Cookie` field of a response from `url`, or returns `nil` if the field must be ignored.
    ///
    /// A cookie that has already expired is returned: storing it deletes the one that it replaces.
    package static func parse(_ field: String, from url: URL, now: Date, isAcceptable: DomainTest) -> HTTPCookie? {
        guard let request = CookieRequest(url), !field.utf8.contains(where: isControl) else { return nil }
        let parts = field[...].utf8.parts(between: ";")
        guard let cookie = parts.first.flatMap(nameAndValue) else { return nil }
        let attributes = CookieAttributes(parts.dropFirst(), now: now)
        if attributes.isSecure, !request.isSecure { return nil }
        guard let domain = domain(attributes.domain, for: request, isAcceptable: isAcceptable) else { return nil }
        let path = attributes.path ?? defaultPath(url)
        guard keepsPrefixPromise(cookie, attributes, path: path, isHostOnly: !domain.hasPrefix(".")) else { return nil }
        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: cookie.name, .value: cookie.value, .domain: domain, .path: path,
        ]
        if let expires = attributes.expires { properties[.expires] = expires } else { properties[.discard] = "TRUE" }
        if attributes.isSecure { properties[.secure] = "TRUE" }
        if attributes.isHTTPOnly { properties[HTTPCookiePropertyKey("HttpOnly")] = "TRUE" }
        return HTTPCookie(properties: properties)
    }

    /// Returns the path of the URL up to its last slash (RFC 6265bis, section 5.1.4).
    package static func defaultPath(_ url: URL) -> String {
        let path = CookieRequest.path(of: url)
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// Whether a byte makes the whole field invalid, as all control characters except the tab do (section 5.6).
    private static func isControl(_ byte: UInt8) -> Bool { (byte < 0x20 && byte != 0x09) || byte == 0x7F }

    /// Reads the part before the first semicolon; without an equals sign it is the value of a cookie without a name
    /// (section 5.6).
    private static func nameAndValue(_ pair: Substring.UTF8View) -> (name: String, value: String)? {
        let sides = pair.cut(at: "=") ?? (pair[..<pair.startIndex], pair)
        let (name, value) = (sides.before.trimmed, sides.after.trimmed)
        guard !name.isEmpty || !value.isEmpty, name.count + value.count <= maximumPairSize else { return nil }
        return (name.string, value.string)
    }

    /// Returns the value for `HTTPCookie.domain`: the host alone, or a dot and the domain of the attribute; `nil` if
    /// the host may not use the attribute (section 5.7).
    private static func domain(_ attribute: String?, for request: CookieRequest, isAcceptable: DomainTest) -> String? {
        guard let attribute else { return request.host }
        // An attribute is neither decoded nor encoded: names beyond ASCII must be in their `xn--` form.
        guard attribute.utf8.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "%") }), let wanted = try? URLHost(attribute)
        else { return nil }
        // With a trailing dot, a name would evade the list of public suffixes.
        let isName = wanted.kind == .name && !wanted.keepsRootDot
        if wanted.exactName == request.host {
            return isName && isAcceptable(request.host, request.host) ? "." + request.host : request.host
        }
        guard isName, domainMatches(request.host, wanted.name),
            isAcceptable(request.host, wanted.name)
        else { return nil }
        return "." + wanted.name
    }

    /// Whether a cookie satisfies what the prefixes `__Secure-` and `__Host-` require (section 4.1.3).
    ///
    /// A cookie without a name is sent as if its value were the name.
    private static func keepsPrefixPromise(
        _ cookie: (name: String, value: String),
        _ attributes: CookieAttributes,
        path: String,
        isHostOnly: Bool
    ) -> Bool {
        let shown = cookie.name.isEmpty ? cookie.value : cookie.name
        let folded = Substring(shown.utf8.prefix(16)).lowercased()
        if cookie.name.isEmpty { return !folded.hasPrefix("__secure-") && !folded.hasPrefix("__host-") }
        if folded.hasPrefix("__secure-") { return attributes.isSecure }
        guard folded.hasPrefix("__host-") else { return true }
        // A cookie whose domain is an address is for that host alone, but has a domain all the same.
        return attributes.isSecure && isHostOnly && attributes.domain == nil && attributes.path == "/" && path == "/"
    }
}
