/// The cookies of a storage by the hosts of their domains, so that a request looks only at those that it may send.
///
/// A cookie must not change while it is in the index.
package struct CookieIndex: Sendable {
    private var byHost: [String: [HTTPCookie]] = [:]
    /// The cookies as the storage lists them; empty after other changes.
    private var list: [HTTPCookie] = []
    package private(set) var count = 0

    /// Makes the index of a list without duplicates.
    package init(_ cookies: [HTTPCookie] = []) { update(to: cookies) }

    /// All cookies, in no particular order.
    package var all: [HTTPCookie] { cookies { _ in true } }

    /// Returns the cookies of the hosts that pass a test.
    package func cookies(where isIncluded: (_ host: String) -> Bool) -> [HTTPCookie] {
        byHost.flatMap { isIncluded($0.key) ? $0.value : [] }
    }

    /// Returns the cookies of a host and of its parent domains, which include all that are sent to the host.
    package func cookies(for host: String) -> [HTTPCookie] {
        var cookies = byHost[host] ?? []
        var rest = host.utf8[...]
        while let dot = rest.firstIndex(of: UInt8(ascii: ".")) {
            rest = rest[rest.index(after: dot)...]
            if let more = byHost[String(Substring(rest))] { cookies += more }
        }
        return cookies
    }

    /// Makes this the index of a storage's cookies, which are listed without duplicates.
    ///
    /// A storage lists the same objects in the same order until it is changed, and does not report a change. Comparing
    /// thousands of addresses takes a few microseconds, and only the difference is indexed.
    package mutating func update(to cookies: [HTTPCookie]) {
        if list.isEmpty { (byHost, count) = ([:], 0) }
        let shorter = min(list.count, cookies.count)
        let start = (0..<shorter).first { list[$0] !== cookies[$0] } ?? shorter
        guard start < list.count || start < cookies.count else { return }
        let rest = zip(list[start...].reversed(), cookies[start...].reversed())
        let end = rest.enumerated().first { $1.0 !== $1.1 }?.offset ?? (shorter - start)
        let (before, after) = (list[start..<(list.count - end)], cookies[start..<(cookies.count - end)])
        let (known, present) = (Set(before.map(ObjectIdentifier.init)), Set(after.map(ObjectIdentifier.init)))
        let gone = known.subtracting(present)
        remove(before.filter { gone.contains(ObjectIdentifier($0)) }) { gone.contains(ObjectIdentifier($0)) }
        for cookie in after where !known.contains(ObjectIdentifier(cookie)) { insert(cookie) }
        list = cookies
    }

    /// Removes cookies, stores others in place of those with the same keys, and returns the keys of what is gone.
    package mutating func change(
        removing removed: [HTTPCookie],
        storing stored: [HTTPCookie]
    ) -> Set<CookieStoreRule.Key> {
        let keys = Set((removed + stored).map(CookieStoreRule.Key.init))
        var gone: Set<CookieStoreRule.Key> = []
        remove(removed + stored) { cookie in
            let key = CookieStoreRule.Key(cookie)
            if keys.contains(key) { gone.insert(key) }
            return gone.contains(key)
        }
        for cookie in stored { insert(cookie) }
        list = []
        return gone
    }

    private mutating func insert(_ cookie: HTTPCookie) {
        byHost[Self.host(cookie), default: []].append(cookie)
        count += 1
    }

    /// Removes the cookies that pass a test from the hosts of these cookies.
    private mutating func remove(_ cookies: [HTTPCookie], where isRemoved: (HTTPCookie) -> Bool) {
        for host in Set(cookies.map(Self.host)) {
            guard let all = byHost[host] else { continue }
            let kept = all.filter { !isRemoved($0) }
            byHost[host] = kept.isEmpty ? nil : kept
            count -= all.count - kept.count
        }
    }

    private static func host(_ cookie: HTTPCookie) -> String { CookieDomain(cookie).host }
}
