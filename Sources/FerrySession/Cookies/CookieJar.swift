/// The cookies of one session: Ferry's rules applied to the configuration's storage.
///
/// `@unchecked Sendable`: all properties are constants of thread-safe types.
final class CookieJar: @unchecked Sendable {
    let writer: CookieWriter
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
        let known = writer.known.cookies
        guard known.count > 0, request.value(forHTTPHeaderField: "Cookie") == nil, let target = CookieRequest(url)
        else { return nil }
        let now = Date.current
        let chosen = CookieRule.cookies(for: target, from: known.cookies(for: target.host), now: now)
        guard !chosen.isEmpty else { return nil }
        let sorted = times.withLock { times in
            times.noteUse(of: chosen, among: known, at: now)
            return CookieRule.sorted(chosen, creation: times.creation)
        }
        return CookieRule.header(sorted)
    }

    /// Stores the cookies that a response sets; each field is parsed separately, since values may contain commas.
    func store(_ fields: [ResponseHead.Field], for request: URLRequest) {
        let values = fields.filter { $0.name.isEqualIgnoringCase("set-cookie") }.prefix(CookieStoreRule.maximumFields)
        guard !values.isEmpty, policy != .never, request.httpShouldHandleCookies, let url = request.url,
            let origin = CookieRequest(url), isFromMainDocument(origin.host, request)
        else { return }
        let now = Date.current
        let cookies = values.compactMap { field in
            CookieRule.parse(field.value, from: url, now: now, isAcceptable: Self.isAcceptable)
        }
        guard !cookies.isEmpty else { return }
        let known = writer.known
        let context = CookieStoreRule.Context(isSecure: origin.isSecure, site: Self.site(of: origin.host), now: now)
        let times = times.withLock { $0 }
        let changes = CookieStoreRule.changes(setting: cookies, among: known.cookies, context, lastUse: times.lastUse)
        self.times.withLock { $0.note(changes, among: known.cookies.count) }
        writer.apply(changes, to: known)
    }

    private func isFromMainDocument(_ host: String, _ request: URLRequest) -> Bool {
        guard policy == .onlyFromMainDocumentDomain, let written = request.mainDocumentURL?.host else { return true }
        guard let main = (try? URLHost(written))?.exactName else { return false }
        if CookieRule.domainMatches(host, main) || CookieRule.domainMatches(main, host) { return true }
        return Self.site(of: host) == Self.site(of: main)
    }

    private static func isAcceptable(_ host: String, _ domain: String) -> Bool {
        PublicSuffixes.allow(host, cookiesFor: domain) ?? CookieRule.hasTwoLabels(domain)
    }

    /// Returns the domain of a host that belongs to one owner, or the host itself.
    static func site(of host: String) -> String { CookieStoreRule.site(of: host, isAcceptable: isOfOneSite) }

    private static func isOfOneSite(_ host: String, _ domain: String) -> Bool {
        // Without the list, two labels may be a public suffix, whose names belong to many owners.
        PublicSuffixes.allow(host, cookiesFor: domain) ?? (domain.utf8.count { $0 == UInt8(ascii: ".") } >= 2)
    }
}

/// The times at which cookies were first set and last used, where the storage does not know them.
///
/// `HTTPCookie` has the time at which its object was made. A cookie that replaces another of the same name keeps the
/// time of the first (RFC 6265bis, section 5.7), which is recorded here.
struct CookieTimes {
    private struct Replacement {
        /// The time when the object in the storage was made.
        var made: TimeInterval
        /// The time when a cookie of this name was first set.
        var first: TimeInterval
    }

    private var uses: [CookieStoreRule.Key: Date] = [:]
    private var replacements: [CookieStoreRule.Key: Replacement] = [:]

    /// Returns the time at which a cookie was first set, in seconds since the reference date.
    func creation(of cookie: HTTPCookie) -> TimeInterval {
        let made = Self.made(cookie)
        // A cookie set by the program or another session is not the recorded one.
        guard !replacements.isEmpty, let noted = replacements[CookieStoreRule.Key(cookie)], noted.made == made else {
            return made
        }
        return noted.first
    }

    /// Returns the time at which a cookie was last sent, or at which it was set if it was never sent.
    func lastUse(of cookie: HTTPCookie) -> Date {
        let made = Date(timeIntervalSinceReferenceDate: Self.made(cookie))
        return uses[CookieStoreRule.Key(cookie)].map { max($0, made) } ?? made
    }

    /// Records that cookies are sent; `known` are the cookies in the storage.
    mutating func noteUse(of cookies: [HTTPCookie], among known: CookieIndex, at now: Date) {
        for cookie in cookies { uses[CookieStoreRule.Key(cookie)] = now }
        // From time to time, drop the times of cookies that no longer exist.
        guard uses.count > Self.limit(known.count) else { return }
        let present = Set(known.all.map(CookieStoreRule.Key.init))
        uses = uses.filter { present.contains($0.key) }
    }

    /// Records which cookies of a response replace others; `count` is how many the storage had before.
    mutating func note(_ changes: CookieStoreRule.Changes, among count: Int) {
        for cookie in changes.removed { replacements[CookieStoreRule.Key(cookie)] = nil }
        var added: [CookieStoreRule.Key: Replacement] = [:]
        for cookie in changes.stored {
            let key = CookieStoreRule.Key(cookie)
            if let origin = changes.origins[key] {
                added[key] = Replacement(made: Self.made(cookie), first: creation(of: origin))
            }
        }
        // The times of expired cookies are never used again.
        if replacements.count + added.count > Self.limit(count) { replacements = [:] }
        replacements.merge(added) { $1 }
    }

    private static func limit(_ count: Int) -> Int { 2 * max(CookieStoreRule.maximumTotal, count) }

    private static func made(_ cookie: HTTPCookie) -> TimeInterval {
        cookie.properties?[HTTPCookiePropertyKey("Created")] as? TimeInterval ?? -.greatestFiniteMagnitude
    }
}
