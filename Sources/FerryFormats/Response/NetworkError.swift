/// The error of a request.
///
/// ``code`` is the kind of error, for comparing; ``message`` describes it in a sentence. ``response`` and ``data`` are
/// the server's response and its body, also for an unacceptable status. Errors form a chain of ``underlyingError``s,
/// all of which ``contains(_:)`` searches.
///
/// An error bridges to `NSError`: see ``nsError``.
public struct NetworkError: Error, Sendable {
    /// The kind of error.
    public var code: Code
    /// A description of the error as a sentence, which names what caused it.
    public var message: String
    /// The URL that failed; after redirects, the last one.
    ///
    /// It has no user and password, and `<redacted>`, percent-encoded, in place of the values of parameters such as
    /// `access_token`, because errors are logged. The task's requests have the URL itself.
    public var failingURL: URL? {
        didSet { failingURL = failingURL?.withoutSecrets }
    }
    /// The server's response, if there is one; its URL has no user and password, and its description no secrets.
    public var response: HTTPURLResponse? {
        didSet { response = response?.presentable }
    }
    /// The part of the body that has arrived.
    public var data: Data?
    /// The error that caused this one or, for a body that is both unacceptable and malformed, the validation error.
    public var underlyingError: (any Error)?
    /// The error of the parser or decoder, if ``code`` is ``Code/decodingFailed``.
    public var decodingError: (any Error)?
    /// The data with which a download can be resumed, if there is any.
    public var resumeData: Data?
    /// The content types that would have been accepted, if ``code`` is ``Code/unacceptableContentType``.
    public var acceptableContentTypes: Set<String>?

    /// Creates an error with the given values of its properties; the failing URL is by default the response's.
    public init(
        _ code: Code,
        message: String,
        failingURL: URL? = nil,
        response: HTTPURLResponse? = nil,
        data: Data? = nil,
        underlyingError: (any Error)? = nil,
        decodingError: (any Error)? = nil,
        resumeData: Data? = nil,
        acceptableContentTypes: Set<String>? = nil
    ) {
        self.code = code
        self.message = message
        self.failingURL = (failingURL ?? response?.url)?.withoutSecrets
        self.response = response?.presentable
        self.data = data
        self.underlyingError = underlyingError
        self.decodingError = decodingError
        self.resumeData = resumeData
        self.acceptableContentTypes = acceptableContentTypes
    }

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
    /// 429, 500, 502, 503 and 504, unless the cause is one of the session's options. It does not indicate whether the
    /// request may be sent twice.
    public var isRetryable: Bool {
        if let cause = sessionError?.code, Self.lastingCauses.contains(cause) { return false }
        return switch code {
        case .timedOut, .cannotFindHost, .cannotConnectToHost, .connectionLost, .notConnected: true
        // A body that could not be decoded may be that of such a status.
        default: contains(.unacceptableStatusCode) && [408, 425, 429, 500, 502, 503, 504].contains(statusCode)
        }
    }

    private static let lastingCauses: Set<CurlSessionError.Code> = [
        .httpVersionUnsupported, .httpVersionRefused, .invalidProxy, .invalidNetworkOptions, .localEndpointUnavailable,
    ]

    /// Returns a Boolean value that indicates whether this error or one of its underlying errors has a code.
    public func contains(_ code: Code) -> Bool {
        self.code == code || (underlyingError as? NetworkError)?.contains(code) == true
    }

    /// Returns the error of a response whose message also has the number of attempts and why there is no further one.
    ///
    /// The session does the same with the errors that it finds itself.
    package func noting(attemptsOf metrics: TaskMetrics?) -> NetworkError {
        guard let metrics else { return self }
        let seconds = (metrics.duration * 10).rounded() / 10
        let count = metrics.retries.last.map { "after \($0.attempt + 1) attempts in \(seconds) s" }
        let notes = [count, metrics.retryRefusal].compactMap { $0 }.joined(separator: "; ")
        var copy = self
        if !notes.isEmpty { copy.message += " (\(notes))" }
        return copy
    }

    /// Decodes the body that the server sent with the error.
    ///
    /// ```swift
    /// let problem = try error.decodedBody(as: Problem.self)
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - decoder: The decoder; by default one with the default settings.
    /// - Returns: The value.
    /// - Throws: `DecodingError` if there is no body or it does not match the type.
    public func decodedBody<T: Decodable>(as type: T.Type = T.self, decoder: JSONDecoder = JSONDecoder()) throws -> T {
        try decoder.decodeStrictly(type, from: data ?? Data())
    }
}

extension NetworkError? {
    /// Returns a Boolean value that indicates whether an error has a code, as in `response.error == .cancelled`.
    ///
    /// Underlying errors are ignored; see ``NetworkError/contains(_:)``.
    public static func == (error: NetworkError?, code: NetworkError.Code) -> Bool { error?.code == code }

    /// Returns a Boolean value that indicates whether an error has a code other than the given one, or is nil.
    public static func != (error: NetworkError?, code: NetworkError.Code) -> Bool { error?.code != code }

    /// Returns a Boolean value that indicates whether an error has a code, so that `switch` and `catch` can name it.
    public static func ~= (code: NetworkError.Code, error: NetworkError?) -> Bool { error?.code == code }
}
