import Foundation

extension LoopbackServer {
    /// All requests since the start or the last ``reset()``, in the order in which they were complete.
    ///
    /// A request is recorded before its handler is called, and also if the client left within its body.
    public var requests: [LoopbackRequest] { recordings.requests }

    /// How many requests came since the start or the last ``reset()``.
    public var requestCount: Int { recordings.count }

    /// What was wrong with requests that were refused as malformed, in order; a good client leaves it empty.
    public var protocolViolations: [String] { recordings.violations }

    /// How many connections were accepted in all; ``reset()`` does not change it.
    public var connectionCount: Int { connections.acceptedCount }

    /// How many connections are open now.
    public var openConnectionCount: Int { connections.openCount }

    /// Forgets the requests recorded so far.
    public func reset() {
        recordings.reset()
    }

    /// Waits until at least `count` requests have come.
    ///
    /// - Parameters:
    ///   - count: How many requests there must be since the start or the last ``reset()``.
    ///   - timeout: How many seconds to wait for them.
    /// - Throws: ``LoopbackServerError/timedOut(_:)``, or `CancellationError` if the task is cancelled.
    public func waitForRequests(_ count: Int, timeout: TimeInterval = 10) async throws {
        try await wait(timeout: timeout, until: { requestCount >= count }) {
            "\(requestCount) of \(count) requests"
        }
    }

    /// Waits until no more than `count` connections are open.
    ///
    /// - Parameters:
    ///   - count: How many connections may be open.
    ///   - timeout: How many seconds to wait.
    /// - Throws: ``LoopbackServerError/timedOut(_:)``, or `CancellationError` if the task is cancelled.
    public func waitForOpenConnections(atMost count: Int, timeout: TimeInterval = 10) async throws {
        try await wait(timeout: timeout, until: { openConnectionCount <= count }) {
            "\(openConnectionCount) connections are open, not \(count)"
        }
    }

    private func wait(
        timeout: TimeInterval,
        until isReached: () -> Bool,
        describing text: () -> String
    ) async throws {
        let deadline = Monotonic.now + timeout
        while !isReached() {
            guard Monotonic.now < deadline else { throw LoopbackServerError.timedOut(text()) }
            try await Task.sleep(for: .milliseconds(2))
        }
    }
}
