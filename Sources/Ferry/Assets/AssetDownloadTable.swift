import FerrySession

/// The downloads of one downloader: who waits for them, which run, which come next.
///
/// A download has a number beside its key, so that one that was cancelled and asked for again is not taken for the new one.
struct AssetDownloadTable<Value: Sendable>: Sendable {
    typealias Handler = @Sendable (TaskResponse<Value>) -> Void

    struct Download: Sendable {
        let number: Int
        let task: URLSessionDataTask
        var handlers: [(id: UUID, handler: Handler)]
    }

    /// How cancelling one request ends.
    struct Cancellation: Sendable {
        let handler: Handler
        /// The task, if nobody waits for it any more.
        let task: URLSessionDataTask?
    }

    private var downloads: [String: Download] = [:]
    private var running: Set<Int> = []
    private var waiting: [(key: String, number: Int)] = []
    private var lastNumber = 0

    let maximum: Int
    let prioritization: AssetDownloadPrioritization

    init(maximum: Int, prioritization: AssetDownloadPrioritization) {
        self.maximum = max(1, maximum)
        self.prioritization = prioritization
    }

    /// How many run now.
    var runningCount: Int { running.count }

    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Joins a download that is there already.
    mutating func join(_ key: String, id: UUID, _ handler: @escaping Handler) -> AssetDownloadReceipt? {
        guard let task = downloads[key]?.task else { return nil }
        downloads[key]?.handlers.append((id, handler))
        return AssetDownloadReceipt(id: id, task: task, key: key)
    }

    /// Adds a new download, which waits for its turn.
    mutating func add(_ download: Download, at key: String) {
        downloads[key] = download
        switch prioritization {
        case .fifo: waiting.append((key, download.number))
        case .lifo: waiting.insert((key, download.number), at: 0)
        }
    }

    /// Takes the downloads whose turn it is.
    mutating func takeNext() -> [URLSessionDataTask] {
        var tasks: [URLSessionDataTask] = []
        while running.count < maximum, !waiting.isEmpty {
            let (key, number) = waiting.removeFirst()
            guard let download = downloads[key], download.number == number else { continue }
            running.insert(number)
            tasks.append(download.task)
        }
        return tasks
    }

    /// Ends a download, and gives those who wait for it, in the order in which they came.
    mutating func end(_ key: String, number: Int) -> [Handler] {
        running.remove(number)
        guard downloads[key]?.number == number, let download = downloads.removeValue(forKey: key) else { return [] }
        return download.handlers.map(\.handler)
    }

    /// Takes one request out of a download; nil if it is over.
    mutating func cancel(_ receipt: AssetDownloadReceipt) -> Cancellation? {
        guard var download = downloads[receipt.key],
            let place = download.handlers.firstIndex(where: { $0.id == receipt.id })
        else { return nil }
        let handler = download.handlers.remove(at: place).handler
        guard download.handlers.isEmpty else {
            downloads[receipt.key] = download
            return Cancellation(handler: handler, task: nil)
        }
        // If it runs, its place is free when its task has ended.
        downloads[receipt.key] = nil
        waiting.removeAll { $0.number == download.number }
        return Cancellation(handler: handler, task: download.task)
    }
}
