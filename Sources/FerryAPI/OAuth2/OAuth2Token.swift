/// An access token of OAuth 2.0, with its refresh token, expiration date and scope (RFC 6749, section 5.1).
///
/// Its textual descriptions do not contain the tokens. Encoding it does, so that it can be stored in a safe place.
public struct OAuth2Token: Sendable, Hashable, Codable {
    /// The access token, which is sent as a bearer token.
    public var accessToken: String
    /// The token with which to get a new access token; `nil` if there is none.
    public var refreshToken: String?
    /// The date at which the access token expires; `nil` if that is unknown.
    public var expirationDate: Date?
    /// The scope of the access token, separated by spaces; `nil` if it is unknown.
    public var scope: String?

    /// Creates a token.
    ///
    /// To sign in with a refresh token that was stored, use an empty access token that expires in the distant past.
    ///
    /// - Parameters:
    ///   - accessToken: The access token.
    ///   - refreshToken: The token with which to get a new access token.
    ///   - expirationDate: The date at which the access token expires.
    ///   - scope: The scope of the access token, separated by spaces.
    public init(accessToken: String, refreshToken: String? = nil, expirationDate: Date? = nil, scope: String? = nil) {
        (self.accessToken, self.refreshToken, self.expirationDate) = (accessToken, refreshToken, expirationDate)
        self.scope = scope
    }
}

extension OAuth2Token: RedactedDescription {
    /// The kind of credential, without the tokens.
    public var description: String {
        refreshToken == nil ? "an OAuth 2.0 token" : "an OAuth 2.0 token with a refresh token"
    }
}
