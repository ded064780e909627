/// The rules for using a stored response for a request (RFC 9111, section 4, and `URLRequest.CachePolicy`).
enum CacheUseRule {
    /// What to do for a request.
    enum Decision: Hashable, Sendable {
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
        // A `no-store` request is not answered from the cache.
        if request.isNoStore { return .load }
        if request.isNoCache || stored.control.isNoCache { return .revalidate }
        let freshness = stored.freshness
        if let most = request.maximumAge, freshness.age > Double(most) {
            // Section 5.2.1.1: older than accepted, unless the request also accepts any staleness.
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

    /// Whether a stale response may be used instead of an error (RFC 5861, section 4).
    static func mayUseOnError(request: CacheControl, stored: Stored) -> Bool {
        guard !stored.control.mustRevalidate, !stored.control.isNoCache, !request.isNoCache else { return false }
        let windows = [stored.control.staleIfError, request.staleIfError].compactMap { $0 }
        guard let window = windows.max() else { return false }
        return stored.freshness.staleness <= Double(window)
    }

    /// Whether a status counts as an error for `stale-if-error`.
    static func isError(status: Int) -> Bool {
        switch status {
        case 500, 502, 503, 504: true
        default: false
        }
    }

    /// Whether a failure counts as an error for `stale-if-error`: those of the network do, those of trust do not.
    static func isError(code: URLError.Code) -> Bool {
        switch code {
        case .timedOut, .cannotFindHost, .cannotConnectToHost, .networkConnectionLost, .dnsLookupFailed,
            .notConnectedToInternet, .badServerResponse, .cannotParseResponse:
            true
        default: false
        }
    }
}
