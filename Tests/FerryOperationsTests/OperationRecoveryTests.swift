import FerryTesting
import Foundation
import Testing

@testable import FerryOperations

/// Retries, interceptors and deadlines of operations.
@Suite(.timeLimit(.minutes(5))) struct OperationRecoveryTests {
    private var policy: RetryPolicy {
        var policy = RetryPolicy.standard
        policy.backoff = .init(base: 0.01)
        return policy
    }

    /// Marks the attempts of a request with their number.
    private struct Numbering: RequestInterceptor {
        func adapt(_ request: URLRequest, for attempt: RequestAttempt) async throws -> URLRequest {
            var request = request
            request.setValue("\(attempt.number)", forHTTPHeaderField: "X-Attempt")
            return request
        }
    }

    private func failingServer() throws -> LoopbackServer {
        try LoopbackServer(handler: LoopbackServer.sequence([.text("no", status: 503), .json("[1]")]))
    }

    @Test("An operation retries by its own policy, and asks its own interceptors")
    func own() async throws {
        let server = try failingServer()
        let operation = HTTPRequestOperation(request: URLRequest(url: server.url), manager: makeOperationManager())
        operation.responseSerializer = .json
        operation.retryPolicy = policy
        operation.interceptors = [Numbering()]
        #expect(operation.retryPolicy == policy)
        #expect(operation.interceptors.count == 1)
        operation.start()
        try await operation.settled()
        #expect(operation.error == nil)
        #expect(operation.responseObject as? JSONValue == [1])
        #expect(server.requests.map { $0.headers["X-Attempt"] } == ["1", "2"])
    }

    @Test("Without a policy of its own, the manager's holds")
    func inherited() async throws {
        let server = try failingServer()
        let manager = makeOperationManager()
        manager.retryPolicy = policy
        let operation = HTTPRequestOperation(request: URLRequest(url: server.url), manager: manager)
        operation.start()
        try await operation.settled()
        #expect(operation.error == nil)
        #expect(server.requestCount == 2)
    }

    @Test("Operations of an operation manager inherit the policy of its session manager")
    func inheritedThroughManager() async throws {
        let server = try LoopbackServer(
            handler: LoopbackServer.sequence([
                .text("busy", status: 503), .text("busy", status: 503), .json("[1]"),
            ])
        )
        let session = HTTPSessionManager(baseURL: server.url, configuration: .ephemeral)
        session.retryPolicy = policy
        let manager = HTTPRequestOperationManager(sessionManager: session)
        let value = Watched<String?>(nil)
        manager.get("x") { _, object in
            value.change { $0 = "\(object ?? "none")" }
        } failure: { _, error in
            value.change { $0 = "\(error)" }
        }
        #expect(try await value.wait { $0 != nil }?.contains("1") == true)
        #expect(server.requestCount == 3)
    }

    @Test("A deadline ends the operation")
    func deadline() async throws {
        let server = try LoopbackServer { _ in .text("").faulted(.stallBeforeHead) }
        let operation = RequestOperation(request: URLRequest(url: server.url), manager: makeOperationManager())
        operation.deadline = 0.2
        operation.start()
        try await operation.settled()
        #expect(operation.error?.code == .timedOut)
    }

    @Test("An operation made of a request has the request's policy, interceptors and deadline, and so has its copy")
    func request() async throws {
        let server = try failingServer()
        let manager = HTTPRequestOperationManager(baseURL: server.url)
        manager.operationQueue.isSuspended = true
        let request = Request<any Sendable>(.get, "list").retry(policy).intercepted(by: Numbering()).deadline(30)
        let operation = try #require(manager.send(request, success: nil))
        #expect(operation.retryPolicy == policy)
        #expect(operation.deadline == 30)
        #expect((operation.copy() as? HTTPRequestOperation)?.retryPolicy == policy)
        manager.operationQueue.isSuspended = false
        try await operation.settled()
        #expect(operation.error == nil)
        #expect(server.requests.map { $0.headers["X-Attempt"] } == ["1", "2"])
    }

    @Test("Over another session than Ferry's, a policy is refused and not ignored")
    func unsupported() async throws {
        let server = try failingServer()
        let manager = SessionManager(transport: .system)
        let operation = RequestOperation(request: URLRequest(url: server.url), manager: manager)
        operation.retryPolicy = policy
        operation.start()
        try await operation.settled()
        #expect(operation.error?.code == .unsupportedByTransport)
        #expect(server.requestCount == 0)
    }
}
