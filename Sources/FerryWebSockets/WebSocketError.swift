/// The reason why a WebSocket fails.
///
/// Errors of the network are those of the session, `URLError` in most cases.
public struct WebSocketError: Error, Sendable {
    /// The kinds of failures.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name.
        public let rawValue: String

        /// Creates a code from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The URL's scheme is not `ws`, `wss`, `http` or `https`, or a subprotocol is not a token or named twice.
        public static let invalidRequest = Code(rawValue: "invalidRequest")
        /// The server has responded with another status than 101; see ``WebSocketError/response``.
        public static let refused = Code(rawValue: "refused")
        /// The response to the handshake breaks RFC 6455, section 4.1.
        public static let invalidHandshake = Code(rawValue: "invalidHandshake")
        /// The server has broken the protocol, and the connection is closed with the corresponding code.
        public static let protocolViolation = Code(rawValue: "protocolViolation")
        /// A message is larger than ``WebSocketTask/maximumMessageSize``.
        public static let messageTooLarge = Code(rawValue: "messageTooLarge")
        /// The connection is closed; see ``WebSocketError/closeCode``.
        public static let closed = Code(rawValue: "closed")
        /// The server has not answered a ping, or the handshake, in time.
        public static let timedOut = Code(rawValue: "timedOut")
        /// The value of a message cannot be encoded or decoded.
        public static let coding = Code(rawValue: "coding")
    }

    /// The kind of failure.
    public let code: Code
    /// A sentence that describes the failure.
    public let message: String
    /// The response to the handshake, if the server has refused it.
    public let response: HTTPURLResponse?
    /// The code with which the connection was closed, if it was.
    public let closeCode: WebSocketTask.CloseCode?
    /// The error that has caused this one.
    public let underlyingError: (any Error)?

    init(
        _ code: Code,
        _ message: String,
        response: HTTPURLResponse? = nil,
        closeCode: WebSocketTask.CloseCode? = nil,
        underlyingError: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.response = response
        self.closeCode = closeCode
        self.underlyingError = underlyingError
    }

    /// The error of a task that fails for this reason.
    var ofTask: URLError {
        let info: [String: Any] = [NSLocalizedDescriptionKey: message, NSUnderlyingErrorKey: self]
        return URLError(code == .timedOut ? .timedOut : .badServerResponse, userInfo: info)
    }
}

extension WebSocketError: LocalizedError, CustomStringConvertible {
    /// The code and the message.
    public var description: String { "WebSocketError(\(code.rawValue)): \(message)" }
    /// The message.
    public var errorDescription: String? { message }
}
