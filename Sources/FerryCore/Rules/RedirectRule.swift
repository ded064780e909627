/// The rules for how a redirect changes the request (RFC 9110, section 15.4).
package enum RedirectRule {
    /// Fields that identify the user, and are therefore never sent to another origin.
    package static let credentialHeaders: Set<String> = ["authorization", "cookie", "proxy-authorization"]

    /// Fields that describe a body, and are dropped with it.
    package static let bodyHeaders: Set<String> = [
        "content-length", "content-type", "content-encoding", "content-language", "content-location", "content-md5",
        "content-range", "content-digest", "content-disposition", "digest", "last-modified", "repr-digest",
        "transfer-encoding", "expect", "trailer",
    ]

    /// Whether the status is a redirect to follow; 300, 304, 305 and 306 are not.
    package static func isRedirect(_ status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }

    /// Returns the method of the new request, and whether it keeps the body.
    package static func method(_ method: String, status: Int) -> (method: String, keepsBody: Bool) {
        switch status {
        case 301, 302: method == "POST" ? ("GET", false) : (method, true)
        case 303: (method == "HEAD" ? "HEAD" : "GET", false)
        default: (method, true)
        }
    }

    /// Returns the new request and whether it keeps the body, or `nil` if the redirect cannot be followed.
    ///
    /// `sensitiveHeaders` are additional field names, in lower case, that must not leave the origin. `upgrade` returns
    /// the URL that is requested in place of the target.
    package static func redirect(
        _ request: URLRequest,
        status: Int,
        location: String,
        allowsDowngrade: Bool,
        sensitiveHeaders: Set<String> = [],
        upgrading upgrade: (URL) -> URL = { $0 }
    ) -> (request: URLRequest, keepsBody: Bool)? {
        guard isRedirect(status), let base = request.url, let target = resolve(location, against: base).map(upgrade),
            let scheme = target.scheme?.lowercased(), scheme == "http" || scheme == "https"
        else { return nil }
        if scheme == "http", base.scheme?.lowercased() == "https", !allowsDowngrade { return nil }

        var next = request
        let (method, keepsBody) = method(request.httpMethod ?? "GET", status: status)
        next.url = URLReference.namesAuthority(location) ? withUser(of: base, target.presentable) : target
        next.httpMethod = method
        if !keepsBody {
            next.httpBody = nil
            next.httpBodyStream = nil
        }
        if !keepsBody { remove(from: &next) { bodyHeaders.contains($0) } }
        return (withoutSecrets(next, from: base, sensitiveHeaders: sensitiveHeaders), keepsBody)
    }

    /// Returns the URL with which the handshake of a WebSocket is requested (RFC 6455, section 4.1).
    package static func handshakeURL(_ url: URL) -> URL {
        guard let scheme = url.scheme?.lowercased(), scheme == "ws" || scheme == "wss" else { return url }
        return URL(string: "http" + url.absoluteString.dropFirst("ws".count)) ?? url
    }

    /// Returns a URL with the user and password of another URL of its origin; those of a `Location` are not used.
    private static func withUser(of base: URL, _ url: URL) -> URL {
        guard Origin(base) == Origin(url), let user = base.user(percentEncoded: true),
            var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return url }
        components.percentEncodedUser = user
        components.percentEncodedPassword = base.password(percentEncoded: true)
        return components.url ?? url
    }

    /// Returns the request without the fields that must not leave the origin of `base`.
    package static func withoutSecrets(
        _ request: URLRequest,
        from base: URL,
        sensitiveHeaders: Set<String>
    ) -> URLRequest {
        guard let target = request.url, Origin(base) != Origin(target) else { return request }
        var safe = request
        // A Host of the caller names the server in place of the URL, so it does not apply to another one.
        remove(from: &safe) { $0 == "host" || credentialHeaders.contains($0) || sensitiveHeaders.contains($0) }
        // RFC 9110, section 10.1.3: another origin does not learn the https URL from which the user comes.
        if safe.value(forHTTPHeaderField: "Referer")?.lowercased().hasPrefix("https:") == true {
            safe.setValue(nil, forHTTPHeaderField: "Referer")
        }
        return safe
    }

    /// Returns `next`, which a delegate has made from `asked`, without the secrets of `asked` if it is for another
    /// origin, except those that the delegate has set itself; `names` are the names of additional sensitive fields.
    package static func withholdSecrets(of asked: URLRequest, in next: URLRequest, _ names: Set<String>) -> URLRequest {
        guard let base = asked.url else { return next }
        let safe = withoutSecrets(next, from: base, sensitiveHeaders: names).allHTTPHeaderFields ?? [:]
        var result = next
        for (name, value) in next.allHTTPHeaderFields ?? [:]
        where safe[name] == nil && asked.value(forHTTPHeaderField: name) == value {
            result.setValue(nil, forHTTPHeaderField: name)
        }
        return result
    }

    private static func remove(from request: inout URLRequest, where isRemoved: (_ foldedName: String) -> Bool) {
        for name in (request.allHTTPHeaderFields ?? [:]).keys where isRemoved(name.lowercased()) {
            request.setValue(nil, forHTTPHeaderField: name)
        }
    }

    /// Resolves a reference as in RFC 3986, section 5.2; the fragment is inherited (RFC 9110, section 10.2.2).
    ///
    /// It returns `nil` for a URL with a host or port to which no request can be sent.
    package static func resolve(_ location: String, against base: URL) -> URL? {
        guard var url = URLReference.resolve(location, against: base) else { return nil }
        let text = url.absoluteString
        guard let host = Authority(text)?.host, (try? URLHost(String(text[host]))) != nil,
            url.port.map({ (1...65_535).contains($0) }) ?? true
        else { return nil }
        if url.fragment == nil, let fragment = base.fragment(percentEncoded: true) {
            url = URL(string: url.absoluteString + "#" + fragment) ?? url
        }
        return url
    }
}
