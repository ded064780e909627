/// Whether a stored response answers a request (RFC 9111, section 4, and `URLRequest.CachePolicy`).
enum CacheUseRule {
    /// What is to be done.
    enum Decision: Hashable, Sendable {
        /// The stored response is the answer.
        case use
        /// It is the answer, and is validated behind the user's back (RFC 5861, section 3).
        case useAndRevalidate
        /// The server is asked whether it still holds.
        case revalidate
        /// The server is asked as if nothing was stored.
        case load
        /// Nothing is stored, and the policy forbids to ask.
        case unavailable
        /// Nothing usable is stored, and `only-if-cached` forbids to ask: 504 (section 5.2.1.7).
        case gatewayTimeout
    }

    /// A stored response, as far as the decision goes.
    struct Stored: Hashable, Sendable {
        var control: CacheControl
        var freshness: CacheFreshness
    }

    static func decide(policy: URLRequest.CachePolicy, request: CacheControl, stored: Stored?) -> Decision {
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
        // What is to leave no trace has no business here at all.
        if request.isNoStore { return .load }
        if request.isNoCache || stored.control.isNoCache { return .revalidate }
        let freshness = stored.freshness
        if let most = request.maximumAge, freshness.age > Double(most) {
            // Section 5.2.1.1: older than wanted, unless the request takes stale responses, too.
            guard let staleness = request.maximumStaleness, staleness == .max else { return .revalidate }
        }
        if let least = request.minimumFreshness, -freshness.staleness < Double(least) { return .revalidate }
        if freshness.isFresh { return .use }
        if stored.control.mustRevalidate { return .revalidate }
        if let most = request.maximumStaleness, freshness.staleness <= Double(most) { return .use }
        if let window = stored.control.staleWhileRevalidate, freshness.staleness <= Double(window),
            request.maximumAge == nil
        {
            return .useAndRevalidate
        }
        return .revalidate
    }

    /// Whether a stale response takes the place of an error (RFC 5861, section 4).
    static func mayUseOnError(request: CacheControl, stored: Stored) -> Bool {
        guard !stored.control.mustRevalidate, !stored.control.isNoCache, !request.isNoCache else { return false }
        let windows = [stored.control.staleIfError, request.staleIfError].compactMap { $0 }
        guard let window = windows.max() else { return false }
        return stored.freshness.staleness <= Double(window)
    }

    /// The statuses that count as an error there.
    static func isError(status: Int) -> Bool {
        switch status {
        case 500, 502, 503, 504: true
        default: false
        }
    }

    /// The failures that count as an error there: those of the network, not those of trust.
    static func isError(code: URLError.Code) -> Bool {
        switch code {
        case .timedOut, .cannotFindHost, .cannotConnectToHost, .networkConnectionLost, .dnsLookupFailed,
            .notConnectedToInternet, .badServerResponse, .cannotParseResponse:
            true
        default: false
        }
    }
}
