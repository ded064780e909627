/// The age of a response, and how long it is fresh (RFC 9111, section 4.2).
struct CacheFreshness: Hashable, Sendable {
    /// In seconds, like the age.
    let lifetime: Double
    let age: Double

    var isFresh: Bool { lifetime > age }

    /// The seconds since the response became stale; zero or negative while it is fresh.
    var staleness: Double { age - lifetime }

    init(lifetime: Double, age: Double) {
        self.lifetime = lifetime
        self.age = age
    }

    /// Computes age and lifetime of a response.
    ///
    /// - Parameters:
    ///   - status: The status of the response.
    ///   - fields: The fields of the response.
    ///   - requestTime: When the request was sent.
    ///   - responseTime: When the response was received.
    ///   - now: The time at which the age is computed.
    init(status: Int, fields: CacheFields, requestTime: Date, responseTime: Date, now: Date) {
        let date = fields.date ?? responseTime
        lifetime = Self.lifetime(status: status, fields: fields, date: date)
        age = Self.age(fields, date: date, requestTime: requestTime, responseTime: responseTime, now: now)
    }

    /// Section 4.2.1, for a private cache: `max-age`, else `Expires`, else a heuristic.
    private static func lifetime(status: Int, fields: CacheFields, date: Date) -> Double {
        if let seconds = fields.control.maximumAge { return Double(seconds) }
        if let expires = fields.expires { return max(0, expires.timeIntervalSince(date)) }
        // Section 4.2.2: a tenth of the time since the last change, and at most a week.
        let isGuessed = CacheStorageRule.isHeuristicallyCacheable(status) || fields.control.isPublic
        guard isGuessed, let changed = fields.lastModified else { return 0 }
        let week = 604_800.0
        return min(max(0, date.timeIntervalSince(changed)) / 10, week)
    }

    /// Section 4.2.3.
    private static func age(
        _ fields: CacheFields,
        date: Date,
        requestTime: Date,
        responseTime: Date,
        now: Date
    ) -> Double {
        let apparent = max(0, responseTime.timeIntervalSince(date))
        let delay = max(0, responseTime.timeIntervalSince(requestTime))
        let corrected = Double(fields.age ?? 0) + delay
        // A clock that was set back must not keep responses fresh forever.
        let resident = abs(now.timeIntervalSince(responseTime))
        return max(apparent, corrected) + resident
    }
}
