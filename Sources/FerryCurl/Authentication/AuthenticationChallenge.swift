/// A 401 or 407 response that requires a credential.
package struct AuthenticationChallenge: Sendable {
    package struct Option: Hashable, Sendable {
        package var scheme: AuthenticationScheme
        package var realm: String?
    }

    /// The number of rejected credentials after which the response is delivered, whatever the delegate decides.
    package static let maximumFailures = 10

    package var isProxy: Bool
    /// The remaining schemes, strongest first.
    package var options: [Option]

    /// Reads the challenges of a response; `nil` if it has none that libcurl can answer.
    ///
    /// Basic is left out beside a Digest challenge that cannot be answered, since anyone could write such a challenge
    /// to get the password. It is used beside schemes that are not known or that this libcurl lacks.
    package init?(_ head: ResponseHead, runtime: CurlRuntime?) {
        switch head.status {
        case 401: isProxy = false
        case 407: isProxy = true
        default: return nil
        }
        let values = Self.values(head)
        let challenges = AuthenticateField.parse(values)
        let hasDigest = challenges.contains { $0.scheme == "digest" }
        let digest = hasDigest ? AuthenticateField.digest(values) : nil
        options = AuthenticationScheme.allCases.compactMap { scheme in
            guard let runtime, scheme.isSupported(by: runtime) else { return nil }
            if scheme == .basic, hasDigest, digest == nil { return nil }
            let challenge = scheme == .digest ? digest : challenges.first { $0.scheme == scheme.rawValue }
            return challenge.map { Option(scheme: scheme, realm: $0.realm) }
        }
        if options.isEmpty { return nil }
    }

    /// The values of the field with the challenges of a response with status 401 or 407.
    package static func values(_ head: ResponseHead) -> [String] {
        let name = head.status == 407 ? "proxy-authenticate" : "www-authenticate"
        return head.fields.filter { $0.name.lowercased() == name }.map(\.value)
    }

    /// Returns the protection space of the strongest remaining scheme, for the origin or proxy that sent the challenge.
    package func space(of url: URL, proxy: ProxyServer?) -> URLProtectionSpace? {
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

extension AuthenticationScheme {
    func isSupported(by runtime: CurlRuntime) -> Bool {
        switch self {
        case .negotiate: runtime.supportsNegotiate
        case .ntlm: runtime.supportsNTLM
        case .digest, .basic: true
        }
    }
}
