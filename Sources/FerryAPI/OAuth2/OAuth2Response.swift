/// The response of a token endpoint: a token (RFC 6749, section 5.1) or an error (section 5.2).
struct OAuth2Response: Sendable {
    /// The size limit of a response, in bytes.
    static let maximumSize = 262_144
    /// The number of bytes from which a secret is removed from texts of the server.
    static let minimumSecretLength = 4
    /// The longest lifetime of a token in seconds, about 32 years; longer ones are shortened to it.
    static let maximumLifetime: TimeInterval = 1e9

    let status: Int
    let body: Data
    /// The texts that an error must not contain.
    let secrets: [String]

    /// Returns the token of the response; its lifetime counts from the date, the time at which the request was sent.
    ///
    /// If the server sends no refresh token, the old one remains valid (section 6). If it sends no scope, it has
    /// granted the requested scope or, if none was requested, that of the old token.
    func token(requestedAt date: Date, replacing old: OAuth2Token?, scope: String?) throws(OAuth2Error) -> OAuth2Token {
        let json = try? JSONValue(json: body)
        // Some servers send errors with the status 200.
        if let error = json?["error"]?.string { throw failure(error, description: json?["error_description"]?.string) }
        guard status == 200 || status == 201 else {
            throw OAuth2Error(.unexpectedResponse, "The token endpoint did not issue a token", statusCode: status)
        }
        guard let members = json?.object else { throw malformed("is not a JSON object") }
        guard let accessToken = Self.visible(members["access_token"]) else { throw malformed("has no access token") }
        guard let type = members["token_type"]?.string else { throw malformed("does not name the type of the token") }
        guard type.isEqualIgnoringCase("bearer") else {
            throw OAuth2Error(.unsupportedTokenType, "The token is not a bearer token", statusCode: status)
        }
        var token = OAuth2Token(accessToken: accessToken, refreshToken: old?.refreshToken)
        if let value = Self.present(members["refresh_token"]) {
            guard let refreshToken = Self.visible(value) else { throw malformed("has an invalid refresh token") }
            token.refreshToken = refreshToken
        }
        token.expirationDate = try lifetime(Self.present(members["expires_in"])).map { date.addingTimeInterval($0) }
        token.scope = members["scope"]?.string ?? scope ?? old?.scope
        return token
    }

    /// Returns the lifetime in seconds, which some servers send as a string.
    private func lifetime(_ value: JSONValue?) throws(OAuth2Error) -> TimeInterval? {
        guard let value else { return nil }
        let seconds =
            switch value {
            case .number(let number): number.doubleValue
            case .string(let text): ByteCount(digits: text).map { Double($0.int64) } ?? -1
            default: -1.0
            }
        guard seconds >= 0 else { throw malformed("has an invalid lifetime") }
        return min(seconds, Self.maximumLifetime)
    }

    private func malformed(_ reason: String) -> OAuth2Error {
        OAuth2Error(.malformedResponse, "The response of the token endpoint \(reason)", statusCode: status)
    }

    // MARK: - Errors

    private func failure(_ error: String, description: String?) -> OAuth2Error {
        let refusal = "The token endpoint refused the request"
        guard !error.isEmpty, let code = publicText(error, limit: 100), code == error else {
            return OAuth2Error(.unexpectedResponse, refusal, statusCode: status)
        }
        let text = description.flatMap { publicText($0, limit: 1_000) } ?? ""
        return OAuth2Error(.init(rawValue: code), text.isEmpty ? refusal : "\(refusal): \(text)", statusCode: status)
    }

    /// Returns a text of the server without secrets; `nil` if it is too long or has characters that it must not have.
    private func publicText(_ text: String, limit: Int) -> String? {
        guard text.utf8.count <= limit, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
        return secrets.reduce(text) { text, secret in
            // So short a text may be a part of ordinary words.
            secret.utf8.count < Self.minimumSecretLength ? text : text.replacing(secret, with: SecretName.placeholder)
        }
    }

    // MARK: - Members

    /// Returns the value of a member; `nil` also for `null`.
    private static func present(_ value: JSONValue?) -> JSONValue? { value == .null ? nil : value }

    /// Returns a token, which consists of visible characters and spaces (RFC 6749, appendix A.12 and A.17).
    private static func visible(_ value: JSONValue?) -> String? {
        guard let text = value?.string, !text.isEmpty else { return nil }
        return text.utf8.allSatisfy { (0x20...0x7E).contains($0) } ? text : nil
    }
}
