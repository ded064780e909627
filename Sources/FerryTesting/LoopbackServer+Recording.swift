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

    /// How many bytes the system took from the server for its clients, heads and framing included.
    ///
    /// What a client has not read yet waits in buffers, whose size ``Configuration/sendBufferSize`` bounds.
    public var bytesSent: Int { traffic.sent }

    /// How many bytes the server has read from its clients, heads and framing included.
    public var bytesReceived: Int { traffic.received }

    /// Waits until at least `count` requests have come.
    ///
    /// - Parameters:
    ///   - count: How many requests there must be since the start or the last ``reset()``.
    ///   - timeout: How many seconds to wait for them.
    /// - Throws: ``LoopbackServerError/timedOut(_:)``, or `CancellationError` if the task is cancelled.
    public func waitForRequests(_ count: Int, timeout: TimeInterval = 10) async throws {
        try await wait(for: "\(count) requests", timeout: timeout) { $0.requestCount >= count }
    }

    /// Waits until no more than `count` connections are open.
    ///
    /// - Parameters:
    ///   - count: How many connections may be open.
    ///   - timeout: How many seconds to wait.
    /// - Throws: ``LoopbackServerError/timedOut(_:)``, or `CancellationError` if the task is cancelled.
    public func waitForOpenConnections(atMost count: Int, timeout: TimeInterval = 10) async throws {
        try await wait(for: "at most \(count) open connections", timeout: timeout) { $0.openConnectionCount <= count }
    }

    private func wait(
        for goal: String,
        timeout: TimeInterval,
        until isReached: (LoopbackServer) -> Bool
    ) async throws {
        let deadline = Monotonic.now + timeout
        while !isReached(self) {
            guard Monotonic.now < deadline else {
                let seen = "\(requestCount) requests, \(openConnectionCount) open connections"
                throw LoopbackServerError.timedOut("waited for \(goal), saw \(seen)")
            }
            try await Task.sleep(for: .milliseconds(2))
        }
    }
}
