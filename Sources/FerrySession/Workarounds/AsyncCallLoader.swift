// For FoundationNetworking of Swift 6.3, whose `async` functions use none of the methods that a subclass can override.
// `WorkaroundTests` notices when they do; `SystemAsyncCallTests` checks every function.

/// Loads, with a ``CurlSession``'s engine, what FoundationNetworking's `async` functions request of it.
///
/// URLSession's `async` functions cannot be overridden. Called on a variable of type `URLSession`, or with a delegate
/// in an optional variable, they make one of FoundationNetworking's tasks, which would ignore pins and proxies and send
/// credentials on redirects. Such a task asks the classes of its session's configuration to load its request, and from
/// a ``CurlSession`` it gets a configuration with this class alone. An object of it makes a task of the session, and
/// passes the result on. A call that cannot be carried over, since FoundationNetworking has another layout, is refused.
///
/// FoundationNetworking calls the methods on the queue of its task, which protects the properties.
final class AsyncCallLoader: URLProtocol {
    /// Whether the current thread is completing a task, on the queue of that task.
    @TaskLocal private static var isCompleting = false
    /// The queue of completions; the session's delegate queue may be waiting for the call.
    private static let completionQueue = OperationQueue()

    /// The task that does the work.
    private var inner: (any CurlTask)?
    /// The way from the task back to this object.
    private var link: Link?
    /// The queue on which the task is controlled, since interceptors and observers are called there: they may use
    /// FoundationNetworking's tasks, which all wait for one queue.
    private let control = DispatchQueue(label: "FerrySession.AsyncCall")
    /// Whether the result was given to the client, or is not wanted any more.
    private var hasEnded = false
    private var hasResponse = false

    /// The queue on which FoundationNetworking completes a task, if the caller is doing that.
    static var currentCompletionQueue: OperationQueue? {
        isCompleting && AsyncCall.isOnQueueOfTasks ? completionQueue : nil
    }

    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    /// The object that completes FoundationNetworking's task; `nil` after that, since a second completion would trap.
    override var client: (any URLProtocolClient)? {
        get { hasEnded ? nil : super.client }
        set { super.client = newValue }
    }

    // MARK: - Loading

    override func startLoading() {
        if let inner { return control.async { inner.resume() } }
        guard !hasEnded else { return }
        guard let outer = task, let call = AsyncCall(outer), call.completesAsOperation() else { return refuse() }
        let link = Link(self, queue: call.queue)
        let inner = Self.makeTask(request, call, link, isDownload: outer is URLSessionDownloadTask)
        (self.inner, self.link) = (inner, link)
        control.async { inner.resume() }
    }

    /// Called when FoundationNetworking's task is suspended, and before it ends because it was cancelled.
    override func stopLoading() {
        let inner = inner
        switch task?.state {
        case .suspended: control.async { inner?.suspend() }
        case .canceling, .completed:
            fail(URLError.ferryCancelled(url: request.url))
            control.async { inner?.cancel() }
        // The task was resumed again in the meantime.
        default: break
        }
    }

    /// Passes events on to a loader, on its queue.
    ///
    /// It is emptied when the loader has ended: a delegate may keep the task, but not the session and the body with it.
    /// `@unchecked Sendable`: the loader is used only on the queue.
    private final class Link: NSObject, ReceivedResponseDelegate, @unchecked Sendable {
        private var loader: AsyncCallLoader?
        private let queue: DispatchQueue

        init(_ loader: AsyncCallLoader, queue: DispatchQueue) { (self.loader, self.queue) = (loader, queue) }

        func perform(_ body: @escaping @Sendable (AsyncCallLoader?) -> Void) { queue.async { [self] in body(loader) } }

        func clear() { loader = nil }

        func urlSession(
            _ session: URLSession,
            dataTask: URLSessionDataTask,
            didReceive response: ReceivedResponse,
            completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
        ) {
            perform { loader in
                loader?.tell(response)
                // On a serial queue, the operation that passes the response to the delegate comes before this one.
                session.delegateQueue.deliver { completionHandler(.allow) }
            }
        }
    }

    private static func makeTask(
        _ request: URLRequest,
        _ call: AsyncCall,
        _ link: Link,
        isDownload: Bool
    ) -> any CurlTask {
        let session = call.session
        guard !isDownload else {
            let delivery = ResultDelivery.download(
                { file, response, error in link.perform { end($0, file, response, error) } },
                isAsync: true
            )
            let task = session.makeDownloadTask(request, delivery)
            task.delegate = call.delegate
            return task
        }
        let delivery = ResultDelivery.data(
            { data, response, error in link.perform { $0?.end(data, response, error) } },
            isAsync: true
        )
        let isUpload = !call.body.isNone
        let task: any CurlTask =
            isUpload ? session.makeUploadTask(request, call.body, delivery) : session.makeDataTask(request, delivery)
        if let delegate = call.delegate { task.core.setDelegate(DelegateCasts(delegate, received: link)) }
        return task
    }

    // MARK: - The result

    /// Passes the response to the client, through which FoundationNetworking notifies a delegate for data.
    private func tell(_ response: ReceivedResponse) {
        guard !hasResponse, let client else { return }
        hasResponse = true
        client.urlProtocol(self, didReceive: response.value.withoutBasicChallenge, cacheStoragePolicy: .notAllowed)
    }

    private func end(_ data: Data?, _ response: ReceivedResponse?, _ error: (any Error)?) {
        guard let data, let response else { return fail(error) }
        tell(response)
        complete { client in
            client.urlProtocol(self, didLoad: data)
            client.urlProtocolDidFinishLoading(self)
        }
    }

    /// Ends a download, or deletes its file if it has ended already.
    private static func end(
        _ loader: AsyncCallLoader?,
        _ file: URL?,
        _ response: ReceivedResponse?,
        _ error: (any Error)?
    ) {
        guard let file, let response else {
            loader?.fail(error)
            return
        }
        guard let loader, !loader.hasEnded, AsyncCallLayout().setFile(file, of: loader) else {
            unlink(file.path)
            loader?.refuse()
            return
        }
        loader.tell(response)
        loader.complete { $0.urlProtocolDidFinishLoading(loader) }
    }

    private func fail(_ error: (any Error)?) {
        complete { $0.urlProtocol(self, didFailWithError: error ?? URLError(.unknown)) }
    }

    /// Makes the client complete the task, unless it is complete.
    private func complete(_ end: (any URLProtocolClient) -> Void) {
        guard let client else { return }
        hasEnded = true
        link?.clear()
        (inner, link) = (nil, nil)
        Self.$isCompleting.withValue(true) { end(client) }
    }

    private func refuse() { fail(AsyncCall.refusal(of: request)) }
}

/// Refuses the requests of a ``CurlSession`` for which ``AsyncCallLoader`` was not asked, since FoundationNetworking's
/// tasks are not recognized.
///
/// It is part of ``CurlSession/configuration``, with which another `URLSession` may be made, and has no effect there as
/// long as tasks are recognized.
final class UnknownTaskGuard: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { !AsyncCall.isOnQueueOfTasks }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func startLoading() { client?.urlProtocol(self, didFailWithError: AsyncCall.refusal(of: request)) }
    override func stopLoading() {}
}

extension URLResponse {
    /// The response without a field for which FoundationNetworking would begin its own authentication.
    ///
    /// It does so for Basic. The session has asked the delegate already; FoundationNetworking would ask again, and
    /// without a delegate its task would never complete.
    fileprivate var withoutBasicChallenge: URLResponse {
        let name = "WWW-Authenticate"
        guard let response = self as? HTTPURLResponse, response.statusCode == 401, let url = response.url,
            response.value(forHTTPHeaderField: name)?.lowercased().contains("basic") == true
        else { return self }
        if let response = self as? CurlHTTPResponse {
            return CurlHTTPResponse(response, url: url, without: name) ?? response
        }
        var fields = response.allHeaderFields as? [String: String] ?? [:]
        for key in fields.keys where key.isEqualIgnoringCase(name) { fields[key] = nil }
        return HTTPURLResponse(url: url, statusCode: 401, httpVersion: nil, headerFields: fields) ?? response
    }
}
