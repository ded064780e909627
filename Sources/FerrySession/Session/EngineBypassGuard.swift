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
    /// Whether a ``CurlSession``'s configuration was read on the queue of FoundationNetworking's tasks since this class
    /// was last asked.
    private static let isNoted = Mutex(false)

    /// Whether the caller is one of FoundationNetworking's tasks, recognized by the label of their queue.
    private static var isOnQueueOfTasks: Bool {
        strcmp(ferry_current_queue_label(), "org.swift.URLSessionTask.WorkQueue") == 0
    }

    /// Records that a ``CurlSession``'s configuration was read.
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
        let error = CurlSessionError(
            .bypassesEngine,
            "This call bypasses CurlSession's engine: call it on a variable of type CurlSession, "
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
