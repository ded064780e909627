/// The identifier and the secret with which a client authenticates at a token endpoint (RFC 6749, section 2.3).
///
/// Its textual descriptions do not contain the secret.
public struct OAuth2Client: Sendable, Hashable {
    /// How a client authenticates.
    public enum Method: Sendable, Hashable {
        /// With HTTP Basic, for which identifier and secret are form-encoded first (RFC 6749, section 2.3.1).
        case basic
        /// With `client_id` and `client_secret` in the body, for servers that do not support HTTP Basic.
        case body
    }

    /// The identifier.
    public let id: String
    /// The secret; `nil` for a public client, which sends only its identifier, in the body (RFC 6749, section 3.2.1).
    public let secret: String?
    /// How the client authenticates.
    public let method: Method

    /// Creates a client, which by default authenticates with HTTP Basic.
    public init(id: String, secret: String?, method: Method = .basic) {
        (self.id, self.secret, self.method) = (id, secret, method)
    }

    /// The `Authorization` field for a token endpoint; `nil` if the client is authenticated in the body.
    var authorization: HTTPHeader? {
        guard let secret, method == .basic else { return nil }
        return .basic(username: Self.formEncoded(id), password: Self.formEncoded(secret))
    }

    /// The parameters for the body of a token request.
    var parameters: [String: String] {
        guard let secret else { return ["client_id": id] }
        return method == .basic ? [:] : ["client_id": id, "client_secret": secret]
    }

    /// The client's secret in the forms in which it is sent.
    var secrets: [String] {
        [secret, secret.map(Self.formEncoded), authorization.map { String($0.value.dropFirst("Basic ".count)) }]
            .compactMap { $0 }
    }

    static func formEncoded(_ text: String) -> String { text.utf8.percentEncoded(keeping: "-._~/?", spaceIsPlus: true) }
}

extension OAuth2Client: RedactedDescription {
    /// The identifier, without the secret.
    public var description: String { "the OAuth 2.0 client \(id)" }
}
