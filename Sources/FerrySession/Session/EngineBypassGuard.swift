internal import CFerry

/// Refuses every request that FoundationNetworking's own HTTP would send for a ``CurlSession``.
///
/// URLSession's `async` functions cannot be overridden. Called on a variable of type `URLSession`, or with a delegate
/// in an optional variable, they use FoundationNetworking, which ignores pins and proxies and sends credentials on
/// redirects.
///
/// The class is part of ``CurlSession/configuration``, with which another `URLSession` may be made, so it must
/// distinguish the tasks of a ``CurlSession`` from others. All FoundationNetworking tasks run on one serial queue,
/// where a task reads its session's configuration and calls the classes in it, with nothing in between.
final class EngineBypassGuard: URLProtocol {
    /// Whether a FoundationNetworking task has read a ``CurlSession``'s configuration since this class was last asked.
    private static let isNoted = Mutex(false)

    /// Whether the caller is one of FoundationNetworking's tasks, recognized by the label of their queue.
    private static var isOnQueueOfTasks: Bool {
        strcmp(ferry_current_queue_label(), "org.swift.URLSessionTask.WorkQueue") == 0
    }

    static func noteQuestion() {
        if isOnQueueOfTasks { isNoted.withLock { $0 = true } }
    }

    /// Accepts the requests of a ``CurlSession``, and all requests whose session cannot be determined.
    override class func canInit(with request: URLRequest) -> Bool {
        guard isOnQueueOfTasks else { return true }
        return isNoted.withLock { isNoted in
            defer { isNoted = false }
            return isNoted
        }
    }

    required init(request: URLRequest, cachedResponse: CachedURLResponse?, client: (any URLProtocolClient)?) {
        super.init(request: request, cachedResponse: cachedResponse, client: client)
        // The task has read the configuration again, for its cache.
        Self.isNoted.withLock { $0 = false }
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        let text =
            "This call bypasses CurlSession's engine: call it on a variable of type CurlSession, "
            + "and not with a delegate in an optional variable"
        let error = URLError.ferry(.unsupportedURL, url: request.url, reason: .bypassesEngine, text)
        client?.urlProtocol(self, didFailWithError: error)
        Self.isNoted.withLock { $0 = false }
    }

    override func stopLoading() {}
}

/// The libcurl multi handle that FoundationNetworking makes for a session's superclass and that Ferry never uses.
enum SystemMultiHandle {
    /// The number that the next descriptor of the process will get.
    static var nextDescriptor: Int32 { ferry_lowest_free_descriptor() }

    /// Keeps child processes from inheriting the descriptors of a new session's handle, from a first one on.
    ///
    /// FoundationNetworking does not expose the handle, so it is found by reflection. If a later version has another
    /// layout, two sockets of each session are inherited, and nothing else changes.
    static func closeOnExec(_ session: URLSession, since first: Int32) {
        var mirror: Mirror? = Mirror(reflecting: session)
        while let current = mirror, current.subjectType != URLSession.self { mirror = current.superclassMirror }
        guard let wrapper = mirror?.children.first(where: { $0.label == "multiHandle" })?.value,
            let handle = Mirror(reflecting: wrapper).children.first(where: { $0.label == "rawHandle" })?.value
                as? UnsafeMutableRawPointer
        else { return }
        ferry_multi_close_on_exec(handle, first)
    }
}

/// Makes WebSocket tasks that fail.
///
/// A usable subclass of FoundationNetworking's class is not possible: `send` and `receive` cannot be overridden, and
/// they trap without a session of its own. The task therefore belongs to an inert session, and its URL has a scheme
/// that libcurl does not support, so nothing is ever sent. Its identifier belongs to that session and cannot be
/// mistaken for one of the original session's.
enum UnsupportedWebSocket {
    static func task(with request: URLRequest) -> URLSessionWebSocketTask {
        let url = request.url?.presentable.absoluteString ?? ""
        var refused = request
        refused.url = URL(string: "ferry-unsupported:\(url)") ?? URL(fileURLWithPath: "/")
        return URLSession(configuration: CurlSessionSettings.inert).webSocketTask(with: refused)
    }
}
