import FerrySession

extension NetworkError {
    /// Creates an error from an error of the transport, a file or a decoder.
    ///
    /// `URLError` and `NSURLErrorDomain` codes, Cocoa and POSIX errors, `CancellationError`, `DecodingError` and
    /// `EncodingError` are mapped to a code, all others to ``Code/unknown``; the error becomes the ``underlyingError``.
    /// A `NetworkError` is kept, and only its missing properties are filled in. A ``RequestSerializationError`` becomes
    /// the underlying error itself, even if it is wrapped in a transport error because it occurred while the body was
    /// being sent.
    ///
    /// - Parameters:
    ///   - error: The error to wrap.
    ///   - request: The request that failed.
    ///   - response: The response, if there is one.
    ///   - data: The part of the body that has arrived.
    public init(
        transport error: any Error,
        request: URLRequest? = nil,
        response: URLResponse? = nil,
        data: Data? = nil
    ) {
        if let known = error as? NetworkError {
            self = known
            self.response = (known.response ?? response as? HTTPURLResponse)?.presentable
            self.data = known.data ?? data
            self.failingURL = (known.failingURL ?? response?.url ?? request?.url)?.presentable
            return
        }
        let bridged = error as NSError
        let beneath = bridged.userInfo[NSUnderlyingErrorKey] as? RequestSerializationError
        if let error = error as? RequestSerializationError ?? beneath {
            self.init(error, request: request, response: response, data: data)
            return
        }
        let failingURL = bridged.userInfo[NSURLErrorFailingURLErrorKey] as? URL
        let code = Code(mapping: error)
        self.init(
            code,
            message: Self.sentence(for: code, error: bridged, url: failingURL ?? request?.url),
            failingURL: failingURL ?? response?.url ?? request?.url,
            response: response as? HTTPURLResponse,
            data: data,
            underlyingError: (error as? URLError)?.presentable ?? error,
            decodingError: error is DecodingError ? error : nil,
            resumeData: bridged.userInfo["NSURLSessionDownloadTaskResumeData"] as? Data
        )
    }

    /// Returns the meaning of the code for this host, followed by the transport's description.
    private static func sentence(for code: Code, error: NSError, url: URL?) -> String {
        let target = url?.presentableHost
        // The error's own words name the file, for example; those of the system do not.
        let own = error.userInfo[NSLocalizedDescriptionKey] as? String
        let detail = own ?? (error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error).localizedDescription
        guard let meaning = code.meaning else { return detail }
        return "\(meaning)\(target.map { " (\($0))" } ?? ""): \(detail)"
    }
}

extension NetworkError.Code {
    /// The meaning of a transport's code, without host or reason.
    fileprivate var meaning: String? {
        switch self {
        case .cancelled: "The request was cancelled"
        case .timedOut: "The request timed out"
        case .cannotFindHost: "The host could not be found"
        case .cannotConnectToHost: "Could not connect to the host"
        case .connectionLost: "The connection to the host was lost"
        case .notConnected: "There is no network connection"
        case .secureConnectionFailed: "Could not make a secure connection to the host"
        case .certificateUntrusted: "The certificate of the host is not trusted"
        case .clientCertificateRejected: "The host did not accept the client certificate"
        case .authenticationRequired: "The host requires authentication"
        case .tooManyRedirects: "There were too many redirects"
        case .badURL: "The URL cannot be used"
        case .unsupportedURL: "The URL cannot be loaded"
        case .badServerResponse: "The host sent an invalid response"
        case .cannotDecodeContent: "The content coding of the body cannot be decoded"
        default: nil
        }
    }
}

// CurlSession's errors and responses have no user information in their URLs, but those of a system session may.

extension URLError {
    /// The error with a URL without user and password.
    var presentable: URLError {
        guard let url = userInfo[NSURLErrorFailingURLErrorKey] as? URL, url.presentable != url else { return self }
        var info = userInfo
        info[NSURLErrorFailingURLErrorKey] = url.presentable
        info["NSErrorFailingURLStringKey"] = url.presentable.absoluteString
        return URLError(code, userInfo: info)
    }
}

extension HTTPURLResponse {
    /// The response with a URL without user and password.
    var presentable: HTTPURLResponse {
        guard let url, url.presentable != url else { return self }
        var fields: [String: String] = [:]
        for (name, value) in allHeaderFields { fields["\(name)"] = "\(value)" }
        let copy = HTTPURLResponse(
            url: url.presentable,
            statusCode: statusCode,
            httpVersion: "HTTP/1.1",
            headerFields: fields
        )
        // The initializer is declared as failable, but does not fail for these arguments.
        return copy ?? self
    }
}
