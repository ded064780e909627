/// The name and value of a field of a request.
typealias HeaderField = (name: String, value: String)

/// What all transfers of one session share.
struct EngineSettings: Sendable {
    var maximumConnectionsPerHost: Int
    var maximumRedirects: Int
    var allowsInsecureRedirects: Bool
    var sensitiveHeaders: Set<String>
    var additionalHeaders: [HeaderField]
    /// The whole `User-Agent` field, which nearly every request has.
    var userAgentLine: String
    /// The lines of a request without a field and without a body.
    var plainLines: [String] = []
    /// What TLS connections are made with, or why they cannot be.
    var tls: Result<TLSMaterial, CurlSessionError>
    /// Which proxy requests go through, or why that cannot be said.
    var proxy: Result<ProxyTable, CurlSessionError>
    /// How hosts are reached, or why they cannot be.
    var network: Result<NetworkMaterial, CurlSessionError>
    var temporaryDirectory: URL
    var decodesContent: Bool
    var decodingLimits: ContentDecodingLimits
    var cookies: CookieJar?
    var credentialStore: CredentialStore?
    var cache: HTTPCache?
    var cachePolicy: URLRequest.CachePolicy

    /// The additional headers of a request: without those that are secret after a redirect to another origin.
    func additionalHeaders(hasLeftOrigin: Bool) -> [HeaderField] {
        guard hasLeftOrigin, !additionalHeaders.isEmpty else { return additionalHeaders }
        return additionalHeaders.filter { !isSecret($0.name.folded) }
    }

    /// Whether the field with a name in lower case has credentials, or is among the sensitive ones.
    func isSecret(_ folded: String) -> Bool {
        RedirectRule.credentialHeaders.contains(folded)
            || (!sensitiveHeaders.isEmpty && sensitiveHeaders.contains(folded))
    }

    /// Whether a transfer begins without reading a disk, and runs no code of the user's.
    var isSelfContained: Bool {
        let isStandard = credentialStore.map { type(of: $0.storage) == URLCredentialStorage.self } ?? true
        let hasEvaluator = (try? tls.get())?.evaluator != nil
        return isStandard && !hasEvaluator && cache?.isInMemory ?? true
    }
}
