import FerrySession

/// An error that occurs while a request is created.
///
/// As an `NSError`, it has AFNetworking's domain and codes: ``errorDomain``, ``errorCode``.
public struct RequestSerializationError: Error, Sendable {
    /// The kind of failure.
    public let code: Code
    /// A sentence that describes the failure.
    public let reason: String
    /// The URL, or the string that is not a valid URL, without user and password.
    public let failingURL: String?
    /// The underlying error, such as one from an encoder or from the system.
    public let underlyingError: (any Error)?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - reason: A sentence that describes the failure.
    ///   - failingURL: The URL, or the string that is not a valid URL. User and password are removed.
    ///   - underlyingError: The underlying error.
    public init(_ code: Code, reason: String, failingURL: String? = nil, underlyingError: (any Error)? = nil) {
        self.code = code
        self.reason = reason
        self.failingURL = failingURL.map { PresentableText.withoutUserInfo($0) }
        self.underlyingError = underlyingError
    }

    /// Returns the error with the given URL as its failing URL, unless it already has one.
    func failing(_ url: URL?) -> RequestSerializationError {
        let text = failingURL ?? url?.absoluteString
        return RequestSerializationError(code, reason: reason, failingURL: text, underlyingError: underlyingError)
    }
}
