/// What all transfers of one session share.
struct EngineSettings: Sendable {
    var maximumConnectionsPerHost: Int
    var maximumRedirects: Int
    var allowsInsecureRedirects: Bool
    var sensitiveHeaders: Set<String>
    var additionalHeaders: [(name: String, value: String)]
    /// The whole `User-Agent` field, which nearly every request has.
    var userAgentLine: String
    /// What TLS connections are made with, or why they cannot be.
    var tls: Result<TLSMaterial, CurlSessionError>
    var proxy: String?
    var temporaryDirectory: URL
    var decodesContent: Bool
    var cookies: CookieJar?
    var credentialStore: CredentialStore?
}
