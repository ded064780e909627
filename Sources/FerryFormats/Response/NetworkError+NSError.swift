extension NetworkError {
    /// The domain of errors in a response's status, content type or body.
    ///
    /// AFNetworking: `AFURLResponseSerializationErrorDomain`.
    public static let responseSerializationDomain = "com.alamofire.error.serialization.response"

    /// The domain of errors in creating a request.
    ///
    /// AFNetworking: `AFURLRequestSerializationErrorDomain`.
    public static let requestSerializationDomain = "com.alamofire.error.serialization.request"

    /// The `userInfo` key of the `HTTPURLResponse`.
    ///
    /// AFNetworking: `AFNetworkingOperationFailingURLResponseErrorKey`.
    public static let responseKey = "com.alamofire.serialization.response.error.response"

    /// The `userInfo` key of the body as `Data`.
    ///
    /// AFNetworking: `AFNetworkingOperationFailingURLResponseDataErrorKey`.
    public static let dataKey = "com.alamofire.serialization.response.error.data"

    /// The error as an `NSError` with the domain, code and `userInfo` that AFNetworking uses.
    ///
    /// The domain is `NSURLErrorDomain` for transport errors, ``responseSerializationDomain`` for an unacceptable
    /// status (-1011) or content type (-1016), ``requestSerializationDomain`` for a request that could not be created,
    /// and `NSCocoaErrorDomain` for errors of files and parsers. `error as NSError` has the same code except for files
    /// and parsers, but always `NSURLErrorDomain`, because a Swift type has only one domain.
    public var nsError: NSError {
        let (domain, number) = domainAndCode
        return NSError(domain: domain, code: number, userInfo: errorUserInfo)
    }

    private var domainAndCode: (String, Int) {
        if hasTransportCode { return (NSURLErrorDomain, errorCode) }
        if underlyingError is RequestSerializationError { return (Self.requestSerializationDomain, errorCode) }
        switch code {
        case .unacceptableStatusCode, .unacceptableContentType, .responseTooLarge, .noValue:
            return (Self.responseSerializationDomain, errorCode)
        case .requestSerializationFailed, .encodingFailed, .invalidParameters:
            return (Self.requestSerializationDomain, errorCode)
        case .decodingFailed: return (NSCocoaErrorDomain, 3840)
        case .fileError, .moveFailed:
            let original = underlyingError.map { $0 as NSError }
            guard let original, original.domain == NSCocoaErrorDomain else { return (NSURLErrorDomain, errorCode) }
            return (original.domain, original.code)
        default: return (NSURLErrorDomain, errorCode)
        }
    }
}

extension NetworkError: CustomNSError {
    /// `NSURLErrorDomain`; ``nsError`` has more specific domains.
    public static var errorDomain: String { NSURLErrorDomain }

    /// The error number in `NSURLErrorDomain`: that of the transport or serializer if there is one, and otherwise the
    /// one that corresponds to ``code``.
    public var errorCode: Int {
        if let error = underlyingError as? RequestSerializationError { return error.errorCode }
        if hasTransportCode, let underlyingError { return (underlyingError as NSError).code }
        return code.urlErrorCode
    }

    /// Whether the transport has set the code, whose number is then more specific.
    private var hasTransportCode: Bool {
        guard let underlyingError, !(underlyingError is NetworkError) else { return false }
        let original = underlyingError as NSError
        return original.domain == NSURLErrorDomain && (Code(urlErrorCode: original.code) ?? .unknown) == code
    }

    /// The failing URL, response, body, resume data and underlying error, with AFNetworking's and Foundation's keys.
    public var errorUserInfo: [String: Any] {
        // Foundation on Linux prints the reason, and "(null)" without one.
        var info: [String: Any] = [NSLocalizedDescriptionKey: message, NSLocalizedFailureReasonErrorKey: message]
        info[NSURLErrorFailingURLErrorKey] = failingURL
        info[RequestSerializationError.failingURLStringKey] = failingURL?.absoluteString
        info[Self.responseKey] = response
        info[Self.dataKey] = data
        info["NSURLSessionDownloadTaskResumeData"] = resumeData
        info[NSUnderlyingErrorKey] = underlyingError.map {
            ($0 as? NetworkError)?.nsError ?? ($0 as NSError).withReason(depth: 8)
        }
        return info
    }
}

extension NSError {
    /// Returns the error with its description as the reason, unless it has one; its causes, down to a depth, likewise.
    fileprivate func withReason(depth: Int) -> NSError {
        var info = userInfo
        if localizedFailureReason == nil {
            let isOfURLs = domain == NSURLErrorDomain
            let meaning = isOfURLs ? NetworkError.Code(urlErrorCode: code)?.meaning : nil
            // Foundation's own description of a URL error is only its number.
            info[NSLocalizedFailureReasonErrorKey] = info[NSLocalizedDescriptionKey] ?? meaning ?? localizedDescription
        }
        if depth > 0, let cause = info[NSUnderlyingErrorKey] as? NSError {
            info[NSUnderlyingErrorKey] = cause.withReason(depth: depth - 1)
        }
        return NSError(domain: domain, code: code, userInfo: info)
    }
}

extension NetworkError: LocalizedError {
    /// The ``message``.
    public var errorDescription: String? { message }
}

extension NetworkError: CustomStringConvertible {
    /// The code and message of this error and of the underlying network errors.
    public var description: String {
        let own = "\(code): \(message)"
        guard let network = underlyingError as? NetworkError else { return own }
        return "\(own) [underlying error: \(network)]"
    }
}

extension NetworkError: CustomDebugStringConvertible, CustomReflectable {
    /// The ``description``.
    public var debugDescription: String { description }

    /// A mirror without what may be secret: the response's header fields, the body and the resume data.
    public var customMirror: Mirror {
        let children: KeyValuePairs<String, Any> = [
            "code": code, "message": message, "failingURL": failingURL as Any, "statusCode": statusCode as Any,
            "underlyingError": underlyingError as Any,
        ]
        return Mirror(self, children: children)
    }
}

extension NetworkError.Code {
    /// The nearest error number in `NSURLErrorDomain`; -1 (unknown) for custom codes.
    public var urlErrorCode: Int { Self.urlErrorCodes[self] ?? -1 }

    private static let urlErrorCodes: [Self: Int] = [
        .cancelled: -999, .badURL: -1000, .timedOut: -1001, .unsupportedURL: -1002, .cannotFindHost: -1003,
        .cannotConnectToHost: -1004, .connectionLost: -1005, .tooManyRedirects: -1007, .resourceUnavailable: -1008,
        .notConnected: -1009, .badServerResponse: -1011, .unacceptableStatusCode: -1011, .authenticationRequired: -1013,
        .cannotDecodeContent: -1016, .unacceptableContentType: -1016, .invalidParameters: -1016,
        .encodingFailed: -1016, .nextPageRefused: -1011, .requestSerializationFailed: -1000, .decodingFailed: -1017,
        .noValue: -1014, .bodyStreamExhausted: -1021, .responseTooLarge: -1103, .secureConnectionFailed: -1200,
        .certificateUntrusted: -1202, .invalidSecurityPolicy: -1202, .clientCertificateRejected: -1205,
        .fileError: -1100, .moveFailed: -3005, .sessionInvalidated: -999,
    ]
}
