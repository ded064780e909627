import FerrySession

extension NetworkError {
    /// The response's status code.
    public var statusCode: Int? { response?.statusCode }

    /// The response's content type in lowercase, without parameters; nil if it has none.
    public var receivedContentType: String? { response?.contentType }

    /// A Boolean value that indicates whether the task was cancelled.
    public var isCancelled: Bool { contains(.cancelled) }

    /// A Boolean value that indicates whether a deadline passed.
    public var isTimeout: Bool { contains(.timedOut) }

    /// A Boolean value that indicates whether the server's certificate was refused, or the client's by the server.
    public var isCertificateError: Bool { contains(.certificateUntrusted) || contains(.clientCertificateRejected) }

    /// The session's details of the failure: the reason and, for a certificate, the host and chain.
    public var sessionError: CurlSessionError? {
        switch underlyingError {
        case let error as NetworkError: error.sessionError
        case let error as CurlSessionError: error
        case let error?: (error as NSError).userInfo[NSUnderlyingErrorKey] as? CurlSessionError
        case nil: nil
        }
    }

    /// A Boolean value that indicates whether the same request may succeed a little later.
    ///
    /// True for a broken or refused connection, a failed lookup, a deadline that passed, and the status codes 408, 425,
    /// 429, 500, 502, 503 and 504. It does not indicate whether the request may be sent twice.
    public var isRetryable: Bool {
        switch code {
        case .timedOut, .cannotFindHost, .cannotConnectToHost, .connectionLost, .notConnected: true
        case .unacceptableStatusCode: [408, 425, 429, 500, 502, 503, 504].contains(statusCode)
        default: false
        }
    }

    /// Returns whether this error or one of its underlying errors has a code.
    ///
    /// - Parameter code: The code to look for.
    /// - Returns: Whether an error of the chain has the code.
    public func contains(_ code: Code) -> Bool {
        self.code == code || (underlyingError as? NetworkError)?.contains(code) == true
    }
}
