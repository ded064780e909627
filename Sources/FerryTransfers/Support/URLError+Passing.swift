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
    static func isPassing(_ status: Int) -> Bool { status == 408 || status == 429 || status >= 500 }
}
