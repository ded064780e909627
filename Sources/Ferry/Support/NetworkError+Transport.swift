import FerrySession

extension NetworkError {
    /// Makes an error from one of the transport's, of a file's or of a decoder's.
    ///
    /// `URLError` and `NSURLErrorDomain` codes, Cocoa and POSIX errors, `CancellationError`, `DecodingError` and
    /// `EncodingError` get their own code, all others ``Code/unknown``; the error itself becomes ``underlyingError``.
    /// A `NetworkError` stays what it is: only what it does not know yet is filled in. A ``RequestSerializationError``,
    /// also one under a transport's error since it came while the body was sent, is the underlying error itself.
    ///
    /// - Parameters:
    ///   - error: The error to wrap.
    ///   - request: The request that failed.
    ///   - response: The response, if one came.
    ///   - data: The body, or as much of it as came.
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

    /// What the code means for this host, and what the transport said about it.
    private static func sentence(for code: Code, error: NSError, url: URL?) -> String {
        let target = url?.presentableHost
        let detail = (error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error).localizedDescription
        guard let meaning = code.meaning else { return detail }
        return "\(meaning)\(target.map { " (\($0))" } ?? ""): \(detail)"
    }
}

extension NetworkError.Code {
    /// What a transport's code means, without host or reason.
    fileprivate var meaning: String? {
        switch self {
        case .cancelled: "The request was cancelled"
        case .timedOut: "The request timed out"
        case .cannotFindHost: "The host could not be found"
        case .cannotConnectToHost: "No connection to the host could be made"
        case .connectionLost: "The connection to the host was lost"
        case .notConnected: "There is no network connection"
        case .secureConnectionFailed: "No secure connection to the host could be made"
        case .certificateUntrusted: "The certificate of the host is not trusted"
        case .clientCertificateRejected: "The host did not accept the client certificate"
        case .authenticationRequired: "The host asks for authentication"
        case .tooManyRedirects: "There were too many redirections"
        case .badURL: "The URL cannot be used"
        case .unsupportedURL: "The URL cannot be loaded"
        case .badServerResponse: "The host sent a response that is not valid"
        case .cannotDecodeContent: "The content coding of the body cannot be undone"
        default: nil
        }
    }
}
