typealias HeaderField = (name: String, value: String)

/// The settings that all calls of a session share; a class, because each request passes them on several times.
final class CallSettings: Sendable {
    /// Whether the cache and the storage of credentials read no disk and run no user code.
    let readsNoDisk: Bool
    let coalescesIdenticalRequests: Bool
    let maximumRedirects: Int
    let allowsInsecureRedirects: Bool
    let sensitiveHeaders: Set<String>
    let additionalHeaders: [HeaderField]
    let commonFields: CommonFields
    let temporaryDirectory: URL
    /// Whether the files of downloads are kept for the next process.
    let isDurable: Bool
    let decodesContent: Bool
    let decodingLimits: ContentDecodingLimits
    let cookies: CookieJar?
    /// The hosts that are only used over TLS.
    let hsts: HSTSStore?
    let credentialStore: CredentialStore?
    let cache: HTTPCache?
    let cachePolicy: URLRequest.CachePolicy
    private let requestTimeout: TimeInterval

    /// Reads a configuration, which must not change afterwards, and options.
    init(_ configuration: URLSessionConfiguration, options: CurlSession.Options, folder: URL? = nil) {
        coalescesIdenticalRequests = options.coalescesIdenticalRequests
        maximumRedirects = max(0, options.maximumRedirects)
        allowsInsecureRedirects = options.allowsInsecureRedirects
        sensitiveHeaders = Set(options.sensitiveHeaders.map { $0.lowercased() })
        additionalHeaders = (configuration.httpAdditionalHeaders ?? [:]).map { ("\($0.key.base)", "\($0.value)") }
        commonFields = CommonFields(options)
        isDurable = folder != nil
        temporaryDirectory = folder ?? options.temporaryDirectory ?? FileManager.default.temporaryDirectory
        decodesContent = options.decodesContent
        decodingLimits = options.decodingLimits
        cookies = CookieJar(configuration)
        hsts = options.hsts.store(for: configuration.httpCookieStorage)
        credentialStore = configuration.urlCredentialStorage.map(CredentialStore.init)
        cache = options.cache ?? HTTPCache(configuration.urlCache)
        cachePolicy = configuration.requestCachePolicy
        requestTimeout = configuration.timeoutIntervalForRequest
        let isStandard = credentialStore.map { type(of: $0.storage) == URLCredentialStorage.self } ?? true
        readsNoDisk = isStandard && cache?.isInMemory ?? true
    }

    /// Returns the longest time without activity: the request's own, or the session's in place of the default of 60 s.
    func inactivityLimit(of request: URLRequest) -> TimeSpan {
        let (own, standard) = (request.timeoutInterval, TimeInterval(60))
        return TimeSpan(timeout: own == standard ? requestTimeout : own)
    }

    /// Returns the additional headers of a request; after a redirect to another origin, `Host`, secret ones and a
    /// `Referer` of https are left out.
    func additionalHeaders(hasLeftOrigin: Bool) -> [HeaderField] {
        guard hasLeftOrigin, !additionalHeaders.isEmpty else { return additionalHeaders }
        return additionalHeaders.filter { field in
            let name = field.name.folded
            let isSecureReferer = name == "referer" && field.value.lowercased().hasPrefix("https:")
            return name != "host" && !isSecureReferer && !isSecret(name)
        }
    }

    /// Whether the field with a name in lower case has credentials, or is among the sensitive ones.
    func isSecret(_ folded: String) -> Bool {
        RedirectRule.credentialHeaders.contains(folded)
            || (!sensitiveHeaders.isEmpty && sensitiveHeaders.contains(folded))
    }
}

extension EngineSettings {
    /// Reads a configuration and options; `readsNoDisk` is the property of the call settings.
    init(_ configuration: URLSessionConfiguration, _ options: CurlSession.Options, readsNoDisk: Bool) {
        let runtime = try? CurlRuntime.current()
        self.init(
            tls: Result { () throws(CurlSessionError) in try TLSMaterial(options.tls, runtime: runtime) },
            proxy: Result { () throws(CurlSessionError) in
                try ProxyTable(options.proxy, dictionary: configuration.connectionProxyDictionary)
            },
            network: Result { () throws(CurlSessionError) in
                try NetworkMaterial(options.network, resolver: options.dnsOverHTTPS, runtime: runtime)
            }
        )
        // The configuration's default of 6 is too few where latency is high; see the option.
        let (standard, configured) = (6, configuration.httpMaximumConnectionsPerHost)
        let most = options.maximumConnectionsPerHost ?? (configured == standard ? 64 : configured)
        maximumConnectionsPerHost = max(1, most)
        (downloadLimit, uploadLimit, limits) = (options.downloadLimit, options.uploadLimit, options.limits)
        (httpVersions, sharesHTTP3) = (options.httpVersions, options.sharesHTTP3)
        isSelfContained = readsNoDisk && (try? tls.get())?.evaluator == nil
    }
}
