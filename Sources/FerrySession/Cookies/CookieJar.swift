internal import CFerry

/// The cookies of one session: rules of Ferry's own over the configuration's storage.
///
/// `@unchecked Sendable`: the storage is thread-safe, all else never changes.
final class CookieJar: @unchecked Sendable {
    private let storage: HTTPCookieStorage
    private let sendsCookies: Bool
    private let policy: HTTPCookie.AcceptPolicy

    /// Makes a jar, or `nil` for a session that keeps no cookies.
    init?(_ configuration: URLSessionConfiguration) {
        guard let storage = configuration.httpCookieStorage else { return nil }
        self.storage = storage
        sendsCookies = configuration.httpShouldSetCookies
        policy = configuration.httpCookieAcceptPolicy
    }

    /// The value of `Cookie` for a request that has none of its own.
    func header(for request: URLRequest) -> String? {
        guard sendsCookies, request.httpShouldHandleCookies, let url = request.url else { return nil }
        guard request.value(forHTTPHeaderField: "Cookie") == nil else { return nil }
        guard let cookies = storage.cookies, !cookies.isEmpty else { return nil }
        return CookieRule.header(for: url, from: cookies, now: Date())
    }

    /// Stores what an answer sets: every field by itself, since values may hold commas.
    func store(_ fields: [ResponseHead.Field], for request: URLRequest) {
        let values = fields.lazy.filter { $0.name.isEqualIgnoringCase("set-cookie") }.map(\.value)
        guard !values.isEmpty, policy != .never, request.httpShouldHandleCookies, let url = request.url,
            isFromMainDocument(url, request)
        else { return }
        let now = Date()
        for value in values {
            guard let cookie = CookieRule.parse(value, from: url, now: now, isAcceptable: Self.isAcceptable) else {
                continue
            }
            if let expires = cookie.expiresDate, expires <= now {
                remove(cookie)
            } else {
                storage.setCookie(cookie)
            }
        }
    }

    private func remove(_ cookie: HTTPCookie) {
        let old = storage.cookies?.first {
            $0.name == cookie.name && $0.path == cookie.path && $0.domain.lowercased() == cookie.domain.lowercased()
        }
        if let old { storage.deleteCookie(old) }
    }

    private func isFromMainDocument(_ url: URL, _ request: URLRequest) -> Bool {
        guard policy == .onlyFromMainDocumentDomain, let main = request.mainDocumentURL?.host?.lowercased() else {
            return true
        }
        guard let host = url.host?.lowercased() else { return false }
        return CookieRule.domainMatches(host, main) || CookieRule.domainMatches(main, host)
    }

    private static func isAcceptable(_ host: String, _ domain: String) -> Bool {
        switch ferry_cookie_domain_acceptable(host, domain) {
        case 1: true
        case 0: false
        default: CookieRule.hasTwoLabels(domain)
        }
    }
}
