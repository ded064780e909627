import FerrySession

/// Why a request failed, with everything that is known about it.
///
/// ``code`` says what happened in a form to compare with, ``message`` says it in a sentence. ``response`` and ``data``
/// are what the server sent, so that the body of an error response is never lost. Errors form a chain through
/// ``underlyingError``; ``contains(_:)`` looks along the whole of it.
///
/// An error bridges to `NSError`: see ``nsError``.
public struct NetworkError: Error, Sendable {
    /// What went wrong.
    public var code: Code

    /// What went wrong, as a sentence that names the thing at fault.
    public var message: String

    /// The URL that failed, without user and password; after a redirection the last one.
    public var failingURL: URL? {
        didSet { failingURL = failingURL?.presentable }
    }

    /// The server's response, where one came; its URL is without user and password.
    public var response: HTTPURLResponse? {
        didSet { response = response?.presentable }
    }

    /// The body, or as much of it as came.
    public var data: Data?

    /// The error that caused this one or, for a body that is both unacceptable and malformed, the validation error.
    public var underlyingError: (any Error)?

    /// What the parser or decoder threw, when ``code`` is ``Code/decodingFailed``.
    public var decodingError: (any Error)?

    /// What a download needs to go on where it stopped, where the task had any.
    public var resumeData: Data?

    /// The content types that would have been accepted, when ``code`` is ``Code/unacceptableContentType``.
    public var acceptableContentTypes: Set<String>?

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: What went wrong.
    ///   - message: What went wrong, as a sentence.
    ///   - failingURL: The URL that failed; by default the response's.
    ///   - response: The server's response.
    ///   - data: The body.
    ///   - underlyingError: The error that caused this one.
    ///   - decodingError: What the parser or decoder threw.
    ///   - resumeData: What a download needs to go on.
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
