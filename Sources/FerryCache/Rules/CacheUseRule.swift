/// The rules for using a stored response for a request (RFC 9111, section 4, and `URLRequest.CachePolicy`).
package enum CacheUseRule {
    /// The decision about a request.
    package enum Decision: Hashable, Sendable {
        /// Use the stored response.
        case use
        /// Use the stored response, and validate it in the background (RFC 5861, section 3).
        case useAndRevalidate
        /// Ask the server whether the stored response is still valid.
        case revalidate
        /// Load from the server as if nothing were stored.
        case load
        /// Fail: nothing is stored, and the policy forbids loading.
        case unavailable
        /// Respond with 504: nothing usable is stored, and `only-if-cached` forbids loading (section 5.2.1.7).
        case gatewayTimeout
    }

    /// The properties of a stored response that the decision depends on.
    package struct Stored: Hashable, Sendable {
        package var control: CacheControl
        package var freshness: CacheFreshness
    }

    package static func decide(policy: URLRequest.CachePolicy, request: CacheControl, stored: Stored?) -> Decision {
        switch policy {
        case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData: return .load
        case .returnCacheDataElseLoad: return stored == nil ? .load : .use
        case .returnCacheDataDontLoad: return stored == nil ? .unavailable : .use
        case .reloadRevalidatingCacheData: return stored == nil ? .load : .revalidate
        default: break
        }
        let decision = stored.map { decide(request: request, stored: $0) } ?? .load
        guard request.isOnlyIfCached else { return decision }
        switch decision {
        case .load, .revalidate: return .gatewayTimeout
        case .useAndRevalidate: return .use
        case .use, .unavailable, .gatewayTimeout: return decision
        }
    }

    private static func decide(request: CacheControl, stored: Stored) -> Decision {
        // A `no-store` request is not answered from the cache.
        if request.isNoStore { return .load }
        if request.isNoCache || stored.control.isNoCache { return .revalidate }
        let freshness = stored.freshness
        // Section 5.2.1.1: older than accepted, unless the request also accepts any staleness.
        if let most = request.maximumAge, freshness.age > Double(most), request.maximumStaleness != .max {
            return .revalidate
        }
        if let least = request.minimumFreshness, -freshness.staleness < Double(least) { return .revalidate }
        if freshness.isFresh { return .use }
        if stored.control.mustRevalidate { return .revalidate }
        if let most = request.maximumStaleness, freshness.staleness <= Double(most) { return .use }
        let window = request.maximumAge == nil ? stored.control.staleWhileRevalidate : nil
        return window.map { freshness.staleness <= Double($0) } ?? false ? .useAndRevalidate : .revalidate
    }

    /// Whether a stale response may be used instead of an error (RFC 5861, section 4).
    package static func mayUseOnError(request: CacheControl, stored: Stored) -> Bool {
        guard !stored.control.mustRevalidate, !stored.control.isNoCache, !request.isNoCache else { return false }
        let windows = [stored.control.staleIfError, request.staleIfError].compactMap { $0 }
        return windows.max().map { stored.freshness.staleness <= Double($0) } ?? false
    }

    /// Whether a status counts as an error for `stale-if-error`.
    package static func isError(status: Int) -> Bool { [500, 502, 503, 504].contains(status) }

    /// Whether a failure counts as an error for `stale-if-error`: network failures do, trust failures do not.
    package static func isError(code: URLError.Code) -> Bool {
        switch code {
        case .timedOut, .cannotFindHost, .cannotConnectToHost, .networkConnectionLost, .dnsLookupFailed,
            .notConnectedToInternet, .badServerResponse, .cannotParseResponse:
            true
        default: false
        }
    }
}

/// The age of a response, and how long it is fresh (RFC 9111, section 4.2).
package struct CacheFreshness: Hashable, Sendable {
    /// The time for which the response is fresh, in seconds, like the age.
    package let lifetime: Double
    package let age: Double

    package var isFresh: Bool { lifetime > age }
    /// The seconds since the response became stale; zero or negative while it is fresh.
    package var staleness: Double { age - lifetime }

    package init(lifetime: Double, age: Double) { (self.lifetime, self.age) = (lifetime, age) }

    /// Computes age (section 4.2.3) and lifetime of a response.
    package init(status: Int, fields: CacheFields, requestTime: Date, responseTime: Date, now: Date) {
        let date = fields.date ?? responseTime
        lifetime = Self.lifetime(status: status, fields: fields, date: date)
        let apparent = max(0, responseTime.timeIntervalSince(date))
        let delay = max(0, responseTime.timeIntervalSince(requestTime))
        // A clock that was set back must not keep responses fresh forever.
        let resident = abs(now.timeIntervalSince(responseTime))
        age = max(apparent, Double(fields.age ?? 0) + delay) + resident
    }

    /// Returns the lifetime for a private cache (section 4.2.1): `max-age`, else `Expires`, else a heuristic.
    package static func lifetime(status: Int, fields: CacheFields, date: Date) -> Double {
        if let seconds = fields.control.maximumAge { return Double(seconds) }
        if let expires = fields.expires { return max(0, expires.timeIntervalSince(date)) }
        // Section 4.2.2: a tenth of the time since the last change, and at most a week.
        guard CacheStorageRule.isHeuristicallyCacheable(status) || fields.control.isPublic,
            let changed = fields.lastModified
        else { return 0 }
        return min(max(0, date.timeIntervalSince(changed)) / 10, 604_800)
    }
}
