/// A configuration's `protocolClasses`, in order, and who among them takes a request.
struct ProtocolClasses: Sendable {
    private enum Entry: Sendable {
        case own(URLProtocol.Type)
        /// One of FoundationNetworking's, whose place is the engine's.
        case native
    }

    private let entries: [Entry]
    private let hasOwn: Bool

    init(_ classes: [AnyClass]?) {
        let native = Set((URLSessionConfiguration.default.protocolClasses ?? []).map { ObjectIdentifier($0) })
        entries = (classes ?? []).compactMap { some in
            if native.contains(ObjectIdentifier(some)) { return .native }
            // A session's own configuration has the guard, and may be used for the next session.
            guard let type = some as? URLProtocol.Type, type != EngineBypassGuard.self else { return nil }
            return .own(type)
        }
        hasOwn = entries.contains { if case .own = $0 { true } else { false } }
    }

    /// Whether there is anybody to ask.
    func mayClaim(_ request: URLRequest?) -> Bool {
        guard let url = request?.url else { return false }
        return hasOwn || DataURL.isOne(url)
    }

    /// The first class that takes the task's current request; `nil` where the engine comes first.
    ///
    /// It calls user code.
    func first(for task: URLSessionTask) -> URLProtocol.Type? {
        guard let url = task.currentRequest?.url else { return nil }
        let isWeb = ["http", "https"].contains(url.scheme?.lowercased())
        for entry in entries {
            switch entry {
            case .native: if isWeb { return nil }
            case .own(let type): if type.canInit(with: task) { return type }
            }
        }
        return DataURL.isOne(url) ? DataURLProtocol.self : nil
    }
}
