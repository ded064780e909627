import FerrySession

extension ReachabilityManager {
    /// Waits until there is a way there; returns at once if there is, or if the system does not tell.
    ///
    /// - Parameter timeout: How long to wait; nil waits for ever.
    /// - Throws: ``NetworkError`` with ``NetworkError/Code/notConnected`` when the time is over, or with
    ///   ``NetworkError/Code/cancelled`` when the Swift task is cancelled.
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
        throw NetworkError(.notConnected, message: "There was no way to \(target.phrase) in time")
    }
}

extension ReachabilityTarget {
    /// The target as a part of a sentence.
    fileprivate var phrase: String {
        switch self {
        case .defaultRoute: "the network"
        case .address(let host), .domain(let host): host
        }
    }
}
