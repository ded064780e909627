/// When cookies were first set and last used, as far as the storage does not know it.
///
/// `HTTPCookie` has the time at which its object was made. A cookie that replaces another of the same name keeps the time
/// of the first (RFC 6265bis, section 5.7), and that is kept here.
struct CookieTimes {
    private struct Replacement {
        /// When the object was made that is in the storage.
        var made: TimeInterval
        /// When a cookie of its name was first set.
        var first: TimeInterval
    }

    private var uses: [CookieStoreRule.Key: Date] = [:]
    private var replacements: [CookieStoreRule.Key: Replacement] = [:]

    /// Returns when a cookie was first set, in seconds since the reference date.
    func creation(of cookie: HTTPCookie) -> TimeInterval {
        let made = Self.made(cookie)
        // A cookie that a program has set itself, or another session, is not the one that was noted.
        guard !replacements.isEmpty, let noted = replacements[CookieStoreRule.Key(cookie)], noted.made == made else {
            return made
        }
        return noted.first
    }

    /// Returns when a cookie was last sent, or when it was set.
    func lastUse(of cookie: HTTPCookie) -> Date {
        let made = Date(timeIntervalSinceReferenceDate: Self.made(cookie))
        return uses[CookieStoreRule.Key(cookie)].map { max($0, made) } ?? made
    }

    /// Notes that cookies are sent; `all` are those that the storage has.
    mutating func noteUse(of cookies: [HTTPCookie], among all: [HTTPCookie], at now: Date) {
        for cookie in cookies { uses[CookieStoreRule.Key(cookie)] = now }
        // Times of cookies that are gone are dropped now and then.
        guard uses.count > Self.limit(all.count) else { return }
        let present = Set(all.map(CookieStoreRule.Key.init))
        uses = uses.filter { present.contains($0.key) }
    }

    /// Notes which cookies of a response replace others; `count` is how many the storage had before.
    mutating func note(_ changes: CookieStoreRule.Changes, among count: Int) {
        for cookie in changes.removed { replacements[CookieStoreRule.Key(cookie)] = nil }
        var added: [CookieStoreRule.Key: Replacement] = [:]
        for cookie in changes.stored {
            let key = CookieStoreRule.Key(cookie)
            if let origin = changes.origins[key] {
                added[key] = Replacement(made: Self.made(cookie), first: creation(of: origin))
            }
        }
        // Those of cookies that have expired are never asked for again.
        if replacements.count + added.count > Self.limit(count) { replacements = [:] }
        replacements.merge(added) { $1 }
    }

    private static func limit(_ count: Int) -> Int { 2 * max(CookieStoreRule.maximumTotal, count) }

    private static func made(_ cookie: HTTPCookie) -> TimeInterval {
        cookie.properties?[HTTPCookiePropertyKey("Created")] as? TimeInterval ?? -.greatestFiniteMagnitude
    }
}
