/// The times at which cookies were first set and last used, where the storage does not know them.
///
/// `HTTPCookie` has the time at which its object was made. A cookie that replaces another of the same name keeps the
/// time of the first (RFC 6265bis, section 5.7), which is recorded here.
struct CookieTimes {
    private struct Replacement {
        /// When the object in the storage was made.
        var made: TimeInterval
        /// When a cookie of this name was first set.
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

    /// Returns the time at which a cookie was last sent, or at which it was set if it never was.
    func lastUse(of cookie: HTTPCookie) -> Date {
        let made = Date(timeIntervalSinceReferenceDate: Self.made(cookie))
        return uses[CookieStoreRule.Key(cookie)].map { max($0, made) } ?? made
    }

    /// Records that cookies are sent; `all` are the cookies in the storage.
    mutating func noteUse(of cookies: [HTTPCookie], among all: [HTTPCookie], at now: Date) {
        for cookie in cookies { uses[CookieStoreRule.Key(cookie)] = now }
        // From time to time, drop the times of cookies that no longer exist.
        guard uses.count > Self.limit(all.count) else { return }
        let present = Set(all.map(CookieStoreRule.Key.init))
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
