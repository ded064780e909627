/// The rules of one kind of credential: how a request carries it, when it expires, and how it is refreshed.
///
/// ```swift
/// struct SessionKeys: Authenticator {
///     func apply(_ key: Key, to request: inout AdaptedRequest) {
///         request.setValue(key.text, forHTTPHeaderField: "X-Session")
///     }
///     func isRequest(_ request: URLRequest, authenticatedWith key: Key) -> Bool {
///         request.value(forHTTPHeaderField: "X-Session") == key.text
///     }
///     func expirationDate(of key: Key) -> Date? { key.end }
///     func refresh(_ key: Key?) async throws -> Key { try await signIn() }
/// }
/// ```
///
/// An ``AuthenticationInterceptor`` decides when to call these methods, on any thread and never with a lock held. For
/// bearer tokens there is ``BearerAuthenticator``, for OAuth 2.0 `OAuth2Authenticator` of the module `FerryAPI`.
/// Alamofire: `Authenticator`.
public protocol Authenticator: Sendable {
    /// The type of a credential, such as a token.
    ///
    /// Its description should not contain the secret.
    associatedtype Credential: Sendable

    /// Adds a credential to a request.
    ///
    /// It must not block: it may be called on the thread that resumes a task.
    ///
    /// - Parameters:
    ///   - credential: The credential, which may have expired a moment ago.
    ///   - request: The request, which is about to be sent to an origin that may receive the credential.
    /// - Throws: The reason why the request must not be sent, with which the task then fails.
    func apply(_ credential: Credential, to request: inout AdaptedRequest) throws

    /// Returns the date after which the server refuses a credential; `nil`, the default, if that is unknown.
    ///
    /// It is called once for each credential.
    func expirationDate(of credential: Credential) -> Date?

    /// Returns a new credential.
    ///
    /// Only one call runs at a time. It is not cancelled if the requests that wait for it are; it is cancelled after
    /// ``AuthenticationOptions/refreshTimeout``, and when ``AuthenticationInterceptor/credential`` is set.
    ///
    /// It should send requests through a session or manager without the same interceptor: a request that needs the
    /// result of the refresh fails with ``AuthenticationError/Code/refreshWaitsForItself``. If another interceptor is
    /// not an `ImmediateRequestInterceptor`, the refresh waits for itself instead, and fails after its time limit.
    ///
    /// - Parameter credential: The credential to replace, or `nil` if there is none yet.
    /// - Returns: The credential to use from now on.
    /// - Throws: The reason why there is none, with which all waiting requests fail.
    func refresh(_ credential: Credential?) async throws -> Credential

    /// Returns a Boolean value that indicates whether a response means that the server refuses the credential.
    ///
    /// It is called for the statuses in ``AuthenticationOptions/failureStatusCodes``, by default 401 alone. The default
    /// is `true`.
    func isAuthenticationFailure(_ response: HTTPURLResponse) -> Bool

    /// Returns a Boolean value that indicates whether a request carries a credential.
    ///
    /// If a refused request carries an older credential than the current one, it is sent again without a refresh.
    ///
    /// - Parameters:
    ///   - request: A request that the server has refused, as it was sent.
    ///   - credential: The current credential.
    /// - Returns: Whether ``apply(_:to:)`` has added this credential to the request.
    func isRequest(_ request: URLRequest, authenticatedWith credential: Credential) -> Bool
}

extension Authenticator {
    /// Returns `nil`: a credential is used until the server refuses it.
    public func expirationDate(of credential: Credential) -> Date? { nil }

    /// Returns `true`.
    public func isAuthenticationFailure(_ response: HTTPURLResponse) -> Bool { true }
}
