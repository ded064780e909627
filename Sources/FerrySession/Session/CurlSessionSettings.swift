/// A configuration and options, read once and converted for the engine and the tasks.
///
/// `@unchecked Sendable`: the configuration is a copy that is never changed.
struct CurlSessionSettings: @unchecked Sendable {
    let configuration: URLSessionConfiguration
    let calls: CallSettings
    let protocols: ProtocolClasses
    /// The tasks that are kept for the next process; `nil` if the session is not durable.
    let durable: Result<DurableTasks, CurlSessionError>?
    /// The policy, interceptors and deadline of tasks that have none of their own.
    let recovery: RecoverySettings?
    private let resourceTimeout: TimeSpan
    private let connectTimeout: TimeSpan

    init(_ configuration: URLSessionConfiguration, options: CurlSession.Options) {
        let copy = configuration.copy() as? URLSessionConfiguration ?? configuration
        copy.protocolClasses = [UnknownTaskGuard.self] + (configuration.protocolClasses ?? [])
        self.configuration = copy
        protocols = ProtocolClasses(configuration)
        resourceTimeout = TimeSpan(timeout: configuration.timeoutIntervalForResource)
        connectTimeout = options.connectTimeout.map { TimeSpan(timeout: $0) } ?? .infinite
        durable = options.durability.map { durability in
            Result { () throws(CurlSessionError) in try DurableTasks(durability) }
        }
        calls = CallSettings(copy, options: options, folder: (try? durable?.get())?.folder)
        let recovery = RecoverySettings { values in
            values.retry = options.retry
            values.interceptors = RequestInterceptors(options.interceptors)
            values.deadlineInSeconds = options.deadline
            values.circuitBreaker = options.circuitBreaker
        }
        self.recovery = recovery.values.isEmpty ? nil : recovery
    }

    func limits(for request: URLRequest, deadline: TimeSpan?) -> TransferClock.Limits {
        TransferClock.Limits(
            inactivity: calls.inactivityLimit(of: request),
            resource: resourceTimeout,
            connect: connectTimeout,
            call: deadline ?? .infinite
        )
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
