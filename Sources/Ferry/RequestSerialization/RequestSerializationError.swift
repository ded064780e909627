import FerrySession

/// Why a request could not be made.
///
/// As an `NSError` it is in AFNetworking's domain, with AFNetworking's codes: ``errorDomain``, ``errorCode``.
public struct RequestSerializationError: Error, Sendable {
    /// What kind of failure this is.
    public let code: Code
    /// What went wrong, in a sentence.
    public let reason: String
    /// The URL, or the text that should have been one, without user and password.
    public let failingURL: String?
    /// The error beneath, such as an encoder's or the system's.
    public let underlyingError: (any Error)?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: What kind of failure it is.
    ///   - reason: What went wrong, in a sentence.
    ///   - failingURL: The URL, or the text that should have been one.
    ///   - underlyingError: The error beneath.
    public init(_ code: Code, reason: String, failingURL: String? = nil, underlyingError: (any Error)? = nil) {
        self.code = code
        self.reason = reason
        self.failingURL = failingURL.map { PresentableText.withoutUserInfo($0) }
        self.underlyingError = underlyingError
    }

    /// The same error with the URL of the request it happened in, unless it names one already.
    func failing(_ url: URL?) -> RequestSerializationError {
        let text = failingURL ?? url?.absoluteString
        return RequestSerializationError(code, reason: reason, failingURL: text, underlyingError: underlyingError)
    }
}
