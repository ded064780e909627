import FerrySession

/// Downloads and decodes assets such as images: each URL once at a time, a few at a time, from the cache if it has them.
///
/// ```swift
/// let downloader = AssetDownloader(serializer: .data, cache: AutoPurgingCache<Data>())
/// let receipt = downloader.download(URLRequest(url: url)) { response in
///     print(response.value?.count ?? 0, response.error?.message ?? "no error")
/// }
/// ```
///
/// Requests for the same absolute URL join one download, whatever their methods and headers are. Handlers run on the
/// manager's ``SessionManager/completionQueue``, those of one download in the order in which they came.
///
/// AFNetworking: `AFImageDownloader`.
public final class AssetDownloader<Value: Sendable>: Sendable {
    /// What moves the bytes.
    public let manager: SessionManager

    /// What keeps the values; nil keeps none.
    public let cache: (any AssetRequestCache<Value>)?

    private let makeTask:
        @Sendable (URLRequest, @escaping @Sendable (TaskResponse<Value>) -> Void) -> URLSessionDataTask
    private let table: Locked<AssetDownloadTable<Value>>

    /// Makes a downloader.
    ///
    /// - Parameters:
    ///   - manager: What moves the bytes.
    ///   - serializer: Validates and decodes the responses.
    ///   - cache: What keeps the values; nil keeps none.
    ///   - prioritization: Which of the waiting downloads comes next.
    ///   - maximumActiveDownloads: How many downloads run at once, one at least.
    public init<Serializer: ResponseSerializer<Value>>(
        manager: SessionManager = SessionManager(),
        serializer: Serializer,
        cache: (any AssetRequestCache<Value>)?,
        prioritization: AssetDownloadPrioritization = .fifo,
        maximumActiveDownloads: Int = 4
    ) {
        self.manager = manager
        self.cache = cache
        makeTask = { request, handler in
            manager.dataTask(with: request, serializer: serializer, completionHandler: handler)
        }
        table = Locked(AssetDownloadTable(maximum: maximumActiveDownloads, prioritization: prioritization))
    }

    /// How many downloads run now.
    public var activeDownloadCount: Int { table.withLock { $0.runningCount } }

    // MARK: - Downloading

    /// Downloads an asset, joins a download of it, or takes it from the cache.
    ///
    /// The cache is asked unless the request's policy says that it must be loaded; a response from it has a value alone.
    ///
    /// - Parameters:
    ///   - request: The request. One without a URL fails with ``NetworkError/Code/badURL``.
    ///   - receiptID: What tells this request from others.
    ///   - completionHandler: Receives the asset, once; ``NetworkError/Code/cancelled`` if this request was cancelled.
    /// - Returns: What cancels the request; nil if there is nothing to cancel.
    @discardableResult
    public func download(
        _ request: URLRequest,
        receiptID: UUID = UUID(),
        completionHandler: @escaping @Sendable (TaskResponse<Value>) -> Void
    ) -> AssetDownloadReceipt? {
        guard let key = request.url?.absoluteString else {
            let error = NetworkError(.badURL, message: "The request has no URL")
            manager.completionQueue.async { completionHandler(TaskResponse(request: request, error: error)) }
            return nil
        }
        // A download ends after the cache has its value, so that whoever finds none here finds the other.
        if let receipt = table.withLock({ $0.join(key, id: receiptID, completionHandler) }) { return receipt }
        if request.mayUseCache, let value = cache?.value(for: request, withAdditionalIdentifier: nil) {
            manager.completionQueue.async { completionHandler(TaskResponse(request: request, value: value)) }
            return nil
        }
        let number = table.withLock { $0.nextNumber() }
        let task = makeTask(request) { [self] response in finish(key, number, request, response) }
        let (receipt, isNew) = table.withLock { table in
            if let receipt = table.join(key, id: receiptID, completionHandler) { return (receipt, false) }
            table.add(.init(number: number, task: task, handlers: [(receiptID, completionHandler)]), at: key)
            return (AssetDownloadReceipt(id: receiptID, task: task, key: key), true)
        }
        if isNew { startNext() } else { task.cancel() }
        return receipt
    }

    /// Downloads an asset, joins a download of it, or takes it from the cache; cancelling the Swift task cancels this
    /// request alone.
    ///
    /// - Parameter request: The request.
    /// - Returns: The asset.
    /// - Throws: ``NetworkError``; with ``NetworkError/Code/noValue`` for an empty body.
    public func value(for request: URLRequest) async throws(NetworkError) -> Value {
        let relay = CancellationRelay()
        let response = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let receipt = download(request) { continuation.resume(returning: $0) }
                if let receipt { relay.attach { self.cancel(receipt) } }
            }
        } onCancel: {
            relay.cancel()
        }
        return try response.get()
    }

    // MARK: - Cancelling

    /// Cancels one request: its handler is told, and the download goes on if others wait for it.
    ///
    /// - Parameter receipt: What ``download(_:receiptID:completionHandler:)`` gave; one whose request is over does nothing.
    public func cancel(_ receipt: AssetDownloadReceipt) {
        guard let cancellation = table.withLock({ $0.cancel(receipt) }) else { return }
        let request = receipt.task.originalRequest
        let error = NetworkError(
            .cancelled,
            message: "The request for the asset was cancelled: \(receipt.key)",
            failingURL: request?.url
        )
        manager.completionQueue.async { cancellation.handler(TaskResponse(request: request, error: error)) }
        cancellation.task?.cancel()
    }

    // MARK: - Ends and beginnings

    private func finish(_ key: String, _ number: Int, _ request: URLRequest, _ response: TaskResponse<Value>) {
        if let value = response.value, response.error == nil, let cache,
            cache.shouldCache(value, for: request, withAdditionalIdentifier: nil)
        {
            cache.add(value, for: request, withAdditionalIdentifier: nil)
        }
        let handlers = table.withLock { $0.end(key, number: number) }
        startNext()
        for handler in handlers { handler(response) }
    }

    private func startNext() {
        for task in table.withLock({ $0.takeNext() }) { manager.start(task) }
    }
}

extension URLRequest {
    /// Whether its policy lets a cache answer.
    fileprivate var mayUseCache: Bool {
        [.useProtocolCachePolicy, .returnCacheDataElseLoad, .returnCacheDataDontLoad].contains(cachePolicy)
    }
}
