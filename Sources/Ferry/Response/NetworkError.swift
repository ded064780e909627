import FerrySession

/// The error of a request.
///
/// ``code`` is the kind of error, for comparing; ``message`` describes it in a sentence. ``response`` and ``data`` are
/// what the server sent, so that the body of an error response is never lost. Errors form a chain of
/// ``underlyingError``s, all of which ``contains(_:)`` searches.
///
/// An error bridges to `NSError`: see ``nsError``.
public struct NetworkError: Error, Sendable {
    /// The kind of error.
    public var code: Code

    /// A description of the error as a sentence, which names what caused it.
    public var message: String

    /// The URL that failed, without user and password; after redirects, the last one.
    public var failingURL: URL? {
        didSet { failingURL = failingURL?.presentable }
    }

    /// The server's response, if there is one; its URL has no user and password.
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

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of error.
    ///   - message: A description of the error as a sentence.
    ///   - failingURL: The URL that failed; by default the response's.
    ///   - response: The server's response.
    ///   - data: The body.
    ///   - underlyingError: The error that caused this one.
    ///   - decodingError: The error of the parser or decoder.
    ///   - resumeData: The data with which a download can be resumed.
    ///   - acceptableContentTypes: The content types that would have been accepted.
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
        self.failingURL = (failingURL ?? response?.url)?.presentable
        self.response = response?.presentable
        self.data = data
        self.underlyingError = underlyingError
        self.decodingError = decodingError
        self.resumeData = resumeData
        self.acceptableContentTypes = acceptableContentTypes
    }
}
