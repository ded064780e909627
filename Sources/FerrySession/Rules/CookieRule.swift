/// Which cookies are stored and sent (RFC 6265, with the prefixes of its successor, RFC 6265bis).
///
/// FoundationNetworking's storage ignores `Path`, `Secure` and `Max-Age`; these rules stand in front of it.
enum CookieRule {
    /// Longer fields are ignored whole, as 6265bis, section 5.6 says.
    private static let longest = 4096

    /// Reads one `Set-Cookie` field that `url` answered with, or answers `nil` where it is to be ignored.
    ///
    /// A cookie that is expired already is returned: storing it deletes the one it replaces.
    static func parse(
        _ field: String,
        from url: URL,
        now: Date,
        isAcceptable: (_ host: String, _ domain: String) -> Bool
    ) -> HTTPCookie? {
        guard let host = url.host(percentEncoded: true)?.lowercased(), !host.isEmpty else { return nil }
        var parts = field.split(separator: ";", omittingEmptySubsequences: false)[...]
        guard let pair = parts.popFirst(), let cookie = nameAndValue(pair) else { return nil }
        let attributes = Attributes(parts, now: now)
        let isHTTPS = url.scheme?.lowercased() == "https"
        if attributes.isSecure, !isHTTPS { return nil }

        var domain = host
        if let wanted = attributes.domain, wanted != host {
            guard domainMatches(host, wanted), isAcceptable(host, wanted) else { return nil }
            domain = "." + wanted
        } else if attributes.domain != nil, !isAddress(host), isAcceptable(host, host) {
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

    /// The value of `Cookie` for a request, or `nil` where no cookie goes with it (RFC 6265, section 5.4).
    static func header(for url: URL, from cookies: [HTTPCookie], now: Date) -> String? {
        let chosen = cookies.filter { matches($0, url, now: now) && isWritable($0) }
        guard !chosen.isEmpty else { return nil }
        // Longer paths first; the storage does not tell when a cookie was made, so names settle the rest.
        let ordered = chosen.sorted { first, second in
            first.path.utf8.count == second.path.utf8.count
                ? first.name < second.name : first.path.utf8.count > second.path.utf8.count
        }
        return ordered.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
    }

    /// Whether a stored cookie belongs to a request.
    static func matches(_ cookie: HTTPCookie, _ url: URL, now: Date) -> Bool {
        guard let host = url.host(percentEncoded: true)?.lowercased() else { return false }
        if cookie.isSecure, url.scheme?.lowercased() != "https" { return false }
        if let expires = cookie.expiresDate, expires <= now { return false }
        let domain = cookie.domain.lowercased()
        let isRightHost = domain.hasPrefix(".") ? domainMatches(host, String(domain.dropFirst())) : host == domain
        return isRightHost && pathMatches(requestPath(url), cookie.path)
    }

    /// RFC 6265, section 5.1.3.
    static func domainMatches(_ host: String, _ domain: String) -> Bool {
        host == domain || (host.hasSuffix("." + domain) && !isAddress(host))
    }

    /// RFC 6265, section 5.1.4.
    static func pathMatches(_ path: String, _ cookiePath: String) -> Bool {
        guard path.hasPrefix(cookiePath) else { return false }
        return path.utf8.count == cookiePath.utf8.count || cookiePath.hasSuffix("/")
            || path.dropFirst(cookiePath.count).first == "/"
    }

    /// The path up to its last slash (RFC 6265, section 5.1.4).
    static func defaultPath(_ url: URL) -> String {
        let path = requestPath(url)
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// What holds where there is no list of public suffixes: a domain of one label is nobody's.
    static func hasTwoLabels(_ domain: String) -> Bool {
        domain.contains(".")
    }

    static func isAddress(_ host: String) -> Bool {
        host.contains(":") || host.allSatisfy { $0.isNumber || $0 == "." }
    }

    private static func requestPath(_ url: URL) -> String {
        let path = url.path(percentEncoded: true)
        return path.hasPrefix("/") ? path : "/"
    }

    private static func nameAndValue(_ pair: Substring) -> (name: String, value: String)? {
        guard let equals = pair.firstIndex(of: "=") else { return nil }
        let name = pair[..<equals].trimmingCharacters(in: .whitespaces)
        let value = pair[pair.index(after: equals)...].trimmingCharacters(in: .whitespaces)
        guard !name.isEmpty, name.utf8.count + value.utf8.count <= longest else { return nil }
        guard (name + value).utf8.allSatisfy({ $0 > 0x1F && $0 != 0x7F }) else { return nil }
        return (name, value)
    }

    /// A cookie that somebody put into the storage by hand must not end the header.
    private static func isWritable(_ cookie: HTTPCookie) -> Bool {
        HeaderRule.isValue(cookie.name) && HeaderRule.isValue(cookie.value) && !cookie.value.contains(";")
            && !cookie.name.contains(where: { $0 == ";" || $0 == "=" })
    }

    /// `__Secure-` and `__Host-` promise how a cookie was set (6265bis, section 4.1.3).
    private static func keepsPrefixPromise(
        _ name: String,
        _ attributes: Attributes,
        path: String,
        isHostOnly: Bool
    ) -> Bool {
        let folded = name.lowercased()
        if folded.hasPrefix("__secure-") { return attributes.isSecure }
        if folded.hasPrefix("__host-") {
            return attributes.isSecure && isHostOnly && attributes.path == "/" && path == "/"
        }
        return true
    }

    /// The attributes of a `Set-Cookie` field; of several of one name the last counts (RFC 6265, section 5.3).
    private struct Attributes {
        var domain: String?
        var path: String?
        var expires: Date?
        var isSecure = false
        var isHTTPOnly = false

        init(_ parts: ArraySlice<Substring>, now: Date) {
            var maximumAge: Date?
            var date: Date?
            for part in parts {
                let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                let name = sides[0].trimmingCharacters(in: .whitespaces).lowercased()
                let value = sides.count > 1 ? sides[1].trimmingCharacters(in: .whitespaces) : ""
                switch name {
                case "domain":
                    let name = (value.hasPrefix(".") ? String(value.dropFirst()) : value).lowercased()
                    domain = name.isEmpty ? nil : name
                case "path": path = value.hasPrefix("/") ? value : nil
                case "max-age": maximumAge = Self.date(maximumAge: value, now: now) ?? maximumAge
                case "expires": date = CookieDate.parse(value) ?? date
                case "secure": isSecure = true
                case "httponly": isHTTPOnly = true
                // SameSite speaks of sites and navigations, which a library without pages has not.
                default: break
                }
            }
            expires = maximumAge ?? date
        }

        /// `Max-Age` goes before `Expires`; zero and less is the past (RFC 6265, section 5.2.2).
        private static func date(maximumAge value: String, now: Date) -> Date? {
            guard let first = value.utf8.first, first == UInt8(ascii: "-") || (0x30...0x39).contains(first) else {
                return nil
            }
            guard value.dropFirst().utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            let longest = 400.0 * 86_400
            guard first != UInt8(ascii: "-"), let seconds = Double(value), seconds > 0 else { return .distantPast }
            return now.addingTimeInterval(min(seconds, longest))
        }
    }
}
