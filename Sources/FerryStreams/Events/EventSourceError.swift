/// The reason why a stream of events is not opened again.
public struct EventSourceError: Error, Sendable {
    /// The kinds of failures.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name.
        public let rawValue: String

        /// Creates a code from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        // swift-format-ignore: DontRepeatTypeInStaticProperties
        /// The response has another status than 200 and 204.
        public static let unacceptableStatusCode = Code(rawValue: "unacceptableStatusCode")
        /// The response's media type is not `text/event-stream`.
        public static let unacceptableContentType = Code(rawValue: "unacceptableContentType")
    }

    /// The kind of failure.
    public let code: Code
    /// A sentence that describes the failure.
    public let message: String
    /// The response.
    public let response: HTTPURLResponse
}

extension EventSourceError: LocalizedError, CustomStringConvertible {
    /// The code, the message and the URL of the response.
    public var description: String { "EventSourceError(\(code.rawValue)): \(errorDescription ?? message)" }
    /// The message and the URL of the response.
    public var errorDescription: String? { message + (response.url.map { " (\($0.presentableText))" } ?? "") }
}
