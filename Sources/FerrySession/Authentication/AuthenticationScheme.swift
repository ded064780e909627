/// An authentication scheme that libcurl supports; the cases are ordered strongest first.
enum AuthenticationScheme: CaseIterable, Hashable, Sendable {
    case negotiate
    case ntlm
    case digest
    case basic

    init?(name: String) {
        switch name {
        case "negotiate": self = .negotiate
        case "ntlm": self = .ntlm
        case "digest": self = .digest
        case "basic": self = .basic
        default: return nil
        }
    }

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
