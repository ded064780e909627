/// An error that occurs while a request is created.
///
/// As an `NSError`, it has AFNetworking's domain and codes: ``errorDomain``, ``errorCode``.
public struct RequestSerializationError: Error, Sendable {
    /// The kind of failure.
    public let code: Code
    /// A sentence that describes the failure.
    public let reason: String
    /// The URL, or the string that is not a valid URL, without secrets; see ``NetworkError/failingURL``.
    public let failingURL: String?
    /// The underlying error, such as one from an encoder or from the system.
    public let underlyingError: (any Error)?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - reason: A sentence that describes the failure.
    ///   - failingURL: The URL, or the string that is not a valid URL. Secrets are removed.
    ///   - underlyingError: The underlying error; an `EncodingError` is stored with the type of its value only.
    public init(_ code: Code, reason: String, failingURL: String? = nil, underlyingError: (any Error)? = nil) {
        self.code = code
        self.reason = reason
        self.failingURL = failingURL.map { PresentableText.url($0) }
        self.underlyingError = (underlyingError as? EncodingError)?.withoutValue ?? underlyingError
    }

    /// Returns the error with the given URL as its failing URL, unless it already has one.
    package func failing(_ url: URL?) -> RequestSerializationError {
        let text = failingURL ?? url?.absoluteString
        return RequestSerializationError(code, reason: reason, failingURL: text, underlyingError: underlyingError)
    }
}

extension RequestSerializationError: LocalizedError {
    /// The error's ``reason``.
    public var errorDescription: String? { reason }

    /// The error's ``reason``.
    public var failureReason: String? { reason }
}

extension RequestSerializationError: CustomNSError {
    /// AFNetworking's `AFURLRequestSerializationErrorDomain`.
    public static var errorDomain: String { "com.alamofire.error.serialization.request" }

    /// `NSURLErrorBadURL` (-1000) for URLs and files, `NSURLErrorCannotDecodeContentData` (-1016) otherwise.
    public var errorCode: Int {
        switch code {
        case .invalidURL, .fileUnreachable, .fileChanged, .fileNotWritten: NSURLErrorBadURL
        default: NSURLErrorCannotDecodeContentData
        }
    }

    /// The reason, the failing URL and the underlying error, under Foundation's keys.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: reason, NSLocalizedFailureReasonErrorKey: reason]
        info[Self.failingURLStringKey] = failingURL
        info[NSUnderlyingErrorKey] = underlyingError
        return info
    }

    /// `NSURLErrorFailingURLStringErrorKey`, which Foundation has deprecated but AFNetworking's users read.
    package static let failingURLStringKey = "NSErrorFailingURLStringKey"
}

extension RequestSerializationError: CustomStringConvertible {
    /// The code, the reason, the URL and the underlying error, in one line.
    public var description: String {
        let shown = failingURL.map { PresentableText.url($0) }
        let url = shown.flatMap { reason.contains($0) ? nil : " (\($0))" } ?? ""
        return "\(code.rawValue): \(reason)\(url)\(underlyingError.map { " [\($0)]" } ?? "")"
    }

    /// A kind of failure; any version may add new kinds.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The kind's name.
        public let rawValue: String

        /// Creates a kind from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The URL is missing or not valid.
        public static let invalidURL = Code(rawValue: "invalidURL")
        /// The method is not a token (RFC 9110, section 5.6.2), or it does not allow the body it was given.
        public static let invalidMethod = Code(rawValue: "invalidMethod")
        /// A header field's name or value does not conform to the grammar of RFC 9110.
        public static let invalidHeader = Code(rawValue: "invalidHeader")
        /// The parameters cannot be represented in the serializer's format.
        public static let invalidParameters = Code(rawValue: "invalidParameters")
        /// A string contains characters that its string encoding cannot represent.
        public static let unencodableText = Code(rawValue: "unencodableText")
        /// A multipart boundary is not valid, or a length, packet size or delay is out of range.
        public static let invalidMultipart = Code(rawValue: "invalidMultipart")
        /// A file does not exist, is not readable or is not a regular file.
        public static let fileUnreachable = Code(rawValue: "fileUnreachable")
        /// A file was changed after it was added to a form.
        public static let fileChanged = Code(rawValue: "fileChanged")
        /// The body could not be written to a file.
        public static let fileNotWritten = Code(rawValue: "fileNotWritten")
        /// A part's stream failed, or ended before its declared length.
        public static let streamFailed = Code(rawValue: "streamFailed")
        /// A part's stream has already been read and cannot be read again.
        public static let streamConsumed = Code(rawValue: "streamConsumed")
    }
}
