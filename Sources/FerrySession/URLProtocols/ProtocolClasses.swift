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
        /// The response to deliver, if the class is Ferry's own for stored responses.
        var stored: CachedURLResponse?
    }

    private enum Entry: Sendable {
        case own(URLProtocol.Type)
        /// One of FoundationNetworking's classes, in whose place the engine loads requests.
        case native
    }

    /// The queue on which all methods of the classes are called, in the order in which the tasks are resumed.
    ///
    /// Classes may rely on it: URLSession calls them on one thread, and FoundationNetworking on one queue. A queue for
    /// each session keeps a class that blocks from delaying other sessions.
    let loadingQueue = DispatchQueue(label: "Ferry protocol")
    /// The queue on which the loads handle what their tasks and classes report; it runs no code of classes.
    let clientQueue = DispatchQueue(label: "Ferry protocol client")
    private let entries: [Entry]
    private let hasOwn: Bool
    private let urlCache: URLCache?
    private let cachePolicy: URLRequest.CachePolicy

    /// Reads the classes, the cache and the cache policy of a configuration.
    init(_ configuration: URLSessionConfiguration) {
        let native = Set((URLSessionConfiguration.default.protocolClasses ?? []).map { ObjectIdentifier($0) })
        entries = (configuration.protocolClasses ?? []).compactMap { some in
            if native.contains(ObjectIdentifier(some)) { return .native }
            // A session's configuration contains this class, and may be used for another session.
            guard let type = some as? URLProtocol.Type, type != UnknownTaskGuard.self else { return nil }
            return .own(type)
        }
        hasOwn = entries.contains { if case .own = $0 { true } else { false } }
        urlCache = configuration.urlCache
        cachePolicy = configuration.requestCachePolicy
    }

    /// Returns a Boolean value that indicates whether there may be a class that loads the request.
    func mayClaim(_ request: URLRequest?) -> Bool {
        guard let request, let url = request.url else { return false }
        return hasOwn || !RegisteredProtocolClasses.isEmpty || asksURLCache(for: request) || DataURL.isOne(url)
    }

    /// Returns the first class that accepts the task's current request, or `nil` for the engine; calls user code.
    func first(for task: URLSessionTask) -> Choice? {
        guard let request = task.currentRequest, let url = request.url else { return nil }
        for type in classesBeforeEngine(isWeb: ["http", "https"].contains(url.scheme?.lowercased())) {
            if type.canInit(with: task) { return Choice(type: type) }
        }
        if task is CurlDataTask, let stored = storedResponse(for: request) {
            return Choice(type: StoredResponseProtocol.self, stored: stored)
        }
        return DataURL.isOne(url) ? Choice(type: DataURLProtocol.self) : nil
    }

    private func classesBeforeEngine(isWeb: Bool) -> [URLProtocol.Type] {
        var classes: [URLProtocol.Type] = []
        configured: for entry in entries {
            switch entry {
            case .native: if isWeb { break configured }
            case .own(let type): classes.append(type)
            }
        }
        return classes + RegisteredProtocolClasses.all
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

    /// The parts of a URL that must be equal for a stored response to be used.
    private struct Parts: Equatable {
        var beforeQuery: Substring?
        /// The query's parameters by name; their order varies if they come from a dictionary.
        var parameters: [Substring: [Substring]]?
    }

    private static func parts(of url: URL?) -> Parts {
        guard let text = url?.absoluteString.prefix(while: { $0 != "#" }) else { return Parts() }
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let parameters = parts.count > 1 ? parts[1].split(separator: "&", omittingEmptySubsequences: false) : nil
        let byName = parameters.map { Dictionary(grouping: $0) { $0.prefix { $0 != "=" } } }
        return Parts(beforeQuery: parts.first, parameters: byName)
    }
}

/// The `URLProtocol` classes registered for all sessions of the process.
enum RegisteredProtocolClasses {
    private static let classes = Mutex<[URLProtocol.Type]>([])

    /// The classes, with the one registered last at the front.
    static var all: [URLProtocol.Type] { classes.withLock { $0.reversed() } }
    static var isEmpty: Bool { classes.withLock { $0.isEmpty } }

    static func add(_ type: URLProtocol.Type) {
        classes.withLock { classes in
            classes.removeAll { $0 == type }
            classes.append(type)
        }
    }

    static func remove(_ type: URLProtocol.Type) { classes.withLock { $0.removeAll { $0 == type } } }
}

extension CurlSession {
    /// Registers a class that all sessions ask for each request, until it is unregistered.
    ///
    /// It replaces `URLProtocol.registerClass`, whose list cannot be read from outside FoundationNetworking. The
    /// classes of a session's configuration are asked first, then the registered ones, beginning with the one
    /// registered last. Registering a class again makes it the last one registered.
    public static func registerProtocolClass(_ protocolClass: URLProtocol.Type) {
        RegisteredProtocolClasses.add(protocolClass)
    }

    /// Unregisters a class; requests that it is already loading are not affected.
    public static func unregisterProtocolClass(_ protocolClass: URLProtocol.Type) {
        RegisteredProtocolClasses.remove(protocolClass)
    }
}
