/// An authenticator for bearer tokens from a token endpoint of OAuth 2.0 (RFC 6749).
///
/// ```swift
/// let client = OAuth2Client(id: "robot", secret: secret)
/// let oauth = OAuth2Authenticator(
///     tokenEndpoint: endpoint,
///     client: client,
///     grant: .clientCredentials
/// )
/// let authentication = AuthenticationInterceptor(oauth)
/// ```
///
/// With the grant ``Grant/refreshToken``, give the interceptor the token that the user has signed in with, and store
/// each new token in its `didRefresh`: the server may replace the refresh token too.
///
/// The token endpoint receives secrets: redirects of its responses are not followed, and it must have the scheme https
/// or be on this machine. Unless a session is given, this machine is never reached through a proxy.
public struct OAuth2Authenticator: Authenticator {
    /// How a token is obtained.
    public enum Grant: Sendable, Hashable {
        /// By the client's own credentials (RFC 6749, section 4.4).
        case clientCredentials
        /// By the refresh token that came with the last access token (RFC 6749, section 6).
        case refreshToken
    }

    private let tokenEndpoint: URL
    private let client: OAuth2Client
    private let grant: Grant
    private let scope: String?
    private let parameters: [String: String]
    private let session: CurlSession
    package var clock: @Sendable () -> Date = { Date() }

    /// Creates an authenticator.
    ///
    /// - Parameters:
    ///   - tokenEndpoint: The URL of the token endpoint.
    ///   - client: The client.
    ///   - grant: How a token is obtained.
    ///   - scope: The scope to ask for, separated by spaces; with `nil`, the default, the server chooses it.
    ///   - parameters: More parameters of the token request, such as `audience`.
    ///   - session: The session for the token requests, which must not have the interceptor that uses the
    ///     authenticator. By default a separate ephemeral one, without cookies and stored credentials.
    public init(
        tokenEndpoint: URL,
        client: OAuth2Client,
        grant: Grant,
        scope: String? = nil,
        parameters: [String: String] = [:],
        session: CurlSession? = nil
    ) {
        (self.tokenEndpoint, self.client, self.grant, self.scope) = (tokenEndpoint, client, grant, scope)
        self.parameters = parameters
        self.session = session ?? Self.privateSession()
    }

    private static func privateSession() -> CurlSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        var options = CurlSession.Options()
        // An endpoint on this machine may have the scheme http, and a proxy would receive the secrets as plain text.
        options.proxy.exceptions = [".localhost", "127.0.0.0/8", "::1"]
        return CurlSession(configuration: configuration, options: options)
    }

    // MARK: - Authenticator

    /// Sets the `Authorization` field to the access token.
    public func apply(_ credential: OAuth2Token, to request: inout AdaptedRequest) throws {
        try request.setHeader(.bearer(credential.accessToken))
    }

    /// Returns the expiration date of the access token.
    public func expirationDate(of credential: OAuth2Token) -> Date? { credential.expirationDate }

    /// Returns a Boolean value that indicates whether the `Authorization` field has the access token.
    public func isRequest(_ request: URLRequest, authenticatedWith credential: OAuth2Token) -> Bool {
        request.isAuthorized(by: .bearer(credential.accessToken))
    }

    /// Requests a new token.
    ///
    /// - Parameter credential: The token to replace.
    /// - Returns: The new token. It has the old refresh token if the server has not sent another.
    /// - Throws: ``OAuth2Error``, or the error of the session.
    public func refresh(_ credential: OAuth2Token?) async throws -> OAuth2Token {
        let request = try tokenRequest(replacing: credential)
        let date = clock()
        let (response, body) = try await send(request)
        // A value of lower-case letters, such as `jwt_token`, may be a part of an error's code.
        let values = parameters.filter { name, value in
            SecretName.isSecret(name) && !value.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x5F }
        }
        let texts = Array(values.values) + [credential?.refreshToken, credential?.accessToken].compactMap { $0 }
        // The longest first, since a secret may be a part of another.
        let secrets = (client.secrets + texts + texts.map(OAuth2Client.formEncoded)).sorted { $0.count > $1.count }
        return try OAuth2Response(status: response.statusCode, body: body, secrets: secrets)
            .token(requestedAt: date, replacing: grant == .refreshToken ? credential : nil, scope: requestedScope)
    }

    // MARK: - Requests

    private var requestedScope: String? { scope ?? parameters["scope"] }

    private func tokenRequest(replacing credential: OAuth2Token?) throws -> URLRequest {
        guard tokenEndpoint.isWebAddress, tokenEndpoint.scheme?.lowercased() == "https" || tokenEndpoint.isLoopback
        else { throw OAuth2Error(.insecureEndpoint, "The token endpoint must have the scheme https") }
        var form = parameters.merging(client.parameters) { $1 }
        form["scope"] = requestedScope
        switch grant {
        case .clientCredentials: form["grant_type"] = "client_credentials"
        case .refreshToken:
            guard let token = credential?.refreshToken else {
                throw OAuth2Error(.missingRefreshToken, "There is no refresh token; the user has to sign in")
            }
            form["grant_type"] = "refresh_token"
            form["refresh_token"] = token
        }
        var request = URLRequest(url: tokenEndpoint)
        request.httpMethod = "POST"
        request.httpShouldHandleCookies = false
        try request.setHeader(.accept("application/json"))
        if let authorization = client.authorization { try request.setHeader(authorization) }
        let text = try QueryEncoding(spaces: .plus).encode(Parameters(form))
        try request.setBody(Data(text.utf8), contentType: "application/x-www-form-urlencoded")
        return request
    }

    private func send(_ request: URLRequest) async throws -> (HTTPURLResponse, Data) {
        let (bytes, response) = try await session.bytes(for: request, delegate: RedirectRefusal())
        guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        var body = Data()
        for try await chunk in bytes.chunks {
            guard body.count + chunk.count <= OAuth2Response.maximumSize else {
                throw OAuth2Error(
                    .responseTooLarge,
                    "The response of the token endpoint is too large",
                    statusCode: response.statusCode
                )
            }
            body.append(chunk)
        }
        return (response, body)
    }
}

extension OAuth2Authenticator: RedactedDescription {
    /// The token endpoint and the client's identifier, without secrets.
    public var description: String { "\(client) at \(tokenEndpoint.presentableText)" }
}

/// A delegate that follows no redirect, which would send the secrets in the body to another server.
private final class RedirectRefusal: NSObject, URLSessionTaskDelegate, Sendable {
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}

extension URL {
    /// Whether the host is this machine (RFC 6761, section 6.3; RFC 1122, section 3.2.1.3).
    fileprivate var isLoopback: Bool {
        let host = Origin(self).host
        return URLHost.isLocalhost(host) || host == "::1"
            || (host.hasPrefix("127.") && (try? URLHost(host))?.kind == .ipv4)
    }
}
