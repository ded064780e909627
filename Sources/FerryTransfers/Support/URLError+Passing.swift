extension URLError {
    /// Whether the same request may succeed later.
    var isPassing: Bool { Self.passing.contains(code) }

    private static let passing: Set<URLError.Code> = [
        .networkConnectionLost, .timedOut, .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed,
        .notConnectedToInternet, .badServerResponse, .cannotParseResponse, .resourceUnavailable,
    ]
}

extension HTTPURLResponse {
    /// Whether the status says that the same request may succeed later.
    var isPassing: Bool { Self.isPassing(statusCode) }

    /// Returns whether a status says that the same request may succeed later (RFC 9110, section 15).
    ///
    /// A server of uploads may respond with 423 (RFC 4918, section 11.3) until it notices that an earlier connection is
    /// lost.
    static func isPassing(_ status: Int) -> Bool { [408, 423, 429].contains(status) || status >= 500 }
}
