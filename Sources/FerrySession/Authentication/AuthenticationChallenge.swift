/// A 401 or 407 response that requires a credential.
struct AuthenticationChallenge: Sendable {
    struct Option: Hashable, Sendable {
        var scheme: AuthenticationScheme
        var realm: String?
    }

    /// The number of rejected credentials after which the response is delivered, whatever the delegate decides.
    static let mostFailures = 10

    var isProxy: Bool
    /// The remaining schemes, strongest first.
    var options: [Option]

    /// Reads the challenges of a response; `nil` if it has none that libcurl can answer.
    init?(_ head: ResponseHead, runtime: CurlRuntime?) {
        switch head.status {
        case 401: isProxy = false
        case 407: isProxy = true
        default: return nil
        }
        let name = isProxy ? "proxy-authenticate" : "www-authenticate"
        let values = head.fields.filter { $0.name.lowercased() == name }.map(\.value)
        let challenges = AuthenticateField.parse(values)
        let digest = AuthenticateField.digest(challenges)
        let offered = challenges.compactMap { challenge -> Option? in
            guard challenge.scheme != "digest" || challenge == digest else { return nil }
            return AuthenticationScheme(name: challenge.scheme).map { Option(scheme: $0, realm: challenge.realm) }
        }
        options = AuthenticationScheme.allCases.compactMap { scheme in
            guard let runtime, scheme.isSupported(by: runtime) else { return nil }
            return offered.first { $0.scheme == scheme }
        }
        if options.isEmpty { return nil }
    }

    /// Returns the protection space of the strongest remaining scheme, for the origin or proxy that sent the challenge.
    func space(of url: URL, proxy: ProxyServer?) -> URLProtectionSpace? {
        guard let option = options.first else { return nil }
        let origin = Origin(url)
        if isProxy {
            let type = origin.scheme == "https" ? NSURLProtectionSpaceHTTPSProxy : NSURLProtectionSpaceHTTPProxy
            return URLProtectionSpace(
                proxyHost: proxy?.host ?? origin.host,
                port: proxy?.port ?? origin.port,
                type: type,
                realm: option.realm,
                authenticationMethod: option.scheme.method
            )
        }
        return URLProtectionSpace(
            host: origin.host,
            port: origin.port,
            protocol: origin.scheme,
            realm: option.realm,
            authenticationMethod: option.scheme.method
        )
    }
}

/// A user and a password, with the scheme for which they were provided.
struct SchemeCredential: Hashable, Sendable {
    var scheme: AuthenticationScheme
    var user: String
    var password: String
}

/// Where a credential belongs; it is never sent anywhere else.
enum CredentialPlace: Hashable, Sendable {
    case origin(Origin)
    /// A proxy, identified by its address.
    case proxy(String)
}

/// An authentication question for the delegate.
struct AuthenticationQuestion: Sendable {
    var space: URLProtectionSpace
    var proposed: URLCredential?
    var failures: Int
    var response: URLResponse?

    /// Returns the question as the challenge that delegates receive.
    func challenge(_ answer: @escaping ChallengeSender.Answer) -> URLAuthenticationChallenge {
        URLAuthenticationChallenge(
            protectionSpace: space,
            proposedCredential: proposed,
            previousFailureCount: failures,
            failureResponse: response,
            error: nil,
            sender: ChallengeSender(answer)
        )
    }
}
