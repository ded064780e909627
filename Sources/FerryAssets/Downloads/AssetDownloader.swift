/// A downloader of assets such as images, which shares downloads of the same URL and caches decoded values.
///
/// ```swift
/// let downloader = AssetDownloader(
///     serializer: .data,
///     cache: AutoPurgingCache<Data>()
/// )
/// let receipt = downloader.download(URLRequest(url: url)) { response in
///     print(response.value?.count ?? 0, response.error?.message ?? "no error")
/// }
/// ```
///
/// Requests for the same absolute URL share one download, even if their methods and header fields differ, except for
/// `Authorization` and `Cookie`. Handlers run on the manager's `completionQueue`; those of one download run in the
/// order they were added.
///
/// AFNetworking: `AFImageDownloader`.
public final class AssetDownloader<Value: Sendable>: Sendable {
    /// The manager that makes the tasks.
    public let manager: SessionManager

    /// The cache of the decoded values; nil for none.
    public let cache: (any AssetRequestCache<Value>)?

    private let makeTask:
        @Sendable (URLRequest, @escaping @Sendable (TaskResponse<Value>) -> Void) -> URLSessionDataTask
    private let table: Mutex<AssetDownloadTable<Value>>

    /// Creates a downloader.
    ///
    /// - Parameters:
    ///   - manager: The manager that makes the tasks.
    ///   - serializer: Validates and decodes the responses.
    ///   - cache: The cache of the decoded values; nil for none.
    ///   - prioritization: The order in which waiting downloads start.
    ///   - maximumActiveDownloads: The number of downloads that may run at the same time, at least one; 4 by default.
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
        table = Mutex(AssetDownloadTable(maximum: maximumActiveDownloads, prioritization: prioritization))
    }

    /// The number of running downloads.
    public var activeDownloadCount: Int { table.withLock { $0.runningCount } }

    // MARK: - Downloading

    /// Downloads an asset, joins a running download of it, or takes it from the cache.
    ///
    /// The cache is used unless the cache policy of the request excludes it; its responses have only a request and a
    /// value.
    ///
    /// - Parameters:
    ///   - request: The request. One without a URL fails with `NetworkError.Code.badURL`.
    ///   - receiptID: The identifier of this request.
    ///   - completionHandler: Called once with the asset, or with `NetworkError.Code.cancelled` after ``cancel(_:)``.
    /// - Returns: A receipt to cancel the request; nil if there is nothing to cancel.
    @discardableResult
    public func download(
        _ request: URLRequest,
        receiptID: UUID = .random,
        completionHandler: @escaping @Sendable (TaskResponse<Value>) -> Void
    ) -> AssetDownloadReceipt? {
        guard let key = request.assetIdentifier() else {
            let error = NetworkError(.badURL, message: "The request has no URL")
            manager.completionQueue.async { completionHandler(TaskResponse(request: request, error: error)) }
            return nil
        }
        // A download ends after its value has been cached, so a request that finds no download finds the value.
        if let receipt = table.withLock({ $0.join(key, id: receiptID, completionHandler) }) { return receipt }
        if request.mayUseCache, let value = cache?.value(for: request, withAdditionalIdentifier: nil) {
            manager.completionQueue.async { completionHandler(TaskResponse(request: request, value: value)) }
            return nil
        }
        let number = table.withLock { $0.nextNumber() }
        let task = makeTask(request) { [self] response in finish(key, number, request, response) }
        let (shared, response) = table.withLock { table -> (AssetDownloadReceipt?, TaskResponse<Value>?) in
            if let receipt = table.join(key, id: receiptID, completionHandler) { return (receipt, table.drop(number)) }
            let download = AssetDownloadTable<Value>.Download(
                number: number,
                task: task,
                handlers: [(receiptID, completionHandler)]
            )
            return (nil, table.add(download, at: key))
        }
        if let shared {
            task.cancel()
            return shared
        }
        if let response {
            manager.completionQueue.async { completionHandler(response) }
            return nil
        }
        startNext()
        return AssetDownloadReceipt(id: receiptID, task: task, key: key)
    }

    /// Returns an asset from a new download, a shared one, or the cache.
    ///
    /// Cancelling the Swift task cancels only this request.
    ///
    /// - Parameter request: The request.
    /// - Returns: The asset.
    /// - Throws: `NetworkError`, with `NetworkError.Code.noValue` if the serializer makes no value of an empty body.
    public func value(for request: URLRequest) async throws(NetworkError) -> Value {
        if Task.isCancelled { throw Self.cancellation(of: request.url) }
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

    /// Cancels a request, whose handler receives the error; others that share its download continue.
    ///
    /// Does nothing if the request has ended.
    public func cancel(_ receipt: AssetDownloadReceipt) {
        guard let cancellation = table.withLock({ $0.cancel(receipt) }) else { return }
        let request = receipt.task.originalRequest
        let error = Self.cancellation(of: request?.url)
        manager.completionQueue.async { cancellation.handler(TaskResponse(request: request, error: error)) }
        cancellation.task?.cancel()
    }

    private static func cancellation(of url: URL?) -> NetworkError {
        let shown = url.map { ": " + $0.presentableText } ?? ""
        return NetworkError(.cancelled, message: "The request for the asset was cancelled\(shown)", failingURL: url)
    }

    // MARK: - Starting and finishing

    private func finish(_ key: String, _ number: Int, _ request: URLRequest, _ response: TaskResponse<Value>) {
        if let value = response.value, response.error == nil, let cache,
            cache.shouldCache(value, for: request, withAdditionalIdentifier: nil)
        {
            cache.add(value, for: request, withAdditionalIdentifier: nil)
        }
        let handlers = table.withLock { $0.end(key, number: number, response: response) }
        startNext()
        for handler in handlers { handler(response) }
    }

    private func startNext() {
        for task in table.withLock({ $0.takeNext() }) { manager.start(task) }
    }
}

extension URLRequest {
    /// Whether the cache policy allows a cached value.
    fileprivate var mayUseCache: Bool {
        [.useProtocolCachePolicy, .returnCacheDataElseLoad, .returnCacheDataDontLoad].contains(cachePolicy)
    }
}

extension AssetDownloader where Value == Data {
    /// The default downloader, for image data.
    ///
    /// It runs four downloads at a time, in the order they were requested, with an ``AutoPurgingCache`` of 100 MiB and
    /// a separate manager with ``defaultConfiguration``. Nothing is kept on disk: for that, create a downloader with a
    /// manager whose transport has `CurlSession.Options.cache`.
    ///
    /// AFNetworking: `defaultInstance`.
    public static var `default`: AssetDownloader<Data> { DefaultAssetDownloader.instance }

    /// The configuration of the default downloader: the system's, with a memory cache of 20 MB for undecoded responses.
    ///
    /// AFNetworking: `defaultURLSessionConfiguration`.
    public static var defaultConfiguration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.default
        configuration.urlCache = URLCache(memoryCapacity: 20_000_000, diskCapacity: 0, diskPath: nil)
        return configuration
    }
}

/// The storage of the default downloader, since a generic type cannot have stored static properties.
private enum DefaultAssetDownloader {
    static let instance = AssetDownloader<Data>(
        manager: SessionManager(configuration: AssetDownloader<Data>.defaultConfiguration),
        serializer: .imageData,
        cache: AutoPurgingCache<Data>()
    )
}

/// A receipt to cancel one request for an asset, without the other requests that share its download.
///
/// AFNetworking: `AFImageDownloadReceipt`.
public struct AssetDownloadReceipt: Sendable, Hashable, Identifiable {
    /// The identifier of this request.
    public let id: UUID

    /// The task that downloads the asset for all requests that share it; only the downloader should cancel it.
    public let task: URLSessionDataTask

    let key: String

    /// Returns a Boolean value that indicates whether both receipts belong to the same request.
    public static func == (left: Self, right: Self) -> Bool { left.id == right.id }

    /// Hashes the identifier.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension AssetDownloadReceipt: CustomStringConvertible, CustomReflectable {
    /// The identifier.
    public var description: String { "the request \(id) for an asset" }

    /// The identifier and the task, since `dump` would print the secrets of the URL.
    public var customMirror: Mirror { Mirror(self, children: ["id": id, "task": task]) }
}

/// The order in which waiting downloads start.
///
/// AFNetworking: `AFImageDownloadPrioritization`.
public enum AssetDownloadPrioritization: Sendable, Hashable {
    /// The download that has waited longest starts first.
    case fifo

    /// The newest download starts first.
    case lifo
}
