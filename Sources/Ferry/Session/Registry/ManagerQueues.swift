import Foundation

/// The queues shared by all managers.
///
/// They have the same quality of service as operation queues by default, and so use the same threads. With a different
/// one, each completion would wake a thread of another pool.
enum ManagerQueues {
    /// The concurrent queue on which responses are validated and decoded.
    static let processing = DispatchQueue(label: "ferry.processing", attributes: .concurrent)

    /// The default queue of completion handlers, which is concurrent.
    ///
    /// It is not the main queue, so that requests also complete in a program that blocks its main thread.
    static let completion = DispatchQueue(label: "ferry.completion", attributes: .concurrent)

    /// Returns a new serial queue for the delegate callbacks of one manager.
    static func makeOperationQueue() -> OperationQueue {
        let queue = OperationQueue()
        queue.name = "ferry.session"
        queue.maxConcurrentOperationCount = 1
        return queue
    }
}
