/// The rules for what a response to an unsafe request invalidates (RFC 9111, section 4.4).
enum CacheInvalidation {
    /// Whether the method may change something on the server (RFC 9110, section 9.2.1); an unknown method may.
    static func isUnsafe(_ method: String) -> Bool {
        switch method {
        case "GET", "HEAD", "OPTIONS", "TRACE": false
        default: true
        }
    }

    /// Returns the URLs whose stored responses are invalid; those that the response names count only within its own
    /// origin.
    static func invalidated(by head: ResponseHead, to url: URL, method: String) -> [URL] {
        guard isUnsafe(method), (200..<400).contains(head.status) else { return [] }
        let named = [head.location, head.value("Content-Location")].compactMap { reference in
            reference.flatMap { RedirectRule.resolve($0, against: url) }
        }
        return [url] + named.filter { Origin($0) == Origin(url) }
    }
}
