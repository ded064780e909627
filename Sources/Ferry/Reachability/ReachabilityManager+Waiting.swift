import Foundation

extension ReachabilityManager {
    /// Waits until the target is reachable.
    ///
    /// Returns immediately if the target is reachable, or if the system does not provide its status.
    ///
    /// - Parameter timeout: How long to wait; nil for no limit.
    /// - Throws: ``NetworkError`` with ``NetworkError/Code/notConnected`` after the timeout, or with
    ///   ``NetworkError/Code/cancelled`` if the Swift task is cancelled.
    public func waitUntilReachable(timeout: Duration? = nil) async throws(NetworkError) {
        let updates = updates
        let isReachable = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await status in updates where status != .notReachable { return true }
                return false
            }
            if let timeout {
                group.addTask {
                    try? await Task.sleep(for: timeout)
                    return false
                }
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
        guard !isReachable else { return }
        guard !Task.isCancelled else {
            throw NetworkError(.cancelled, message: "Waiting for the network was cancelled")
        }
        throw NetworkError(.notConnected, message: "There was no route to \(target.phrase) within the timeout")
    }
}

extension ReachabilityTarget {
    /// The target, for use within a sentence.
    fileprivate var phrase: String {
        switch self {
        case .defaultRoute: "the network"
        case .address(let host), .domain(let host): host
        }
    }
}
