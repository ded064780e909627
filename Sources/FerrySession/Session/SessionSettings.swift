/// A configuration and options, read once into what the engine and the tasks use.
///
/// `@unchecked Sendable`: the configuration is a copy that nobody changes.
struct SessionSettings: @unchecked Sendable {
    let configuration: URLSessionConfiguration
    let engine: EngineSettings
    let protocols: ProtocolClasses
    private let requestTimeout: TimeInterval
    private let resourceTimeout: UInt64?
    private let connectTimeout: UInt64?

    init(_ configuration: URLSessionConfiguration, options: CurlSession.Options) {
        let copy = configuration.copy() as? URLSessionConfiguration ?? configuration
        // FoundationNetworking's own HTTP asks these classes first; the guard refuses, so that nothing goes around
        // the engine.
        copy.protocolClasses = [EngineBypassGuard.self] + (configuration.protocolClasses ?? [])
        self.configuration = copy
        protocols = ProtocolClasses(configuration)
        requestTimeout = configuration.timeoutIntervalForRequest
        resourceTimeout = UInt64.nanoseconds(inSeconds: configuration.timeoutIntervalForResource)
        connectTimeout = options.connectTimeout.flatMap { UInt64.nanoseconds(inSeconds: $0) }
        var engine = EngineSettings(
            maximumConnectionsPerHost: Self.connections(configuration, options),
            maximumRedirects: max(0, options.maximumRedirects),
            allowsInsecureRedirects: options.allowsInsecureRedirects,
            sensitiveHeaders: Set(options.sensitiveHeaders.map { $0.lowercased() }),
            additionalHeaders: Self.headers(configuration.httpAdditionalHeaders),
            userAgentLine: "User-Agent: \(Self.userAgent)",
            tls: Result { () throws(CurlSessionError) in
                try TLSMaterial(options.tls, runtime: try? CurlRuntime.current())
            },
            proxy: Result { () throws(CurlSessionError) in
                try ProxyTable(options.proxy, dictionary: configuration.connectionProxyDictionary)
            },
            network: Result { () throws(CurlSessionError) in
                try NetworkMaterial(options.network, runtime: try? CurlRuntime.current())
            },
            temporaryDirectory: options.temporaryDirectory ?? FileManager.default.temporaryDirectory,
            decodesContent: options.decodesContent,
            decodingLimits: options.decodingLimits,
            cookies: CookieJar(copy),
            credentialStore: configuration.urlCredentialStorage.map(CredentialStore.init),
            cache: options.cache ?? HTTPCache(configuration.urlCache),
            cachePolicy: configuration.requestCachePolicy
        )
        engine.plainLines = PreparedRequest.lines([], settings: engine, method: "GET", context: .init())
        self.engine = engine
    }

    private static func connections(_ configuration: URLSessionConfiguration, _ options: CurlSession.Options) -> Int {
        let (untouched, own) = (6, 64)
        let configured = configuration.httpMaximumConnectionsPerHost
        return max(1, options.maximumConnectionsPerHost ?? (configured == untouched ? own : configured))
    }

    /// The deadlines of a request: its own where it was set to another than the default 60 s, else the session's.
    func limits(for request: URLRequest) -> TransferClock.Limits {
        let standard: TimeInterval = 60
        let inactivity = request.timeoutInterval == standard ? requestTimeout : request.timeoutInterval
        return TransferClock.Limits(
            inactivity: UInt64.nanoseconds(inSeconds: inactivity),
            resource: resourceTimeout,
            connect: connectTimeout
        )
    }

    /// What the superclass is made with: nothing it could do anything with.
    static var inert: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.urlCredentialStorage = nil
        configuration.httpAdditionalHeaders = nil
        configuration.protocolClasses = [EngineBypassGuard.self]
        return configuration
    }

    /// Any key and value that can be printed.
    private static func headers(_ fields: [AnyHashable: Any]?) -> [(name: String, value: String)] {
        (fields ?? [:]).map { (name: "\($0.key.base)", value: "\($0.value)") }
    }

    private static let userAgent: String = {
        let process = ProcessInfo.processInfo.processName
        let name = String(process.map { $0.isASCII && HeaderRule.isToken(String($0)) ? $0 : "-" })
        let curl = (try? CurlRuntime.current()).map { " libcurl/\($0.version)" } ?? ""
        return "\(name.isEmpty ? "swift" : name) Ferry\(curl)"
    }()
}
