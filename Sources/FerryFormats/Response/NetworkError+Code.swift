extension NetworkError {
    /// The kind of an error, as a value that can be compared and extended.
    ///
    /// It is a structure rather than an enumeration, so that a new code breaks no `switch`. Define your own with
    /// `NetworkError.Code(rawValue: "quotaExceeded")`.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The code's name, such as `timedOut`.
        public let rawValue: String

        /// Creates a code from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The code's name, such as `timedOut`.
        public var description: String { rawValue }
    }
}

extension NetworkError.Code {
    /// The task was cancelled.
    public static let cancelled = Self(rawValue: "cancelled")
    /// A deadline passed.
    public static let timedOut = Self(rawValue: "timedOut")
    /// The host name could not be resolved.
    public static let cannotFindHost = Self(rawValue: "cannotFindHost")
    /// The host refused the connection or could not be reached.
    public static let cannotConnectToHost = Self(rawValue: "cannotConnectToHost")
    /// The connection broke while the task was using it.
    public static let connectionLost = Self(rawValue: "connectionLost")
    /// There is no network.
    public static let notConnected = Self(rawValue: "notConnected")
    /// The cache has no response, and the request's cache policy does not allow asking the server.
    public static let resourceUnavailable = Self(rawValue: "resourceUnavailable")
    /// A secure connection could not be made, for a reason other than the server's certificate.
    public static let secureConnectionFailed = Self(rawValue: "secureConnectionFailed")
    /// The server's certificate is not trusted: chain, dates, host name or pin.
    public static let certificateUntrusted = Self(rawValue: "certificateUntrusted")
    /// The security policy cannot be applied: it contradicts itself, or the transport cannot enforce it.
    public static let invalidSecurityPolicy = Self(rawValue: "invalidSecurityPolicy")
    /// The server requires a client certificate, or rejected the one it received.
    public static let clientCertificateRejected = Self(rawValue: "clientCertificateRejected")
    /// The server requires a name and password, which were not provided.
    public static let authenticationRequired = Self(rawValue: "authenticationRequired")
    /// The number of redirects exceeded the limit.
    public static let tooManyRedirects = Self(rawValue: "tooManyRedirects")
    /// The URL cannot be used.
    public static let badURL = Self(rawValue: "badURL")
    /// The URL's scheme is not supported.
    public static let unsupportedURL = Self(rawValue: "unsupportedURL")
    /// The data the server sent is not HTTP, or is incomplete.
    public static let badServerResponse = Self(rawValue: "badServerResponse")
    // swift-format-ignore: DontRepeatTypeInStaticProperties
    /// The response's status code is not among the acceptable ones.
    public static let unacceptableStatusCode = Self(rawValue: "unacceptableStatusCode")
    /// The response's content type is not among the acceptable ones.
    public static let unacceptableContentType = Self(rawValue: "unacceptableContentType")
    /// The body could not be decoded as the requested value.
    public static let decodingFailed = Self(rawValue: "decodingFailed")
    /// A value could not be encoded as a request body.
    public static let encodingFailed = Self(rawValue: "encodingFailed")
    /// The parameters cannot be expressed in the request's format.
    public static let invalidParameters = Self(rawValue: "invalidParameters")
    /// The request could not be created from its parameters.
    public static let requestSerializationFailed = Self(rawValue: "requestSerializationFailed")
    /// The content coding of the body (gzip, br …) is unknown or the body is damaged.
    public static let cannotDecodeContent = Self(rawValue: "cannotDecodeContent")
    /// The body is larger than the limit.
    public static let responseTooLarge = Self(rawValue: "responseTooLarge")
    /// A streamed body was needed again, but no new stream was available.
    public static let bodyStreamExhausted = Self(rawValue: "bodyStreamExhausted")
    /// A file could not be found, read or written.
    public static let fileError = Self(rawValue: "fileError")
    /// A downloaded file could not be moved to its destination.
    public static let moveFailed = Self(rawValue: "moveFailed")
    /// The session was invalidated before the task could run.
    public static let sessionInvalidated = Self(rawValue: "sessionInvalidated")
    /// The next page of a list was not requested; the underlying error is a `PaginationError` of the module `FerryAPI`.
    public static let nextPageRefused = Self(rawValue: "nextPageRefused")
    /// The response has neither a value nor an error.
    public static let noValue = Self(rawValue: "noValue")
    /// The transport does not support retries, interceptors and deadlines; only ``SessionTransport/curl`` does.
    public static let unsupportedByTransport = Self(rawValue: "unsupportedByTransport")
    /// None of the other codes applies; see the underlying error.
    public static let unknown = Self(rawValue: "unknown")

    /// Creates the code for an error of another type; ``unknown`` if there is none.
    package init(mapping error: any Error) {
        switch error {
        case let error as NetworkError: self = error.code
        case is CancellationError: self = .cancelled
        case is DecodingError: self = .decodingFailed
        case is EncodingError: self = .encodingFailed
        default: self = Self(bridged: error as NSError)
        }
    }

    private init(bridged error: NSError) {
        switch error.domain {
        case NSURLErrorDomain: self = Self(urlErrorCode: error.code) ?? Self(certificateMessageOf: error) ?? .unknown
        case NSCocoaErrorDomain: self = Self(cocoaErrorCode: error.code) ?? .unknown
        case NSPOSIXErrorDomain: self = POSIXErrorCode(rawValue: Int32(clamping: error.code)).map(Self.init) ?? .unknown
        default: self = .unknown
        }
    }

    /// Creates the code for an error number of `NSURLErrorDomain`.
    package init?(urlErrorCode: Int) {
        guard let code = Self.byURLErrorCode[urlErrorCode] else { return nil }
        self = code
    }

    private static let byURLErrorCode: [Int: Self] = [
        -995: .sessionInvalidated, -997: .connectionLost, -999: .cancelled, -1000: .badURL, -1001: .timedOut,
        -1002: .unsupportedURL, -1003: .cannotFindHost, -1004: .cannotConnectToHost, -1005: .connectionLost,
        -1006: .cannotFindHost, -1007: .tooManyRedirects, -1008: .resourceUnavailable, -1009: .notConnected,
        -1010: .badServerResponse, -1011: .badServerResponse, -1012: .cancelled, -1013: .authenticationRequired,
        -1014: .badServerResponse, -1015: .cannotDecodeContent, -1016: .cannotDecodeContent,
        -1017: .badServerResponse, -1018: .notConnected, -1019: .notConnected, -1020: .notConnected,
        -1021: .bodyStreamExhausted, -1022: .secureConnectionFailed, -1100: .fileError, -1101: .fileError,
        -1102: .fileError, -1103: .responseTooLarge, -1200: .secureConnectionFailed, -1201: .certificateUntrusted,
        -1202: .certificateUntrusted, -1203: .certificateUntrusted, -1204: .certificateUntrusted,
        -1205: .clientCertificateRejected, -1206: .clientCertificateRejected, -2000: .notConnected,
        -3000: .fileError, -3001: .fileError, -3002: .fileError, -3003: .fileError, -3004: .fileError,
        -3005: .moveFailed, -3006: .cannotDecodeContent, -3007: .cannotDecodeContent,
    ]

    /// FoundationNetworking uses one code (-1) for all TLS errors, which only their text tells apart.
    private init?(certificateMessageOf error: NSError) {
        let text = (error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error).localizedDescription
        if text.hasPrefix("SSL certificate problem") || text.hasPrefix("SSL: no alternative certificate subject") {
            self = .certificateUntrusted
        } else if text.hasPrefix("SSL") || text.hasPrefix("OpenSSL") || text.hasPrefix("TLS") {
            self = .secureConnectionFailed
        } else {
            return nil
        }
    }

    private init?(cocoaErrorCode code: Int) {
        switch code {
        case 3072: self = .cancelled
        case 4...1023: self = .fileError
        case 3840...4095, 4864, 4865: self = .decodingFailed
        case 4866: self = .encodingFailed
        default: return nil
        }
    }

    private init(_ code: POSIXErrorCode) {
        switch code {
        case .ECANCELED: self = .cancelled
        case .ETIMEDOUT: self = .timedOut
        case .ECONNREFUSED, .EHOSTUNREACH, .EADDRNOTAVAIL: self = .cannotConnectToHost
        case .ECONNRESET, .ECONNABORTED, .EPIPE, .ENOTCONN: self = .connectionLost
        case .ENETUNREACH, .ENETDOWN, .EHOSTDOWN: self = .notConnected
        case .ENOENT, .EACCES, .EPERM, .EISDIR, .ENOTDIR, .ENOSPC, .EIO, .EROFS, .EEXIST, .EFBIG, .EMFILE, .ENFILE,
            .ENAMETOOLONG, .ELOOP, .EDQUOT, .EXDEV:
            self = .fileError
        default: self = .unknown
        }
    }
}
