typealias HeaderField = (name: String, value: String)

/// A configuration and options, read once for the engine and the tasks; a class, because each request passes it on.
///
/// `@unchecked Sendable`: the configuration is a copy that is never changed.
final class CurlSessionSettings: @unchecked Sendable {
    let configuration: URLSessionConfiguration
    let options: CurlSession.Options
    let protocols: ProtocolClasses
    /// The tasks that are kept for the next process; `nil` if the session is not durable.
    let durable: Result<DurableTasks, CurlSessionError>?
    /// The policy, interceptors and deadline of tasks that have none of their own.
    let recovery: RecoverySettings?
    let sensitiveHeaders: Set<String>
    let additionalHeaders: [HeaderField]
    let commonFields: CommonFields
    let temporaryDirectory: URL
    let cookies: CookieJar?
    /// The hosts that are only used over TLS.
    let hsts: HSTSStore?
    let credentialStore: CredentialStore?
    let cache: HTTPCache?

    init(_ configuration: URLSessionConfiguration, options: CurlSession.Options) {
        let copy = configuration.copy() as? URLSessionConfiguration ?? configuration
        copy.protocolClasses = [UnknownTaskGuard.self] + (configuration.protocolClasses ?? [])
        self.configuration = copy
        self.options = options
        protocols = ProtocolClasses(configuration)
        durable = options.durability.map { durability in
            Result { () throws(CurlSessionError) in try DurableTasks(durability) }
        }
        let recovery = RecoverySettings { values in
            values.retry = options.retryPolicy
            values.interceptors = RequestInterceptors(options.interceptors)
            values.deadlineInSeconds = options.deadline
            values.circuitBreaker = options.circuitBreaker
        }
        self.recovery = recovery.values.isEmpty ? nil : recovery
        sensitiveHeaders = Set(options.sensitiveHeaders.map { $0.lowercased() })
        additionalHeaders = (copy.httpAdditionalHeaders ?? [:]).map { ("\($0.key.base)", "\($0.value)") }
        commonFields = CommonFields(options)
        temporaryDirectory =
            (try? durable?.get())?.folder ?? options.temporaryDirectory ?? FileManager.default.temporaryDirectory
        cookies = CookieJar(copy)
        hsts = options.hsts.store(for: copy.httpCookieStorage)
        credentialStore = copy.urlCredentialStorage.map(CredentialStore.init)
        cache = options.cache ?? HTTPCache(copy.urlCache)
    }

    var maximumRedirects: Int { max(0, options.maximumRedirects) }

    /// Returns the longest time without activity: the request's own, or the session's in place of the default of 60 s.
    func inactivityLimit(of request: URLRequest) -> TimeSpan {
        let (own, standard) = (request.timeoutInterval, TimeInterval(60))
        return TimeSpan(timeout: own == standard ? configuration.timeoutIntervalForRequest : own)
    }

    /// Returns the cache policy of a request, or else of the session.
    func cachePolicy(of request: URLRequest) -> URLRequest.CachePolicy {
        request.cachePolicy == .useProtocolCachePolicy ? configuration.requestCachePolicy : request.cachePolicy
    }

    func limits(for request: URLRequest, deadline: TimeSpan?) -> TransferClock.Limits {
        TransferClock.Limits(
            inactivity: inactivityLimit(of: request),
            resource: TimeSpan(timeout: configuration.timeoutIntervalForResource),
            connect: options.connectTimeout.map { TimeSpan(timeout: $0) } ?? .infinite,
            call: deadline ?? .infinite
        )
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

    /// The configuration for the superclass, which disables storage, additional headers and network access.
    static var inert: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.urlCredentialStorage = nil
        configuration.httpAdditionalHeaders = nil
        configuration.protocolClasses = []
        return configuration
    }

    /// The configuration that FoundationNetworking's tasks see, which is never changed.
    ///
    /// It has a class that loads with the engine, and no cache or credentials, which the engine has used already.
    static let ofAsyncCalls: URLSessionConfiguration = {
        let configuration = inert
        configuration.protocolClasses = [AsyncCallLoader.self]
        return configuration
    }()
}

extension EngineSettings {
    init(_ settings: CurlSessionSettings) {
        let (options, runtime) = (settings.options, try? CurlRuntime.current())
        self.init(
            tls: Result { () throws(CurlSessionError) in try TLSMaterial(options.tls, runtime: runtime) },
            proxy: Result { () throws(CurlSessionError) in
                try ProxyTable(options.proxy, dictionary: settings.configuration.connectionProxyDictionary)
            },
            network: Result { () throws(CurlSessionError) in
                try NetworkMaterial(options.network, resolver: options.dnsOverHTTPS, runtime: runtime)
            }
        )
        // The configuration's default of 6 is too few where latency is high; see the option.
        let (standard, configured) = (6, settings.configuration.httpMaximumConnectionsPerHost)
        let most = options.maximumConnectionsPerHost ?? (configured == standard ? 64 : configured)
        maximumConnectionsPerHost = max(1, most)
        (downloadLimit, uploadLimit, limits) = (options.downloadLimit, options.uploadLimit, options.limits)
        (httpVersions, sharesHTTP3) = (options.httpVersions, options.sharesHTTP3)
        let hasOwnStorage = settings.credentialStore.map { type(of: $0.storage) != URLCredentialStorage.self } ?? false
        let readsNoDisk = !hasOwnStorage && settings.cache?.isInMemory ?? true
        isSelfContained = readsNoDisk && (try? tls.get())?.evaluator == nil
    }
}
