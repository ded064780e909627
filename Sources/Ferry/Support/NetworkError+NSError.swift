import FerrySession

extension NetworkError {
    /// The domain of errors in a response's status, content type or body.
    ///
    /// AFNetworking: `AFURLResponseSerializationErrorDomain`.
    public static let responseSerializationDomain = "com.alamofire.error.serialization.response"

    /// The domain of errors in making a request from what was given.
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

    /// The error as Objective-C code and AFNetworking know it: domain, number and `userInfo`.
    ///
    /// Transport errors have `NSURLErrorDomain`, an unacceptable status (-1011) or content type (-1016) the
    /// ``responseSerializationDomain``, a request that could not be made the ``requestSerializationDomain``, files and
    /// parsers `NSCocoaErrorDomain`. `error as NSError` has the same number for all but the last, always under
    /// `NSURLErrorDomain`: a Swift type has one domain only.
    public var nsError: NSError {
        let original = underlyingError.map { $0 as NSError }
        if hasTransportCode { return NSError(domain: NSURLErrorDomain, code: errorCode, userInfo: errorUserInfo) }
        if underlyingError is RequestSerializationError {
            return NSError(domain: Self.requestSerializationDomain, code: errorCode, userInfo: errorUserInfo)
        }
        switch code {
        case .unacceptableStatusCode, .unacceptableContentType, .responseTooLarge, .noValue:
            return NSError(domain: Self.responseSerializationDomain, code: errorCode, userInfo: errorUserInfo)
        case .requestSerializationFailed, .encodingFailed, .invalidParameters:
            return NSError(domain: Self.requestSerializationDomain, code: errorCode, userInfo: errorUserInfo)
        case .decodingFailed:
            return NSError(domain: NSCocoaErrorDomain, code: 3840, userInfo: errorUserInfo)
        case .fileError, .moveFailed:
            guard let original, original.domain == NSCocoaErrorDomain else { break }
            return NSError(domain: original.domain, code: original.code, userInfo: errorUserInfo)
        default: break
        }
        return NSError(domain: NSURLErrorDomain, code: errorCode, userInfo: errorUserInfo)
    }
}

extension NetworkError: CustomNSError {
    /// `NSURLErrorDomain`; ``nsError`` tells the domains apart.
    public static var errorDomain: String { NSURLErrorDomain }

    /// The number of `NSURLErrorDomain` that stands for ``code``: the transport's own or the serializer's, where it gave
    /// one.
    public var errorCode: Int {
        if let error = underlyingError as? RequestSerializationError { return error.errorCode }
        if hasTransportCode, let underlyingError { return (underlyingError as NSError).code }
        return code.urlErrorCode
    }

    /// Whether the code is the transport's own, so that its number says more.
    private var hasTransportCode: Bool {
        guard let underlyingError, !(underlyingError is NetworkError) else { return false }
        let original = underlyingError as NSError
        return original.domain == NSURLErrorDomain && (Code(urlErrorCode: original.code) ?? .unknown) == code
    }

    /// The failing URL, response, body, resume data and underlying errors under AFNetworking's and Foundation's keys.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: message]
        info[NSURLErrorFailingURLErrorKey] = failingURL
        info[RequestSerializationError.failingURLStringKey] = failingURL?.absoluteString
        info[Self.responseKey] = response
        info[Self.dataKey] = data
        info["NSURLSessionDownloadTaskResumeData"] = resumeData
        if let network = underlyingError as? NetworkError {
            info[NSUnderlyingErrorKey] = network.nsError
        } else if let underlyingError {
            info[NSUnderlyingErrorKey] = underlyingError as NSError
        }
        return info
    }
}

extension NetworkError: LocalizedError {
    /// The ``message``.
    public var errorDescription: String? { message }
}

extension NetworkError: CustomStringConvertible {
    /// The code and the message, and those of the errors underneath.
    public var description: String {
        let own = "\(code): \(message)"
        guard let network = underlyingError as? NetworkError else { return own }
        return "\(own) [under it: \(network)]"
    }
}

extension NetworkError.Code {
    /// The number of `NSURLErrorDomain` that is nearest; -1 (unknown) for codes of your own.
    public var urlErrorCode: Int { Self.urlErrorCodes[self] ?? -1 }

    private static let urlErrorCodes: [Self: Int] = [
        .cancelled: -999, .badURL: -1000, .timedOut: -1001, .unsupportedURL: -1002, .cannotFindHost: -1003,
        .cannotConnectToHost: -1004, .connectionLost: -1005, .tooManyRedirects: -1007, .notConnected: -1009,
        .badServerResponse: -1011, .unacceptableStatusCode: -1011, .authenticationRequired: -1013,
        .cannotDecodeContent: -1016, .unacceptableContentType: -1016, .invalidParameters: -1016,
        .encodingFailed: -1016, .requestSerializationFailed: -1000, .decodingFailed: -1017, .noValue: -1014,
        .bodyStreamExhausted: -1021, .responseTooLarge: -1103, .secureConnectionFailed: -1200,
        .certificateUntrusted: -1202, .invalidSecurityPolicy: -1202, .clientCertificateRejected: -1205,
        .fileError: -1100, .moveFailed: -3005,
        .sessionInvalidated: -999,
    ]
}
