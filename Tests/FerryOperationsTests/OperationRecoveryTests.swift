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
        try LoopbackServer(handler: LoopbackServer.sequence([.text("no", statusCode: 503), .json("[1]")]))
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
                .text("busy", statusCode: 503), .text("busy", statusCode: 503), .json("[1]"),
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

    @Test("A copy of a finished operation has its interceptors")
    func copyOfFinished() async throws {
        let server = try LoopbackServer { _ in .json("[1]") }
        let operation = HTTPRequestOperation(request: URLRequest(url: server.url), manager: makeOperationManager())
        operation.interceptors = [Numbering()]
        operation.start()
        try await operation.settled()
        #expect(operation.interceptors.count == 1)
        let copy = try #require(operation.copy() as? HTTPRequestOperation)
        copy.start()
        try await copy.settled()
        #expect(server.requests.map { $0.headers["X-Attempt"] } == ["1", "1"])
    }

    @Test("A body that can be made again is sent by a copy, and any other is not", arguments: [true, false])
    func copyOfBody(isReplayable: Bool) async throws {
        let server = try LoopbackServer { .text(String(decoding: $0.body, as: UTF8.self)) }
        let pieces = AsyncStream<Data> { continuation in
            for piece in ["one ", "two"] { continuation.yield(Data(piece.utf8)) }
            continuation.finish()
        }
        var request = URLRequest(url: server.url)
        request.httpMethod = "PUT"
        request.setBody(
            isReplayable
                ? RequestBody {
                    AsyncStream<Data> { continuation in
                        continuation.yield(Data("again".utf8))
                        continuation.finish()
                    }
                } : RequestBody(pieces)
        )
        let operation = RequestOperation(request: request, manager: makeOperationManager())
        operation.start()
        try await operation.settled()
        #expect(operation.responseData == Data((isReplayable ? "again" : "one two").utf8))
        let copy = try #require(operation.copy() as? RequestOperation)
        copy.start()
        try await copy.settled()
        #expect(copy.error?.code == (isReplayable ? nil : .bodyStreamExhausted))
        #expect(copy.responseData ?? Data() == Data((isReplayable ? "again" : "").utf8))
    }

    @Test("An operation with its own policy is not sent by a manager that was invalidated", arguments: [true, false])
    func invalidated(isKnown: Bool) async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let manager = makeOperationManager()
        func operation() async throws -> RequestOperation {
            let operation = RequestOperation(request: URLRequest(url: server.url), manager: manager)
            var policy = SecurityPolicy()
            policy.allowsInvalidCertificates = true
            operation.securityPolicy = policy
            operation.start()
            try await operation.settled()
            return operation
        }
        let earlier = isKnown ? try await operation() : nil
        manager.invalidate(cancellingTasks: true)
        #expect(try await operation().error?.code == .sessionInvalidated)
        #expect(server.requestCount == (isKnown ? 1 : 0))
        manager.invalidate(cancellingTasks: true, resettingSession: true)
        #expect(try await operation().error == nil)
        withExtendedLifetime(earlier) {}
    }

    @Test("The last call about the progress of a body of unknown length is on the manager's queue")
    func lastProgress() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse(body: .chunked([Data(count: 10), Data(count: 20)])) }
        let manager = makeOperationManager()
        let queues = Watched<[OperationQueue?]>([])
        let last = Watched<ProgressUpdate?>(nil)
        let operation = RequestOperation(request: URLRequest(url: server.url), manager: manager)
        operation.downloadProgress = { update in
            let queue = OperationQueue.current
            queues.change { $0.append(queue) }
            last.change { $0 = update }
        }
        operation.start()
        try await operation.settled()
        #expect(last.current == ProgressUpdate(completedByteCount: 30, totalByteCount: 30))
        #expect(queues.current.allSatisfy { $0 === manager.operationQueue })
    }
}
