/// How the cookies of one response change those that are stored (RFC 6265bis, section 5.7).
enum CookieStoreRule {
    /// How many `Set-Cookie` fields of one response are read; those behind them are ignored.
    static let maximumFields = 180

    /// How many cookies one site keeps, with all its subdomains.
    static let maximumPerSite = 180

    /// How many cookies a storage keeps.
    static let maximumTotal = 3_000

    /// What is to be done to the storage.
    struct Changes {
        var removed: [HTTPCookie] = []
        var stored: [HTTPCookie] = []
        /// For each stored cookie that replaces another, the one whose time of creation it keeps (section 5.7).
        var origins: [Key: HTTPCookie] = [:]
    }

    /// What tells two cookies apart; compared byte by byte, since comparing hostile text as strings takes quadratic time.
    ///
    /// It is what FoundationNetworking's storage tells them apart by: a path `/a` with a name `b` and a path `/` with a
    /// name `ab` are the same to it.
    struct Key: Hashable {
        private let bytes: [UInt8]

        init(_ cookie: HTTPCookie) {
            bytes = Array(cookie.domain.folded.utf8) + Array(cookie.path.utf8) + Array(cookie.name.utf8)
        }
    }

    /// What is known about the response.
    struct Context {
        /// Whether the response came over https.
        var isSecure: Bool
        /// The domain of which `maximumPerSite` cookies are kept: see ``CookieStoreRule/site(of:isAcceptable:)``.
        var site: String
        var now: Date
    }

    /// Decides what becomes of the cookies of one response, in time linear in them and in those that are stored.
    ///
    /// No more cookies are evicted than are added, so that a program may put more of its own into the storage.
    ///
    /// - Parameters:
    ///   - cookies: The cookies in the order of their fields; one that has expired deletes.
    ///   - known: What the storage has.
    ///   - context: What is known about the response.
    ///   - lastUse: When a cookie was last sent or set.
    /// - Returns: What is to be done to the storage.
    static func changes(
        setting cookies: [HTTPCookie],
        among known: [HTTPCookie],
        _ context: Context,
        lastUse: (HTTPCookie) -> Date
    ) -> Changes {
        let isExpired: (HTTPCookie) -> Bool = { $0.expiresDate.map { $0 <= context.now } ?? false }
        let old = Dictionary(known.map { (Key($0), $0) }) { $1 }
        let guarded = context.isSecure ? [] : known.filter { $0.isSecure && !isExpired($0) }
        let guardedByName = Dictionary(grouping: guarded) { Array($0.name.utf8) }
        var new: [Key: HTTPCookie] = [:]
        var gone: Set<Key> = []
        var origins: [Key: HTTPCookie] = [:]
        for cookie in cookies {
            let key = Key(cookie)
            // The storage could not keep both.
            if !context.isSecure, let other = old[key], other.isSecure, !isExpired(other) { continue }
            if let others = guardedByName[Array(cookie.name.utf8)], others.contains(where: { overlays(cookie, $0) }) {
                continue
            }
            if isExpired(cookie) {
                (new[key], origins[key]) = (nil, nil)
                gone.insert(key)
            } else {
                let before = gone.contains(key) ? nil : old[key].flatMap { isExpired($0) ? nil : $0 }
                origins[key] = origins[key] ?? new[key] ?? before
                new[key] = cookie
                gone.remove(key)
            }
        }
        let added = new.keys.count { key in old[key].map(isExpired) ?? true }
        let kept = old.filter { !gone.contains($0.key) && new[$0.key] == nil && !isExpired($0.value) }
        // What is set now is used now (section 5.7), and goes last.
        let justSet = Set(new.keys)
        let use = { (key: Key, cookie: HTTPCookie) in justSet.contains(key) ? Date.distantFuture : lastUse(cookie) }
        for key in evicted(from: kept.merging(new) { $1 }, adding: added, site: context.site, lastUse: use) {
            (new[key], origins[key]) = (nil, nil)
            gone.insert(key)
        }
        return Changes(removed: gone.compactMap { old[$0] }, stored: Array(new.values), origins: origins)
    }

    /// Returns a Boolean value that indicates whether a cookie from plain http would hide a `Secure` one (section 5.7,
    /// "leave secure cookies alone"): the same name, domains one within the other, and a path within the other's.
    static func overlays(_ cookie: HTTPCookie, _ secure: HTTPCookie) -> Bool {
        guard cookie.name.utf8.elementsEqual(secure.name.utf8) else { return false }
        let (first, second) = (CookieDomain(cookie).host, CookieDomain(secure).host)
        guard CookieRule.domainMatches(first, second) || CookieRule.domainMatches(second, first) else { return false }
        return CookieRule.pathMatches(cookie.path, secure.path)
    }

    /// The registrable domain of a host: the topmost domain that the host may set cookies for.
    static func site(of host: String, isAcceptable: (_ host: String, _ domain: String) -> Bool) -> String {
        // No name is longer (RFC 1035, section 2.3.4).
        guard CookieRule.isName(host), host.utf8.count <= 255 else { return host }
        var site = host
        while let dot = site.utf8.firstIndex(of: UInt8(ascii: ".")) {
            let parent = String(site[site.utf8.index(after: dot)...])
            guard !parent.isEmpty, isAcceptable(host, parent) else { break }
            site = parent
        }
        return site
    }

    /// The cookies that have to go: of a site with too many those without `Secure` first, then, as of all where there
    /// are too many, those that were used longest ago (section 5.7).
    private static func evicted(
        from cookies: [Key: HTTPCookie],
        adding added: Int,
        site: String,
        lastUse: (Key, HTTPCookie) -> Date
    ) -> Set<Key> {
        var evicted: Set<Key> = []
        let ofSite = cookies.count > maximumPerSite ? cookies.filter { belongs($0.value, to: site) } : [:]
        let surplusOfSite = min(ofSite.count - maximumPerSite, added)
        if surplusOfSite > 0 {
            let order = ofSite.map { (key: $0.key, isSecure: $0.value.isSecure, date: lastUse($0.key, $0.value)) }
                .sorted { $0.isSecure == $1.isSecure ? $0.date < $1.date : !$0.isSecure }
            evicted.formUnion(order.prefix(surplusOfSite).map(\.key))
        }
        let surplus = min(cookies.count - evicted.count - maximumTotal, added - evicted.count)
        if surplus > 0 {
            let order = cookies.filter { !evicted.contains($0.key) }.map {
                (key: $0.key, date: lastUse($0.key, $0.value))
            }
            .sorted { $0.date < $1.date }
            evicted.formUnion(order.prefix(surplus).map(\.key))
        }
        return evicted
    }

    private static func belongs(_ cookie: HTTPCookie, to site: String) -> Bool {
        let domain = CookieDomain(cookie).host
        return CookieRule.domainMatches(domain, site) || CookieRule.domainMatches(site, domain)
    }
}
