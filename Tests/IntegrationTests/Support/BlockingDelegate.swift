import Ferry

/// A delegate that blocks until it is opened.
final class BlockingDelegate: NSObject, URLSessionDataDelegate {
    private let gate = DispatchSemaphore(value: 0)
    private let state = Locked((isOpen: false, received: 0, completions: 0, error: (any Error)?.none))

    var received: Int { state.withLock { $0.received } }

    /// Stops blocking.
    func open() {
        state.withLock { $0.isOpen = true }
        gate.signal()
    }

    /// Waits until `count` tasks have completed, and throws the error of one that failed.
    func waitForCompletions(_ count: Int) async throws {
        while state.withLock({ $0.completions }) < count { try await Task.sleep(nanoseconds: 5_000_000) }
        if let error = state.withLock({ $0.error }) { throw error }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isOpen = state.withLock { state in
            state.received += data.count
            return state.isOpen
        }
        if !isOpen { gate.wait() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        state.withLock { state in
            state.completions += 1
            if let error { state.error = error }
        }
    }
}
