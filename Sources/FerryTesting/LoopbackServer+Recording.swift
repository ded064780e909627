extension LoopbackServer {
    /// All requests since the start or the last ``reset()``, in the order in which they were completely read.
    ///
    /// A request is recorded before its handler is called, even if the client disconnected while sending the body.
    public var requests: [LoopbackRequest] { core.log.requests }

    /// The number of requests since the start or the last ``reset()``.
    public var requestCount: Int { core.log.count }

    /// The reasons why requests were refused as malformed, in order; empty if all requests were well-formed.
    public var protocolViolations: [String] { core.log.violations }

    /// The total number of accepted connections; ``reset()`` does not change it.
    public var connectionCount: Int { core.connections.acceptedCount }

    /// The number of open connections.
    public var openConnectionCount: Int { core.connections.openCount }

    /// Removes all recorded requests.
    public func reset() { core.log.reset() }

    /// The number of bytes the server has passed to the system for its clients, including response heads and framing.
    ///
    /// Bytes that a client has not read yet are in buffers, whose size ``Configuration/sendBufferSize`` limits.
    public var sentByteCount: Int { core.traffic.sent }

    /// The number of bytes the server has read from its clients, including request heads and framing.
    public var receivedByteCount: Int { core.traffic.received }

    /// Waits until at least `count` requests have been received.
    ///
    /// - Parameters:
    ///   - count: The number of requests since the start or the last ``reset()``.
    ///   - timeout: The number of seconds to wait; 10 by default.
    /// - Throws: ``LoopbackServerError/timedOut(_:)``, or `CancellationError` if the task is cancelled.
    public func waitForRequests(_ count: Int, timeout: TimeInterval = 10) async throws {
        try await wait(for: "\(count) requests", timeout: timeout) { $0.requestCount >= count }
    }

    /// Waits until no more than `count` connections are open.
    ///
    /// - Parameters:
    ///   - count: The greatest number of connections that may be open.
    ///   - timeout: The number of seconds to wait; 10 by default.
    /// - Throws: ``LoopbackServerError/timedOut(_:)``, or `CancellationError` if the task is cancelled.
    public func waitForOpenConnections(atMost count: Int, timeout: TimeInterval = 10) async throws {
        try await wait(for: "at most \(count) open connections", timeout: timeout) { $0.openConnectionCount <= count }
    }

    private func wait(
        for goal: String,
        timeout: TimeInterval,
        until isReached: (LoopbackServer) -> Bool
    ) async throws {
        let deadline = MonotonicTime.now().advanced(by: TimeSpan(seconds: timeout))
        while !isReached(self) {
            guard .now() < deadline else {
                let seen = "\(requestCount) requests, \(openConnectionCount) open connections"
                let refused = protocolViolations.suffix(3).map { "; refused: \($0)" }.joined()
                throw LoopbackServerError.timedOut("waited for \(goal), saw \(seen)\(refused)")
            }
            try await Task.sleep(for: .milliseconds(2))
        }
    }
}

/// The requests and protocol violations that a server has recorded.
final class RequestLog: Sendable {
    private struct State {
        var requests: [LoopbackRequest] = []
        var count = 0
        var violations: [String] = []
    }

    private let state = Mutex(State())
    private let keepsRequests: Bool

    init(keepsRequests: Bool) { self.keepsRequests = keepsRequests }
    var requests: [LoopbackRequest] { state.withLock { $0.requests } }
    var count: Int { state.withLock { $0.count } }
    var violations: [String] { state.withLock { $0.violations } }

    func add(_ request: LoopbackRequest) {
        state.withLock { state in
            state.count += 1
            if keepsRequests { state.requests.append(request) }
        }
    }

    func add(_ violation: ProtocolViolation) { state.withLock { $0.violations.append(violation.reason) } }
    func reset() { state.withLock { $0 = State() } }
}
