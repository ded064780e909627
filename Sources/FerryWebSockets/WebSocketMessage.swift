extension WebSocketTask {
    /// A message.
    public enum Message: Sendable, Hashable {
        /// A binary message.
        case data(Data)
        /// A text message, sent in UTF-8.
        case string(String)

        /// The number of bytes.
        var size: Int {
            switch self {
            case .data(let data): data.count
            case .string(let text): text.utf8.count
            }
        }
    }

    /// The reason why a connection is closed (RFC 6455, section 7.4).
    public struct CloseCode: RawRepresentable, Hashable, Sendable {
        /// The number: 1000 to 1015 are the protocol's, 3000 to 3999 are registered, and 4000 to 4999 are private.
        public let rawValue: Int

        /// Creates a code from its number.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The connection is not closed.
        public static let invalid = CloseCode(rawValue: 0)
        /// The purpose of the connection is fulfilled.
        public static let normalClosure = CloseCode(rawValue: 1000)
        /// The peer goes away, as a server that stops does.
        public static let goingAway = CloseCode(rawValue: 1001)
        /// The peer has found an error of the protocol.
        public static let protocolError = CloseCode(rawValue: 1002)
        /// The peer cannot process this type of data.
        public static let unsupportedData = CloseCode(rawValue: 1003)
        /// The peer's close frame had no code; never sent.
        public static let noStatusReceived = CloseCode(rawValue: 1005)
        /// The connection ended without a close frame; never sent.
        public static let abnormalClosure = CloseCode(rawValue: 1006)
        /// A message does not have the format of its type, such as text that is not UTF-8.
        public static let invalidFramePayloadData = CloseCode(rawValue: 1007)
        /// A message violates the peer's policy.
        public static let policyViolation = CloseCode(rawValue: 1008)
        /// A message is too large.
        public static let messageTooBig = CloseCode(rawValue: 1009)
        /// The server lacks an extension that the client needs.
        public static let mandatoryExtensionMissing = CloseCode(rawValue: 1010)
        /// The server has failed.
        public static let internalServerError = CloseCode(rawValue: 1011)
        /// There was no valid handshake of TLS; never sent.
        public static let tlsHandshakeFailure = CloseCode(rawValue: 1015)

        /// Whether a close frame may have the code.
        var isSendable: Bool {
            switch rawValue {
            case 1000...1003, 1007...1014, 3000...4999: true
            default: false
            }
        }
    }
}
