/// The downloads of one downloader: their handlers, and the order in which they start.
///
/// A download has a number in addition to its key, so that a cancelled one is not confused with its successor.
struct AssetDownloadTable<Value: Sendable>: Sendable {
    typealias Handler = @Sendable (TaskResponse<Value>) -> Void

    struct Download: Sendable {
        let number: Int
        let task: URLSessionDataTask
        var handlers: [(id: UUID, handler: Handler)]
    }

    private var downloads: [String: Download] = [:]
    private var running: Set<Int> = []
    private var waiting: [(key: String, number: Int)] = []
    /// The downloads whose tasks are being made.
    private var making: Set<Int> = []
    /// The responses of those downloads whose tasks have ended already, such as tasks of an invalid session.
    private var earlyResponses: [Int: TaskResponse<Value>] = [:]
    private var lastNumber = 0

    let maximum: Int
    let prioritization: AssetDownloadPrioritization

    init(maximum: Int, prioritization: AssetDownloadPrioritization) {
        self.maximum = max(1, maximum)
        self.prioritization = prioritization
    }

    var runningCount: Int { running.count }

    /// Returns the number of a download whose task is about to be made; ``add(_:at:)`` or ``drop(_:)`` follows.
    mutating func nextNumber() -> Int {
        lastNumber += 1
        making.insert(lastNumber)
        return lastNumber
    }

    /// Adds a request to an existing download; returns nil if there is none.
    mutating func join(_ key: String, id: UUID, _ handler: @escaping Handler) -> AssetDownloadReceipt? {
        guard let task = downloads[key]?.task else { return nil }
        downloads[key]?.handlers.append((id, handler))
        return AssetDownloadReceipt(id: id, task: task, key: key)
    }

    /// Drops a download whose task is not needed, and returns its response if the task has ended already.
    mutating func drop(_ number: Int) -> TaskResponse<Value>? {
        making.remove(number)
        return earlyResponses.removeValue(forKey: number)
    }

    /// Adds a new download, which waits for its turn; if its task has ended already, returns the response instead.
    mutating func add(_ download: Download, at key: String) -> TaskResponse<Value>? {
        if let response = drop(download.number) { return response }
        downloads[key] = download
        switch prioritization {
        case .fifo: waiting.append((key, download.number))
        case .lifo: waiting.insert((key, download.number), at: 0)
        }
        return nil
    }

    /// Returns the tasks of the downloads that may start now, and counts them as running.
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

    /// Ends a download, and returns its handlers in the order they were added.
    ///
    /// If its task is still being made, there are no handlers yet: ``add(_:at:)`` then returns the response.
    mutating func end(_ key: String, number: Int, response: TaskResponse<Value>) -> [Handler] {
        if making.contains(number) { earlyResponses[number] = response }
        running.remove(number)
        guard downloads[key]?.number == number, let download = downloads.removeValue(forKey: key) else { return [] }
        return download.handlers.map(\.handler)
    }

    /// Removes one request from its download, and returns its handler, and the task if no other request shares it; nil
    /// if the request has ended.
    mutating func cancel(_ receipt: AssetDownloadReceipt) -> (handler: Handler, task: URLSessionDataTask?)? {
        guard var download = downloads[receipt.key],
            let place = download.handlers.firstIndex(where: { $0.id == receipt.id })
        else { return nil }
        let handler = download.handlers.remove(at: place).handler
        guard download.handlers.isEmpty else {
            downloads[receipt.key] = download
            return (handler, nil)
        }
        // If the download is running, its place becomes free when its task ends.
        downloads[receipt.key] = nil
        waiting.removeAll { $0.number == download.number }
        return (handler, download.task)
    }
}
