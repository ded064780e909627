/// The rules for how the cookies of one response change the stored ones (RFC 6265bis, section 5.7).
package enum CookieStoreRule {
    /// The maximum number of `Set-Cookie` fields that are read from one response; later ones are ignored.
    package static let maximumFields = 180
    /// The maximum number of cookies for one site, including its subdomains.
    package static let maximumPerSite = 180
    /// The maximum number of cookies in a storage.
    package static let maximumTotal = 3_000

    /// The changes to make to a storage.
    package struct Changes {
        package var removed: [HTTPCookie] = []
        package var stored: [HTTPCookie] = []
        /// For each stored cookie that replaces another, the cookie whose creation time it keeps (section 5.7).
        package var origins: [Key: HTTPCookie] = [:]

        package init(removed: [HTTPCookie] = [], stored: [HTTPCookie] = [], origins: [Key: HTTPCookie] = [:]) {
            (self.removed, self.stored, self.origins) = (removed, stored, origins)
        }
    }

    /// The identity of a cookie in the storage, as bytes: comparing hostile text as strings takes quadratic time.
    ///
    /// As in FoundationNetworking, a path `/a` with a name `b` and a path `/` with a name `ab` are the same.
    package struct Key: Hashable {
        private let bytes: [UInt8]

        package init(_ cookie: HTTPCookie) {
            var bytes = Array(cookie.domain.folded.utf8)
            bytes += cookie.path.utf8
            bytes += cookie.name.utf8
            self.bytes = bytes
        }

        /// Hashes all bytes at once, where an array would hash them one by one.
        package func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }
    }

    /// The facts about the response that the rules need.
    package struct Context {
        /// Whether the response was received over https.
        package var isSecure: Bool
        /// The domain that is limited to `maximumPerSite` cookies; see ``CookieStoreRule/site(of:isAcceptable:)``.
        package var site: String
        package var now: Date

        package init(isSecure: Bool, site: String, now: Date) {
            (self.isSecure, self.site, self.now) = (isSecure, site, now)
        }
    }

    /// Decides which cookies of one response are stored, in linear time; `lastUse` returns when a cookie was last sent
    /// or set.
    ///
    /// `cookies` are in the order of their fields; an expired cookie deletes a stored one. At most as many stored
    /// cookies are evicted as are added, so that the application can store more of its own. Cookies of other sites are
    /// looked at only if there may be too many in all.
    package static func changes(
        setting cookies: [HTTPCookie],
        among known: CookieIndex,
        _ context: Context,
        lastUse: (HTTPCookie) -> Date
    ) -> Changes {
        let isExpired: (HTTPCookie) -> Bool = { $0.expiresDate.map { $0 <= context.now } ?? false }
        let domains = topmost([context.site] + cookies.map { CookieDomain($0).host })
        let isRelated: (String) -> Bool = { host in domains.contains { areRelated(host, $0) } }
        let related = known.cookies(where: isRelated)
        var old = Dictionary(related.map { (Key($0), $0) }) { $1 }
        let guarded = context.isSecure ? [] : related.filter { $0.isSecure && !isExpired($0) }
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
        // Setting a cookie counts as using it (section 5.7), so these are evicted last.
        let justSet = Set(new.values.map(ObjectIdentifier.init))
        let evicted = evicted(
            from: Array(kept.values) + new.values,
            adding: added,
            site: context.site,
            others: { adding in
                guard known.count + adding > maximumTotal else { return nil }
                return known.cookies { !isRelated($0) }.filter { !isExpired($0) }
            },
            lastUse: { justSet.contains(ObjectIdentifier($0)) ? .distantFuture : lastUse($0) }
        )
        for cookie in evicted {
            let key = Key(cookie)
            if new[key] == nil { old[key] = cookie }
            (new[key], origins[key]) = (nil, nil)
            gone.insert(key)
        }
        return Changes(removed: gone.compactMap { old[$0] }, stored: Array(new.values), origins: origins)
    }

    /// Whether a cookie from plain http would hide a `Secure` one (section 5.7, "leave secure cookies alone").
    ///
    /// Both have the same name, one domain includes the other, and the path is within the other's.
    package static func overlays(_ cookie: HTTPCookie, _ secure: HTTPCookie) -> Bool {
        cookie.name.utf8.elementsEqual(secure.name.utf8)
            && areRelated(CookieDomain(cookie).host, CookieDomain(secure).host)
            && CookieRule.pathMatches(cookie.path, secure.path)
    }

    /// Returns the registrable domain of a host: the topmost domain that the host may set cookies for.
    package static func site(of host: String, isAcceptable: CookieRule.DomainTest) -> String {
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

    /// Returns the cookies to evict: from a site with too many, those without `Secure` first; then, from that site as
    /// from the whole storage, the least recently used (section 5.7).
    ///
    /// `others` returns the cookies that are not in the list, or `nil` if a number can be added without evicting.
    private static func evicted(
        from cookies: [HTTPCookie],
        adding added: Int,
        site: String,
        others: (_ adding: Int) -> [HTTPCookie]?,
        lastUse: (HTTPCookie) -> Date
    ) -> [HTTPCookie] {
        func first(_ count: Int, of cookies: [HTTPCookie], isSecureLast: Bool = false) -> [HTTPCookie] {
            guard count > 0 else { return [] }
            return cookies.map { cookie in
                let group = isSecureLast && cookie.isSecure ? 1 : 0
                return RankedCookie(cookie, group: group, time: lastUse(cookie).timeIntervalSinceReferenceDate)
            }.sorted().prefix(count).map(\.cookie)
        }
        let ofSite = cookies.count > maximumPerSite ? cookies.filter { areRelated(CookieDomain($0).host, site) } : []
        let evicted = first(min(ofSite.count - maximumPerSite, added), of: ofSite, isSecureLast: true)
        let rest = added - evicted.count
        guard rest > 0, let others = others(rest) else { return evicted }
        let gone = Set(evicted.map(ObjectIdentifier.init))
        let left = cookies.filter { !gone.contains(ObjectIdentifier($0)) } + others
        return evicted + first(min(left.count - maximumTotal, rest), of: left)
    }

    /// Returns the domains without those that are below others.
    private static func topmost(_ domains: [String]) -> [String] {
        domains.reduce(into: []) { topmost, domain in
            guard !topmost.contains(where: { CookieRule.domainMatches(domain, $0) }) else { return }
            topmost.removeAll { CookieRule.domainMatches($0, domain) }
            topmost.append(domain)
        }
    }

    /// Whether one domain is the other or includes it.
    private static func areRelated(_ first: String, _ second: String) -> Bool {
        CookieRule.domainMatches(first, second) || CookieRule.domainMatches(second, first)
    }
}
