internal import CFerry

/// Loads, with a ``CurlSession``'s engine, what FoundationNetworking's `async` functions request of it.
///
/// URLSession's `async` functions cannot be overridden. Called on a variable of type `URLSession`, or with a delegate
/// in an optional variable, they make one of FoundationNetworking's tasks, which would ignore pins and proxies and send
/// credentials on redirects. Such a task asks this class to load its request, which makes a task of the ``CurlSession``
/// and passes its result on. A call that cannot be carried over, since FoundationNetworking has another layout, is
/// refused.
///
/// The class is part of ``CurlSession/configuration``, with which another `URLSession` may be made, so it must
/// distinguish the tasks of a ``CurlSession`` from others. All FoundationNetworking tasks run on one serial queue,
/// where a task reads its session's configuration and calls the classes in it, with nothing in between. That queue
/// protects the properties.
final class AsyncCallLoader: URLProtocol {
    /// Whether a FoundationNetworking task has read a ``CurlSession``'s configuration since this class was last asked.
    private static let isNoted = Mutex(false)

    /// Whether a task is being completed, on the queue of tasks.
    private static let isCompleting = Mutex(false)
    /// The queue of completions; the session's delegate queue may be waiting for the call.
    private static let completionQueue = OperationQueue()

    /// The task that does the work.
    private var inner: (any CurlTask)?
    /// Whether the result was given to the client, or is not wanted any more.
    private var hasEnded = false
    /// Whether the client has the response.
    private var hasResponse = false

    /// Whether the caller is one of FoundationNetworking's tasks, recognized by the label of their queue.
    private static var isOnQueueOfTasks: Bool {
        strcmp(ferry_current_queue_label(), "org.swift.URLSessionTask.WorkQueue") == 0
    }

    static func noteQuestion() {
        if isOnQueueOfTasks { isNoted.withLock { $0 = true } }
    }

    /// The queue on which FoundationNetworking completes a task, if the caller is doing that.
    static var currentCompletionQueue: OperationQueue? {
        isCompleting.withLock { $0 } && isOnQueueOfTasks ? completionQueue : nil
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

    /// The object that completes FoundationNetworking's task; `nil` after that, since a second completion would trap.
    override var client: (any URLProtocolClient)? {
        get { hasEnded ? nil : super.client }
        set { super.client = newValue }
    }

    // MARK: - Loading

    override func startLoading() {
        defer { Self.isNoted.withLock { $0 = false } }
        if let inner { return inner.resume() }
        guard !hasEnded else { return }
        guard let outer = task, let call = AsyncCall(outer), call.completesAsOperation() else { return refuse() }
        let inner = makeTask(call, isDownload: outer is URLSessionDownloadTask)
        self.inner = inner
        inner.resume()
    }

    /// Called when FoundationNetworking's task is suspended, and before it ends because it was cancelled.
    override func stopLoading() {
        if task?.state == .suspended {
            inner?.suspend()
        } else {
            inner?.cancel()
            fail(URLError.ferryCancelled(url: request.url))
        }
    }

    /// Passes the object on to its queue.
    ///
    /// `@unchecked Sendable`: the object is used only on the queue.
    private struct OnQueue: @unchecked Sendable {
        let loader: AsyncCallLoader
        let queue: DispatchQueue

        func callAsFunction(_ body: @escaping @Sendable (AsyncCallLoader) -> Void) {
            queue.async { body(loader) }
        }
    }

    private func makeTask(_ call: AsyncCall, isDownload: Bool) -> any CurlTask {
        let (session, onQueue) = (call.session, OnQueue(loader: self, queue: call.queue))
        guard !isDownload else {
            let task = session.makeDownloadTask(
                request,
                .download({ file, response, error in onQueue { $0.end(file, response, error) } }, isAsync: true)
            )
            task.delegate = call.delegate
            return task
        }
        let delivery = ResultDelivery.data(
            { data, response, error in onQueue { $0.end(data, response, error) } },
            isAsync: true
        )
        let task: any CurlTask =
            switch call.body {
            case .ofRequest: session.makeDataTask(request, delivery)
            case .data(let data): session.makeUploadTask(request, .data(data), delivery)
            case .file(let url): session.makeUploadTask(request, .file(url), delivery)
            }
        guard let delegate = call.delegate else { return task }
        task.core.setDelegate(
            DelegateCasts(delegate) { response, answer in
                onQueue { loader in
                    loader.tell(response)
                    // FoundationNetworking has added an operation, which comes before the first bytes of the body.
                    session.delegateQueue.deliver(answer)
                }
            }
        )
        return task
    }

    // MARK: - The result

    /// Gives the client the response, of which FoundationNetworking tells a delegate for data.
    private func tell(_ response: ReceivedResponse) {
        guard !hasResponse, let client else { return }
        hasResponse = true
        // The client reads the session's configuration.
        defer { Self.isNoted.withLock { $0 = false } }
        client.urlProtocol(self, didReceive: response.value.withoutChallenge, cacheStoragePolicy: .notAllowed)
    }

    private func end(_ data: Data?, _ response: ReceivedResponse?, _ error: (any Error)?) {
        guard let data, let response else { return fail(error) }
        tell(response)
        complete { client in
            client.urlProtocol(self, didLoad: data)
            client.urlProtocolDidFinishLoading(self)
        }
    }

    private func end(_ file: URL?, _ response: ReceivedResponse?, _ error: (any Error)?) {
        guard let file, let response else { return fail(error) }
        tell(response)
        guard !hasEnded, AsyncCall.setFile(file, of: self) else {
            unlink(file.path)
            return refuse()
        }
        complete { $0.urlProtocolDidFinishLoading(self) }
    }

    private func fail(_ error: (any Error)?) {
        complete { $0.urlProtocol(self, didFailWithError: error ?? URLError(.unknown)) }
    }

    /// Has the client complete the task, unless it is complete.
    private func complete(_ end: (any URLProtocolClient) -> Void) {
        guard let client else { return }
        (hasEnded, inner) = (true, nil)
        Self.isCompleting.withLock { $0 = true }
        end(client)
        Self.isCompleting.withLock { $0 = false }
        Self.isNoted.withLock { $0 = false }
    }

    private func refuse() {
        let text =
            "This call would bypass CurlSession's engine, since this version of FoundationNetworking is not known: call it "
            + "on a variable of type CurlSession, and not with a delegate in an optional variable"
        fail(URLError.ferry(.unsupportedURL, url: request.url, reason: .bypassesEngine, text))
    }
}

extension URLResponse {
    /// The response without the fields for which FoundationNetworking would begin its own authentication.
    ///
    /// The session has asked the delegate already. FoundationNetworking would ask again, and without a delegate its task
    /// would never complete.
    fileprivate var withoutChallenge: URLResponse {
        guard let response = self as? HTTPURLResponse, response.statusCode == 401, let url = response.url else {
            return self
        }
        var fields = response.allHeaderFields as? [String: String] ?? [:]
        for name in fields.keys where name.isEqualIgnoringCase("WWW-Authenticate") { fields[name] = nil }
        let version = (response as? CurlHTTPResponse)?.version
        return HTTPURLResponse(url: url, statusCode: 401, httpVersion: version, headerFields: fields) ?? response
    }
}
