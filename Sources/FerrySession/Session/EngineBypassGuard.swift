internal import CFerry

/// Refuses every request that FoundationNetworking's own HTTP would send for a ``CurlSession``.
///
/// URLSession's `async` functions cannot be overridden: called on a variable of type `URLSession`, or with a delegate in an
/// optional variable, they go to FoundationNetworking, which ignores pins and proxies and sends credentials on redirects.
///
/// The class is part of ``CurlSession/configuration``, with which another `URLSession` may be made, so it tells the tasks
/// of a ``CurlSession`` from others: a task asks its session for the configuration, and then the classes in it, without
/// anything in between on the one serial queue that all such tasks share.
final class EngineBypassGuard: URLProtocol {
    /// Whether the last question on the queue of FoundationNetworking's tasks was one for a ``CurlSession``'s configuration.
    private static let isNoted = Mutex(false)

    /// Whether the code is called by one of FoundationNetworking's tasks, by the label of their queue.
    private static var isOnQueueOfTasks: Bool {
        strcmp(ferry_current_queue_label(), "org.swift.URLSessionTask.WorkQueue") == 0
    }

    /// Notes that a ``CurlSession`` was asked for its configuration.
    static func noteQuestion() {
        if isOnQueueOfTasks { isNoted.withLock { $0 = true } }
    }

    /// Takes the requests of a ``CurlSession``, and all requests where it cannot tell whose they are.
    override class func canInit(with request: URLRequest) -> Bool {
        guard isOnQueueOfTasks else { return true }
        return isNoted.withLock { isNoted in
            defer { isNoted = false }
            return isNoted
        }
    }

    required init(request: URLRequest, cachedResponse: CachedURLResponse?, client: (any URLProtocolClient)?) {
        super.init(request: request, cachedResponse: cachedResponse, client: client)
        // The task has asked once more, for its cache.
        Self.isNoted.withLock { $0 = false }
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        let error = CurlSessionError(
            .bypassesEngine,
            "This call goes around CurlSession's engine: call it on a variable of type CurlSession, "
                + "and not with a delegate in an optional variable"
        )
        client?.urlProtocol(
            self,
            didFailWithError: URLError.ferry(.unsupportedURL, url: request.url, underlying: error)
        )
        Self.isNoted.withLock { $0 = false }
    }

    override func stopLoading() {}
}
