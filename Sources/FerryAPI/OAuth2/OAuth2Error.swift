/// The reason why a token endpoint did not issue a token.
///
/// It never contains a token or the client's secret: these are removed from the server's text.
public struct OAuth2Error: Error, Sendable, Hashable, LocalizedError, CustomStringConvertible {
    /// The kind of an error: one of the codes below, or another code of the server.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The name of the code; for a code of the server, the value of `error` in its response.
        public let rawValue: String

        /// Creates a code with a name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        // The codes of RFC 6749, section 5.2.

        /// The request lacks a parameter, or is malformed in another way.
        public static let invalidRequest = Code(rawValue: "invalid_request")
        /// The client is unknown, or could not be authenticated.
        public static let invalidClient = Code(rawValue: "invalid_client")
        /// The refresh token is invalid, has expired or was revoked: the user has to sign in again.
        public static let invalidGrant = Code(rawValue: "invalid_grant")
        /// The client may not use this grant.
        public static let unauthorizedClient = Code(rawValue: "unauthorized_client")
        /// The server does not support this grant.
        public static let unsupportedGrantType = Code(rawValue: "unsupported_grant_type")
        /// The scope is unknown, malformed, or more than the user has granted.
        public static let invalidScope = Code(rawValue: "invalid_scope")

        // Ferry's codes.

        /// The response has a status other than 200 and 201, such as a redirect, and contains no error code.
        public static let unexpectedResponse = Code(rawValue: "unexpectedResponse")
        /// The response is not JSON, or it has no access token, or one of its members is not valid.
        public static let malformedResponse = Code(rawValue: "malformedResponse")
        /// The response has more than 256 KiB.
        public static let responseTooLarge = Code(rawValue: "responseTooLarge")
        /// The type of the token is not `bearer`.
        public static let unsupportedTokenType = Code(rawValue: "unsupportedTokenType")
        /// There is no refresh token: the user has to sign in.
        public static let missingRefreshToken = Code(rawValue: "missingRefreshToken")
        /// The token endpoint does not have the scheme https, and is not on this machine.
        public static let insecureEndpoint = Code(rawValue: "insecureEndpoint")
    }

    /// The kind of error.
    public let code: Code
    /// A sentence that describes the error, with the server's `error_description` if it has sent one.
    public let message: String
    /// The status code of the response; `nil` if there was none.
    public let statusCode: Int?

    /// Creates an error.
    public init(_ code: Code, _ message: String, statusCode: Int? = nil) {
        (self.code, self.message, self.statusCode) = (code, message, statusCode)
    }

    /// The message.
    public var errorDescription: String? { message }
    /// The code, the message and the status.
    public var description: String { "\(code.rawValue): \(message)\(statusCode.map { " (HTTP \($0))" } ?? "")" }
}
