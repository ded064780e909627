internal import CFerry

/// The cookies of one session: Ferry's rules applied to the configuration's storage.
///
/// `@unchecked Sendable`: all properties are constants of thread-safe types.
final class CookieJar: @unchecked Sendable {
    private let writer: CookieWriter
    private let sendsCookies: Bool
    private let policy: HTTPCookie.AcceptPolicy
    private let times = Mutex(CookieTimes())

    /// Makes a jar; `nil` for a session that keeps no cookies.
    init?(_ configuration: URLSessionConfiguration) {
        guard let storage = configuration.httpCookieStorage else { return nil }
        writer = CookieWriter(storage)
        sendsCookies = configuration.httpShouldSetCookies
        policy = configuration.httpCookieAcceptPolicy
    }

    /// Returns the value of `Cookie` for a request that does not set it, or `nil` if no cookie is sent.
    func header(for request: URLRequest) -> String? {
        guard sendsCookies, request.httpShouldHandleCookies, let url = request.url else { return nil }
        guard request.value(forHTTPHeaderField: "Cookie") == nil else { return nil }
        let cookies = writer.cookies
        guard !cookies.isEmpty, let target = CookieRequest(url) else { return nil }
        let now = Date()
        let chosen = CookieRule.cookies(for: target, from: cookies, now: now)
        guard !chosen.isEmpty else { return nil }
        let known = times.withLock { times in
            times.noteUse(of: chosen, among: cookies, at: now)
            return times
        }
        return CookieRule.header(CookieRule.sorted(chosen, creation: known.creation))
    }

    /// Stores the cookies that a response sets; each field is parsed separately, since values may contain commas.
    func store(_ fields: [ResponseHead.Field], for request: URLRequest) {
        let values = fields.filter { $0.name.isEqualIgnoringCase("set-cookie") }.prefix(CookieStoreRule.maximumFields)
        guard !values.isEmpty, policy != .never, request.httpShouldHandleCookies, let url = request.url,
            let origin = CookieRequest(url), isFromMainDocument(origin.host, request)
        else { return }
        let now = Date()
        let cookies = values.compactMap { field in
            CookieRule.parse(field.value, from: url, now: now, isAcceptable: Self.isAcceptable)
        }
        guard !cookies.isEmpty else { return }
        let known = writer.cookies
        let context = CookieStoreRule.Context(
            isSecure: origin.isSecure,
            site: CookieStoreRule.site(of: origin.host, isAcceptable: Self.isOfOneSite),
            now: now
        )
        let times = times.withLock { $0 }
        let changes = CookieStoreRule.changes(setting: cookies, among: known, context, lastUse: times.lastUse)
        self.times.withLock { $0.note(changes, among: known.count) }
        writer.apply(changes, to: known)
    }

    /// Discards the cookies that have not been written to the storage yet.
    func discard() {
        writer.discard()
    }

    /// Calls a handler once all cookies received so far are in the storage.
    func afterWriting(_ handler: @escaping @Sendable () -> Void) {
        writer.afterWriting(handler)
    }

    private func isFromMainDocument(_ host: String, _ request: URLRequest) -> Bool {
        guard policy == .onlyFromMainDocumentDomain, let written = request.mainDocumentURL?.host else { return true }
        guard let main = (try? URLHost(written))?.name else { return false }
        return CookieRule.domainMatches(host, main) || CookieRule.domainMatches(main, host)
    }

    private static func isAcceptable(_ host: String, _ domain: String) -> Bool {
        switch ferry_cookie_domain_acceptable(host, domain) {
        case 1: true
        case 0: false
        default: CookieRule.hasTwoLabels(domain)
        }
    }

    /// Returns a Boolean value that indicates whether a domain belongs to one owner, for counting its cookies.
    private static func isOfOneSite(_ host: String, _ domain: String) -> Bool {
        switch ferry_cookie_domain_acceptable(host, domain) {
        case 1: true
        case 0: false
        // Without the list, two labels may be a public suffix, whose cookies belong to many owners.
        default: domain.utf8.count { $0 == UInt8(ascii: ".") } >= 2
        }
    }
}
