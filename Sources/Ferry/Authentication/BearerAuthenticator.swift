/// A bearer token (RFC 6750), with the date at which it expires if that is known.
///
/// Its textual descriptions do not contain the token.
public struct BearerToken: Sendable, Hashable, RedactedDescription {
    /// The token, as it is sent after `Bearer`.
    public let value: String
    /// The date at which the token expires; `nil` if that is unknown.
    public let expirationDate: Date?

    /// Creates a token.
    public init(_ value: String, expirationDate: Date? = nil) {
        self.value = value
        self.expirationDate = expirationDate
    }

    /// The kind of credential, without the token.
    public var description: String { "a bearer token" }
}

/// An authenticator for bearer tokens (RFC 6750), which a closure refreshes.
///
/// The token is sent in the `Authorization` field, and replaces one that the request already has. Anyone who reads the
/// token can use it: send it over https only.
public struct BearerAuthenticator: Authenticator {
    /// A closure that returns a new token.
    ///
    /// It receives the token to replace, or `nil` if there is none yet. See ``Authenticator/refresh(_:)``.
    public typealias Refresh = @Sendable (BearerToken?) async throws -> BearerToken

    private let refreshToken: Refresh

    /// Creates an authenticator.
    public init(refresh: @escaping Refresh) { refreshToken = refresh }

    /// Sets the `Authorization` field.
    ///
    /// - Parameters:
    ///   - credential: The token.
    ///   - request: The request.
    /// - Throws: ``RequestSerializationError`` if the token has a line break or a NUL.
    public func apply(_ credential: BearerToken, to request: inout AdaptedRequest) throws {
        try request.setHeader(.bearer(credential.value))
    }

    /// Returns the expiration date of the token.
    public func expirationDate(of credential: BearerToken) -> Date? { credential.expirationDate }

    /// Returns a new token from the closure.
    public func refresh(_ credential: BearerToken?) async throws -> BearerToken { try await refreshToken(credential) }

    /// Returns a Boolean value that indicates whether the `Authorization` field has the token.
    public func isRequest(_ request: URLRequest, authenticatedWith credential: BearerToken) -> Bool {
        request.isAuthorized(by: .bearer(credential.value))
    }
}

extension AdaptedRequest {
    /// Sets one field, replacing the request's field of the same name.
    package mutating func setHeader(_ field: HTTPHeader) throws {
        try field.validate()
        setValue(field.value, forHTTPHeaderField: field.name)
    }
}

extension URLRequest {
    /// Returns whether the request's `Authorization` field has the value of the given field.
    package func isAuthorized(by field: HTTPHeader) -> Bool {
        value(forHTTPHeaderField: "Authorization") == field.value
    }
}

extension AuthenticationInterceptor where A == BearerAuthenticator {
    /// Returns an interceptor that sends a bearer token (RFC 6750), which a closure refreshes.
    ///
    /// ```swift
    /// let authentication = AuthenticationInterceptor.bearer(initial: token) { token in
    ///     try await account.newToken(replacing: token)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - initial: The first token. If it is `nil`, the default, the first request waits for a refresh.
    ///   - options: The options.
    ///   - refresh: Returns a new token. It should send its requests without this interceptor.
    /// - Returns: The interceptor.
    public static func bearer(
        initial: BearerToken? = nil,
        options: AuthenticationOptions = AuthenticationOptions(),
        refresh: @escaping BearerAuthenticator.Refresh
    ) -> AuthenticationInterceptor<BearerAuthenticator> {
        AuthenticationInterceptor(BearerAuthenticator(refresh: refresh), credential: initial, options: options)
    }
}
