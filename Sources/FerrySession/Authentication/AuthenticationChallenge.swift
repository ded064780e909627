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
            return AuthenticationScheme(rawValue: challenge.scheme).map { Option(scheme: $0, realm: challenge.realm) }
        }
        options = AuthenticationScheme.allCases.compactMap { scheme in
            guard let runtime, scheme.isSupported(by: runtime) else { return nil }
            return offered.first { $0.scheme == scheme }
        }
        if options.isEmpty { return nil }
    }

    /// The realm of the strongest remaining scheme.
    var realm: String? { options.first?.realm }

    /// Returns the protection space of the strongest remaining scheme, for the origin or proxy that sent the challenge.
    func space(of url: URL, proxy: ProxyServer?) -> URLProtectionSpace? {
        guard let option = options.first else { return nil }
        let (origin, realm, method) = (Origin(url), option.realm, option.scheme.method)
        guard isProxy else {
            return URLProtectionSpace(
                host: origin.exactHost,
                port: origin.port,
                protocol: origin.scheme,
                realm: realm,
                authenticationMethod: method
            )
        }
        return URLProtectionSpace(
            proxyHost: proxy?.host ?? origin.host,
            port: proxy?.port ?? origin.port,
            type: origin.scheme == "https" ? NSURLProtectionSpaceHTTPSProxy : NSURLProtectionSpaceHTTPProxy,
            realm: realm,
            authenticationMethod: method
        )
    }
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

/// An authentication scheme that libcurl supports; the cases are ordered strongest first.
enum AuthenticationScheme: String, CaseIterable, Sendable {
    case negotiate, ntlm, digest, basic

    /// The bit of the scheme in `CURLOPT_HTTPAUTH`.
    var mask: Int {
        switch self {
        case .basic: 1
        case .digest: 2
        case .negotiate: 4
        case .ntlm: 8
        }
    }

    /// The authentication method of `URLProtectionSpace`.
    var method: String {
        switch self {
        case .negotiate: NSURLAuthenticationMethodNegotiate
        case .ntlm: NSURLAuthenticationMethodNTLM
        case .digest: NSURLAuthenticationMethodHTTPDigest
        case .basic: NSURLAuthenticationMethodHTTPBasic
        }
    }

    /// Whether this libcurl supports the scheme.
    func isSupported(by runtime: CurlRuntime) -> Bool {
        switch self {
        case .negotiate: runtime.supportsNegotiate
        case .ntlm: runtime.supportsNTLM
        case .digest, .basic: true
        }
    }
}

/// Answers a challenge through the methods of `URLAuthenticationChallengeSender`, for code that still calls them.
final class ChallengeSender: NSObject, URLAuthenticationChallengeSender {
    typealias Answer = @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

    private let answer: Answer

    init(_ answer: @escaping Answer) { self.answer = answer }

    func use(_ credential: URLCredential, for _: URLAuthenticationChallenge) { answer(.useCredential, credential) }
    func continueWithoutCredential(for _: URLAuthenticationChallenge) { answer(.useCredential, nil) }
    func cancel(_: URLAuthenticationChallenge) { answer(.cancelAuthenticationChallenge, nil) }
    func performDefaultHandling(for _: URLAuthenticationChallenge) { answer(.performDefaultHandling, nil) }
    func rejectProtectionSpaceAndContinue(with _: URLAuthenticationChallenge) { answer(.rejectProtectionSpace, nil) }
}
