/// An authentication scheme that libcurl supports; the cases are ordered strongest first.
package enum AuthenticationScheme: String, CaseIterable, Sendable {
    case negotiate, ntlm, digest, basic

    /// The bit of the scheme in `CURLOPT_HTTPAUTH`.
    package var mask: Int {
        switch self {
        case .basic: 1
        case .digest: 2
        case .negotiate: 4
        case .ntlm: 8
        }
    }

    /// Whether a server may treat all requests on a connection as those of the user who was authenticated there.
    package var holdsForConnection: Bool { self == .negotiate || self == .ntlm }

    /// Whether libcurl sends the first request without its body, to get the challenge that it computes a response from.
    package var takesSeveralRequests: Bool { self != .basic }

    /// The authentication method of `URLProtectionSpace`.
    package var method: String {
        switch self {
        case .negotiate: NSURLAuthenticationMethodNegotiate
        case .ntlm: NSURLAuthenticationMethodNTLM
        case .digest: NSURLAuthenticationMethodHTTPDigest
        case .basic: NSURLAuthenticationMethodHTTPBasic
        }
    }
}
