import Foundation

extension NetworkError {
    /// The kind of an error, as a value that can be compared and extended.
    ///
    /// It is a structure rather than an enumeration, so that a new code breaks no `switch`. Define your own with
    /// `NetworkError.Code(rawValue: "quotaExceeded")`.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The code's name, such as `timedOut`.
        public let rawValue: String

        /// Creates a code from its name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

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
    /// The response has neither a value nor an error.
    public static let noValue = Self(rawValue: "noValue")
    /// None of the other codes applies; see the underlying error.
    public static let unknown = Self(rawValue: "unknown")
}
