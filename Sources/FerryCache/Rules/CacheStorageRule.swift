/// The rules for which responses, and which of their fields, may be stored (RFC 9111, section 3).
package enum CacheStorageRule {
    /// The facts about a request whose response may be stored.
    package struct Request: Hashable, Sendable {
        package var method = "GET"
        package var control = CacheControl()
        /// Whether the request had `Authorization`, or libcurl authenticated it.
        package var isAuthorized = false
        /// Whether the request accepts stored responses of any age, so that any response is worth storing.
        package var takesAnyAge = false

        package init(
            method: String = "GET",
            control: CacheControl = CacheControl(),
            isAuthorized: Bool = false,
            takesAnyAge: Bool = false
        ) {
            (self.method, self.control) = (method, control)
            (self.isAuthorized, self.takesAnyAge) = (isAuthorized, takesAnyAge)
        }
    }

    /// Whether responses with this status may be reused without explicit freshness (RFC 9110, section 15.1).
    package static func isHeuristicallyCacheable(_ status: Int) -> Bool {
        switch status {
        case 200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }

    /// Whether this cache understands the status (section 5.2.2.3); 206 and 304 are not complete responses.
    private static func isUnderstood(_ status: Int) -> Bool {
        switch status {
        case 206, 304: false
        case 200...299, 300...303, 305, 307, 308, 400...451, 500...511: true
        default: false
        }
    }

    /// Whether a response may be stored, and is worth storing.
    ///
    /// Responses to requests with credentials may be stored: section 3.5 is about shared caches.
    /// ``selectingNames(fields:request:)`` limits which requests may use them.
    package static func mayStore(status: Int, fields: CacheFields, request: Request) -> Bool {
        guard request.method == "GET", status >= 200, status != 206, status != 304 else { return false }
        guard !request.control.isNoStore, fields.vary != nil else { return false }
        let control = fields.control
        // `must-understand` replaces `no-store` for caches that understand the status.
        guard control.mustUnderstand ? isUnderstood(status) : !control.isNoStore else { return false }
        let isExplicit = control.maximumAge != nil || fields.expires != nil || control.isPublic || control.isPrivate
        guard isExplicit || isHeuristicallyCacheable(status) else { return false }
        return (request.takesAnyAge && status < 400) || isUseful(status: status, fields: fields)
    }

    /// Returns the names of the fields that must be the same in later requests: those in `Vary`, and `Authorization` if
    /// the response is not public and its request was authorized.
    package static func selectingNames(fields: CacheFields, request: Request) -> [String] {
        let names = fields.vary ?? []
        guard request.isAuthorized, !fields.control.isForAnyone, !names.contains("authorization") else { return names }
        return (names + ["authorization"]).sorted()
    }

    /// Whether a stored response may be used for a request: unless it is public, the response to an anonymous request
    /// is not used for a request with credentials.
    package static func mayUse(selectingNames: [String], fields: CacheFields, request: Request) -> Bool {
        !request.isAuthorized || fields.control.isForAnyone || selectingNames.contains("authorization")
    }

    /// Whether a stored response could ever be used: it has a lifetime, can be validated, or may be used stale.
    private static func isUseful(status: Int, fields: CacheFields) -> Bool {
        if fields.hasValidator { return true }
        let lifetime = CacheFreshness.lifetime(status: status, fields: fields, date: fields.date ?? Date.current)
        if lifetime > 0 { return !fields.control.isNoCache }
        return fields.control.staleIfError ?? 0 > 0 || fields.control.staleWhileRevalidate ?? 0 > 0
    }

    /// The fields that are not stored, in addition to those that `Connection` lists (section 3.1).
    private static let connectionFields: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "te", "transfer-encoding", "upgrade", "trailer",
        "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
    ]

    /// Returns the fields of a response without those of its connection.
    package static func storedFields(_ fields: [ResponseHead.Field]) -> [ResponseHead.Field] {
        let listed = fields.filter { $0.name.isEqualIgnoringCase("connection") }
            .flatMap { $0.value[...].utf8.parts(between: ",").map(\.trimmed.string) }
            .filter(HeaderRule.isToken).map { $0.lowercased() }
        let dropped = connectionFields.union(listed)
        // Field names are tokens, and hashing hostile text takes quadratic time.
        return fields.filter { HeaderRule.isToken($0.name) && !dropped.contains($0.name.lowercased()) }
    }
}
