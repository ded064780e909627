/// What `CurlSession` has to say beyond `URLError`.
///
/// Tasks complete with a `URLError`, as in URLSession; where Ferry knows more, this error is its `NSUnderlyingErrorKey`.
public struct CurlSessionError: Error, Sendable, Hashable, LocalizedError, CustomStringConvertible {
    /// What went wrong; the set may grow.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The name of the code.
        public let rawValue: String

        /// A code by its name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// libcurl was not found, or is too old.
        public static let curlUnavailable = Code(rawValue: "curlUnavailable")
        /// The task was made in, or resumed after, an invalidated session.
        public static let sessionInvalidated = Code(rawValue: "sessionInvalidated")
        /// The method is not a token of RFC 9110, section 5.6.2.
        public static let invalidMethod = Code(rawValue: "invalidMethod")
        /// A header's name or value has bytes that HTTP does not allow.
        public static let invalidHeader = Code(rawValue: "invalidHeader")
        /// The kind of task is not supported.
        public static let unsupportedTask = Code(rawValue: "unsupportedTask")
        /// The call goes around the engine, to FoundationNetworking's own HTTP.
        public static let bypassesEngine = Code(rawValue: "bypassesEngine")
        /// The inactivity deadline passed: `timeoutInterval` without a byte in either direction.
        public static let inactivityTimeout = Code(rawValue: "inactivityTimeout")
        /// The deadline of the whole exchange passed: `timeoutIntervalForResource`.
        public static let resourceTimeout = Code(rawValue: "resourceTimeout")
        /// The connection did not stand in time: ``CurlSession/Options/connectTimeout``.
        public static let connectTimeout = Code(rawValue: "connectTimeout")
        /// The body's stream cannot be read a second time, and no new one was given.
        public static let bodyNotReplayable = Code(rawValue: "bodyNotReplayable")
        /// The body's length is not the one that was announced.
        public static let bodyLengthMismatch = Code(rawValue: "bodyLengthMismatch")
        /// The content coding of the response ended early or is damaged.
        public static let damagedContentCoding = Code(rawValue: "damagedContentCoding")
        /// The interrupted response cannot be continued, since the server has another one now.
        public static let cannotContinue = Code(rawValue: "cannotContinue")
        /// The resume data is not Ferry's, is damaged, or its partial file is gone.
        public static let invalidResumeData = Code(rawValue: "invalidResumeData")
        /// libcurl reported an error; ``CurlSessionError/curlCode`` has its number.
        public static let curl = Code(rawValue: "curl")
    }

    /// What went wrong.
    public let code: Code

    /// A sentence that names what was wrong.
    public let message: String

    /// libcurl's number of the error, where it comes from libcurl.
    public let curlCode: Int?

    /// Makes an error.
    public init(_ code: Code, _ message: String, curlCode: Int? = nil) {
        self.code = code
        self.message = message
        self.curlCode = curlCode
    }

    /// The message.
    public var errorDescription: String? { message }

    /// The code and the message.
    public var description: String { "\(code.rawValue): \(message)" }
}
