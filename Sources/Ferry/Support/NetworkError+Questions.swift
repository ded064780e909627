import FerrySession

extension NetworkError {
    /// The response's status code.
    public var statusCode: Int? { response?.statusCode }

    /// The response's content type without its parameters, in lower case; nil if it has none.
    public var receivedContentType: String? { response?.contentType }

    /// Whether the task was cancelled.
    public var isCancelled: Bool { contains(.cancelled) }

    /// Whether a deadline passed.
    public var isTimeout: Bool { contains(.timedOut) }

    /// Whether the server's certificate was refused, or the client's by the server.
    public var isCertificateError: Bool { contains(.certificateUntrusted) || contains(.clientCertificateRejected) }

    /// What the session says of the failure beyond `URLError`: its reason and, of a certificate, host and chain.
    public var sessionError: CurlSessionError? {
        switch underlyingError {
        case let error as NetworkError: error.sessionError
        case let error as CurlSessionError: error
        case let error?: (error as NSError).userInfo[NSUnderlyingErrorKey] as? CurlSessionError
        case nil: nil
        }
    }

    /// Whether the same request may succeed a little later.
    ///
    /// True for a broken or refused connection, a failed name lookup, a deadline that passed, and the status codes
    /// 408, 425, 429, 500, 502, 503 and 504. It says nothing about whether the request may be sent twice.
    public var isRetryable: Bool {
        switch code {
        case .timedOut, .cannotFindHost, .cannotConnectToHost, .connectionLost, .notConnected: true
        case .unacceptableStatusCode: [408, 425, 429, 500, 502, 503, 504].contains(statusCode)
        default: false
        }
    }

    /// Says whether this error or one underneath it has a code.
    ///
    /// - Parameter code: The code to look for.
    /// - Returns: Whether the chain of errors has it.
    public func contains(_ code: Code) -> Bool {
        self.code == code || (underlyingError as? NetworkError)?.contains(code) == true
    }
}
