/// Chooses the `URLProtocol` class that loads a request instead of the engine.
///
/// The configuration's classes are asked first, then the classes of ``CurlSession/registerProtocolClass(_:)``, then
/// Ferry's own for responses that the program has stored in the configuration's `URLCache`, and for `data:` URLs.
///
/// `@unchecked Sendable`: `URLCache` is thread-safe.
final class ProtocolClasses: @unchecked Sendable {
    /// A class that loads a request.
    struct Choice: @unchecked Sendable {
        // `@unchecked Sendable`: a stored response is never changed.
        let type: URLProtocol.Type
        /// The response to deliver, if the class is Ferry's own.
        var stored: CachedURLResponse?
    }

    /// The classes of all sessions of the process, with the one registered last at the front.
    static let registered = Mutex<[URLProtocol.Type]>([])

    /// The queue on which all methods of the classes are called, in the order in which the tasks are resumed.
    ///
    /// Classes may rely on it: URLSession calls them on one thread, and FoundationNetworking on one queue. A queue for
    /// each session keeps a class that blocks from delaying other sessions.
    let loadingQueue = DispatchQueue(label: "Ferry protocol")
    /// The queue on which the loads handle what their tasks and classes report; it runs no code of classes.
    let clientQueue = DispatchQueue(label: "Ferry protocol client")
    private let configured: [URLProtocol.Type]
    /// Those that come before FoundationNetworking's classes, in whose place the engine loads requests of the web.
    private let configuredForWeb: [URLProtocol.Type]
    private let urlCache: URLCache?
    private let cachePolicy: URLRequest.CachePolicy

    /// Reads the classes, the cache and the cache policy of a configuration.
    init(_ configuration: URLSessionConfiguration) {
        let native = Set((URLSessionConfiguration.default.protocolClasses ?? []).map { ObjectIdentifier($0) })
        let all = configuration.protocolClasses ?? []
        func own(_ classes: some Sequence<AnyClass>) -> [URLProtocol.Type] {
            // A session's configuration contains the guard, and may be used for another session.
            classes.filter { !native.contains(ObjectIdentifier($0)) && $0 != UnknownTaskGuard.self }
                .compactMap { $0 as? URLProtocol.Type }
        }
        configured = own(all)
        configuredForWeb = own(all.prefix { !native.contains(ObjectIdentifier($0)) })
        urlCache = configuration.urlCache
        cachePolicy = configuration.requestCachePolicy
    }

    /// Returns a Boolean value that indicates whether there may be a class that loads the request.
    func mayClaim(_ request: URLRequest?) -> Bool {
        guard let request, let url = request.url else { return false }
        let hasOwn = !configured.isEmpty || !Self.registered.withLock { $0.isEmpty }
        return hasOwn || asksURLCache(for: request) || DataURL.isOne(url)
    }

    /// Returns the first class that accepts the task's current request, or `nil` for the engine; calls user code.
    func first(for task: URLSessionTask) -> Choice? {
        guard let request = task.currentRequest, let url = request.url else { return nil }
        let isWeb = ["http", "https"].contains(url.scheme?.lowercased())
        for type in (isWeb ? configuredForWeb : configured) + Self.registered.withLock({ $0 }) {
            if type.canInit(with: task) { return Choice(type: type) }
        }
        if task is CurlDataTask, let stored = storedResponse(for: request) {
            return Choice(type: StoredResponseProtocol.self, stored: stored)
        }
        guard DataURL.isOne(url) else { return nil }
        return Choice(type: StoredResponseProtocol.self, stored: DataURL.response(for: url))
    }

    // MARK: - Responses in a URLCache

    /// Whether the cache policy asks for a stored response regardless of its age.
    private func asksURLCache(for request: URLRequest) -> Bool {
        guard urlCache != nil else { return false }
        let policy = request.cachePolicy == .useProtocolCachePolicy ? cachePolicy : request.cachePolicy
        return policy == .returnCacheDataElseLoad || policy == .returnCacheDataDontLoad
    }

    private func storedResponse(for request: URLRequest) -> CachedURLResponse? {
        guard asksURLCache(for: request), ["GET", nil].contains(request.httpMethod),
            let stored = urlCache?.cachedResponse(for: request)
        else { return nil }
        // Foundation's cache treats URLs with different queries as equal.
        return Self.parts(of: stored.response.url) == Self.parts(of: request.url) ? stored : nil
    }

    /// Returns the parts of a URL that must be equal for a stored response to be used: what comes before the query, and
    /// its parameters by name, since their order varies if they come from a dictionary.
    private static func parts(of url: URL?) -> (Substring?, [Substring: [Substring]]?) {
        guard let text = url?.absoluteString.prefix(while: { $0 != "#" }) else { return (nil, nil) }
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let parameters = parts.count > 1 ? parts[1].split(separator: "&", omittingEmptySubsequences: false) : nil
        return (parts.first, parameters.map { Dictionary(grouping: $0) { $0.prefix { $0 != "=" } } })
    }
}

extension CurlSession {
    /// Registers a class that all sessions ask for each request, until it is unregistered.
    ///
    /// It replaces `URLProtocol.registerClass`, whose list cannot be read from outside FoundationNetworking. The
    /// classes of a session's configuration are asked first, then the registered ones, beginning with the one
    /// registered last. Registering a class again makes it the last one registered.
    public static func registerProtocolClass(_ protocolClass: URLProtocol.Type) {
        ProtocolClasses.registered.withLock { classes in
            classes.removeAll { $0 == protocolClass }
            classes.insert(protocolClass, at: 0)
        }
    }

    /// Unregisters a class; requests that it is already loading are not affected.
    public static func unregisterProtocolClass(_ protocolClass: URLProtocol.Type) {
        ProtocolClasses.registered.withLock { $0.removeAll { $0 == protocolClass } }
    }
}
