extension URLError {
    /// Whether the same request may succeed later.
    var isPassing: Bool { Self.passing.contains(code) }

    private static let passing: Set<URLError.Code> = [
        .networkConnectionLost, .timedOut, .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed,
        .notConnectedToInternet, .badServerResponse, .cannotParseResponse, .resourceUnavailable,
    ]
}

extension HTTPURLResponse {
    /// The number of bytes of a failed response's body that an error keeps.
    static let keptBody = 65_536

    /// Whether the status says that the same request may succeed later.
    var isPassing: Bool { Self.isPassing(statusCode) }

    /// Returns whether a status says that the same request may succeed later (RFC 9110, section 15).
    ///
    /// A server may respond with 423 (RFC 4918, section 11.3) to an upload until it notices that an earlier connection
    /// is lost.
    static func isPassing(_ status: Int) -> Bool { [408, 423, 425, 429].contains(status) || status >= 500 }
}

/// Returns whether the same transfer may succeed later, after an error of a request or of the whole transfer.
func mayPass(_ error: any Error) -> Bool {
    switch error {
    case let error as URLError: error.isPassing
    case VerifiedDownloadError.unacceptableStatusCode(let status, _, _),
        FileUploadError.unacceptableStatusCode(let status, _, _):
        HTTPURLResponse.isPassing(status)
    case VerifiedDownloadError.keepsChanging: true
    default: false
    }
}

extension RetryPolicy {
    /// Returns a delay, or the longer one that the server has asked for; `nil` if that exceeds the maximum.
    func delay(_ delay: TimeSpan, after error: any Error) -> TimeSpan? {
        switch error {
        case VerifiedDownloadError.unacceptableStatusCode(_, let response, _),
            FileUploadError.unacceptableStatusCode(_, let response?, _):
            self.delay(delay.seconds, after: response).map { TimeSpan(seconds: $0) }
        default: delay
        }
    }
}
