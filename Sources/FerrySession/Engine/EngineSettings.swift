/// The name and value of a field of a request.
typealias HeaderField = (name: String, value: String)

/// The settings that all exchanges of a session share; a class, because each request passes them on several times.
final class EngineSettings: Sendable {
    let maximumConnectionsPerHost: Int
    /// The number of connections, used or idle, above which idle ones are closed.
    var keptConnections: Int { 2 * min(max(8, maximumConnectionsPerHost), 500) }
    let maximumUploadBytesPerSecond: Int?
    let limits: RequestLimits?
    let coalescesIdenticalRequests: Bool
    let maximumRedirects: Int
    let allowsInsecureRedirects: Bool
    let sensitiveHeaders: Set<String>
    let additionalHeaders: [HeaderField]
    /// The names, in lower case, of fields that are not added to requests.
    let omittedHeaders: Set<String>
    /// The whole `User-Agent` field, which nearly every request has.
    let userAgentLine: String
    /// The lines of a request without a field and without a body.
    let plainLines: [String]
    /// The material of TLS connections, or why it cannot be used.
    let tls: Result<TLSMaterial, CurlSessionError>
    /// The proxies of requests, or why they cannot be used.
    let proxy: Result<ProxyTable, CurlSessionError>
    /// The addresses and interfaces of connections, or why they cannot be used.
    let network: Result<NetworkMaterial, CurlSessionError>
    let temporaryDirectory: URL
    let decodesContent: Bool
    let decodingLimits: ContentDecodingLimits
    let cookies: CookieJar?
    let credentialStore: CredentialStore?
    let cache: HTTPCache?
    let cachePolicy: URLRequest.CachePolicy

    /// Reads a configuration, which must not change afterwards, and options.
    init(_ configuration: URLSessionConfiguration, options: CurlSession.Options) {
        // The configuration's default of 6 is too few where latency is high; see the option.
        let (standard, configured) = (6, configuration.httpMaximumConnectionsPerHost)
        let most = options.maximumConnectionsPerHost ?? (configured == standard ? 64 : configured)
        maximumConnectionsPerHost = max(1, most)
        maximumUploadBytesPerSecond = options.maximumUploadBytesPerSecond.map { max(1, $0) }
        limits = options.limits
        coalescesIdenticalRequests = options.coalescesIdenticalRequests
        maximumRedirects = max(0, options.maximumRedirects)
        allowsInsecureRedirects = options.allowsInsecureRedirects
        sensitiveHeaders = Set(options.sensitiveHeaders.map { $0.lowercased() })
        additionalHeaders = (configuration.httpAdditionalHeaders ?? [:]).map { ("\($0.key.base)", "\($0.value)") }
        omittedHeaders = Set(options.omittedHeaders.map { $0.lowercased() })
        userAgentLine = "User-Agent: \(Self.userAgent)"
        tls = Result { () throws(CurlSessionError) in
            try TLSMaterial(options.tls, runtime: try? CurlRuntime.current())
        }
        proxy = Result { () throws(CurlSessionError) in
            try ProxyTable(options.proxy, dictionary: configuration.connectionProxyDictionary)
        }
        network = Result { () throws(CurlSessionError) in
            try NetworkMaterial(options.network, runtime: try? CurlRuntime.current())
        }
        temporaryDirectory = options.temporaryDirectory ?? FileManager.default.temporaryDirectory
        decodesContent = options.decodesContent
        decodingLimits = options.decodingLimits
        cookies = CookieJar(configuration)
        credentialStore = configuration.urlCredentialStorage.map(CredentialStore.init)
        cache = options.cache ?? HTTPCache(configuration.urlCache)
        cachePolicy = configuration.requestCachePolicy
        plainLines = PreparedRequest.lines(
            [],
            userAgentLine: userAgentLine,
            decodesContent: decodesContent,
            omitted: omittedHeaders,
            method: "GET",
            context: PreparedRequest.Context()
        )
    }

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

    private static let userAgent: String = {
        let process = ProcessInfo.processInfo.processName
        let name = String(process.map { $0.isASCII && HeaderRule.isToken(String($0)) ? $0 : "-" })
        let curl = (try? CurlRuntime.current()).map { " libcurl/\($0.version)" } ?? ""
        return "\(name.isEmpty ? "swift" : name) Ferry\(curl)"
    }()
}
