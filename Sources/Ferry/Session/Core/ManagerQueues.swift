import FerrySession

/// The queues that serve all managers.
///
/// They have the quality of service that operation queues have by default, and so run on the same threads: with another
/// one each completion would wake a thread of another pool.
enum ManagerQueues {
    /// Where responses are validated and decoded, many at a time.
    static let processing = DispatchQueue(label: "ferry.processing", attributes: .concurrent)

    /// Where completion handlers run by default, many at a time: a program that blocks its main thread completes too.
    static let completion = DispatchQueue(label: "ferry.completion", attributes: .concurrent)

    /// Makes the queue for the delegate callbacks of one manager.
    static func makeOperationQueue() -> OperationQueue {
        let queue = OperationQueue()
        queue.name = "ferry.session"
        queue.maxConcurrentOperationCount = 1
        return queue
    }
}
