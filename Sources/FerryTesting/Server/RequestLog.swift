import Foundation

/// The requests and protocol violations that a server has recorded.
final class RequestLog: Sendable {
    private struct State {
        var requests: [LoopbackRequest] = []
        var count = 0
        var violations: [String] = []
    }

    private let state = Locked(State())
    private let keepsRequests: Bool

    init(keepsRequests: Bool) {
        self.keepsRequests = keepsRequests
    }

    var requests: [LoopbackRequest] {
        state.withLock { $0.requests }
    }

    var count: Int {
        state.withLock { $0.count }
    }

    var violations: [String] {
        state.withLock { $0.violations }
    }

    func add(_ request: LoopbackRequest) {
        state.withLock { state in
            state.count += 1
            if keepsRequests { state.requests.append(request) }
        }
    }

    func add(_ violation: ProtocolViolation) {
        state.withLock { $0.violations.append(violation.reason) }
    }

    func reset() {
        state.withLock { $0 = State() }
    }
}
