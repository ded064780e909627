import FerryTesting
import Foundation
import TestSupport
import Testing

@testable import Ferry

/// Authentication that refreshes its credential, over real connections.
@Suite("Authentication over the wire", .timeLimit(.minutes(5)))
struct AuthenticationWireTests {
    private struct Refused: Error, Equatable {}

    /// A server that accepts one token, which the test can change.
    private func server(accepting token: String) throws -> LoopbackServer {
        try LoopbackServer { request in
            request.header("Authorization") == "Bearer \(token)" ? .text("yes") : .text("no", statusCode: 401)
        }
    }

    private func manager(_ server: LoopbackServer, _ interceptor: any RequestInterceptor) -> HTTPSessionManager {
        let manager = HTTPSessionManager(baseURL: server.url, configuration: .ephemeral)
        manager.interceptors = [interceptor]
        return manager
    }

    @Test("A thousand concurrent requests with an old token cause exactly one refresh") func thousand() async throws {
        let server = try server(accepting: "new")
        let refreshes = Watched(0)
        let manager = manager(
            server,
            AuthenticationInterceptor.bearer(initial: BearerToken("old")) { _ in
                refreshes.change { $0 += 1 }
                try await Task.sleep(for: .milliseconds(50))
                return BearerToken("new")
            }
        )
        let texts = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<1_000 { group.addTask { await manager.response(for: .get("x", serializer: .string)).value } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(texts.count == 1_000)
        #expect(texts.allSatisfy { $0 == "yes" })
        #expect(refreshes.current == 1)
        #expect(server.requestCount <= 2_000)
        // The next request sends the new token at once.
        let count = server.requestCount
        #expect(await manager.response(for: .get("x", serializer: .string)).attempts == 1)
        #expect(server.requestCount == count + 1)
    }

    @Test("Tasks of two sessions with the same identifier are told apart")
    func twoSessions() async throws {
        let accepted = Watched("1")
        let failures = Watched(0)
        let server = try LoopbackServer { request in
            if request.path == "/busy",
                failures.change({
                    $0 += 1
                    return $0
                }) == 1
            {
                return .status(503)
            }
            let isAccepted = request.header("Authorization") == "Bearer \(accepted.current)"
            return isAccepted ? .text("yes") : .text("no", statusCode: 401)
        }
        let interceptor = AuthenticationInterceptor.bearer(initial: BearerToken("old")) { _ in
            BearerToken(accepted.current)
        }
        let (first, second) = (manager(server, interceptor), manager(server, interceptor))
        #expect(await first.response(for: .get("x", serializer: .string)).value == "yes")
        // The second attempt of the other session's task gets its first refusal.
        accepted.change { $0 = "2" }
        second.retryPolicy = .standard
        second.retryPolicy?.backoff = .init(base: 0.01)
        #expect(await second.response(for: .get("busy", serializer: .string)).value == "yes")
    }

    @Test("A refresh that fails fails all requests that wait for it with its cause, once") func failure() async throws {
        let server = try server(accepting: "new")
        let refreshes = Watched(0)
        let gate = Watched(false)
        let interceptor = AuthenticationInterceptor.bearer(initial: BearerToken("old")) { _ in
            refreshes.change { $0 += 1 }
            try await gate.wait { $0 }
            throw Refused()
        }
        let manager = manager(server, interceptor)
        let requests = Task {
            await withTaskGroup(of: NetworkError?.self) { group in
                for _ in 0..<50 { group.addTask { await manager.response(for: .get("x")).error } }
                return await group.reduce(into: []) { $0.append($1) }
            }
        }
        try await eventually("all requests wait") { interceptor.waitingCount == 50 }
        gate.change { $0 = true }
        let errors = await requests.value
        #expect(errors.count == 50)
        #expect(errors.allSatisfy { $0?.underlyingError is Refused })
        #expect(refreshes.current == 1)
    }

    @Test("A token that is refused again is not refreshed without end, and the 401 is delivered") func refused()
        async throws
    {
        let server = try server(accepting: "another")
        let refreshes = Watched(0)
        let manager = manager(
            server,
            AuthenticationInterceptor.bearer(initial: BearerToken("old")) { _ in
                refreshes.change { $0 += 1 }
                return BearerToken("new")
            }
        )
        let response = await manager.response(for: .get("x", serializer: .string))
        #expect(response.statusCode == 401)
        #expect(refreshes.current == 1)
        #expect(server.requestCount == 2)
    }

    @Test("Cancelling one request does not cancel the refresh that others wait for") func cancel() async throws {
        let server = try server(accepting: "new")
        let gate = Watched(false)
        let started = Watched(false)
        let manager = manager(
            server,
            AuthenticationInterceptor.bearer(initial: BearerToken("old")) { _ in
                started.change { $0 = true }
                try await gate.wait { $0 }
                return BearerToken("new")
            }
        )
        let first = Task { await manager.response(for: .get("x", serializer: .string)) }
        try await started.wait { $0 }
        let second = Task { await manager.response(for: .get("x", serializer: .string)) }
        // The second request is not sent before a token exists.
        try await Task.sleep(for: .milliseconds(100))
        #expect(server.requestCount == 1)
        first.cancel()
        #expect(await first.value.error?.isCancelled == true)
        gate.change { $0 = true }
        #expect(await second.value.value == "yes")
    }

    @Test("A redirect to another origin carries no token, and its 401 causes no refresh") func redirect() async throws {
        let other = try server(accepting: "new")
        let server = try LoopbackServer { [url = other.url] _ in .redirect(to: url.absoluteString) }
        let refreshes = Watched(0)
        let manager = manager(
            server,
            AuthenticationInterceptor.bearer(initial: BearerToken("new")) { _ in
                refreshes.change { $0 += 1 }
                return BearerToken("new")
            }
        )
        let response = await manager.response(for: .get("x", serializer: .string))
        #expect(response.statusCode == 401)
        #expect(server.requests.map { $0.header("Authorization") } == ["Bearer new"])
        #expect(other.requests.map { $0.header("Authorization") } == [nil])
        #expect(refreshes.current == 0)
    }

    @Test("Refreshes, retries and cancellations at any time end each request once") func storm() async throws {
        let token = Watched(0)
        let served = Watched(0)
        // The token is replaced after each fiftieth request.
        let server = try LoopbackServer { request in
            let current = served.change { count in
                count += 1
                return count % 50 == 0
                    ? token.change {
                        $0 += 1
                        return $0
                    } : token.current
            }
            if current % 3 == 2, request.path.hasSuffix("0") { return .status(503) }
            return request.header("Authorization") == "Bearer \(current)" ? .text("yes") : .status(401)
        }
        var options = AuthenticationOptions()
        options.maximumRefreshes = 10_000
        let manager = manager(
            server,
            AuthenticationInterceptor.bearer(initial: BearerToken("0"), options: options) { _ in
                await Task.yield()
                return BearerToken("\(token.current)")
            }
        )
        var policy = RetryPolicy.standard
        policy.backoff = .init(base: 0.01)
        manager.retryPolicy = policy
        let seed = SeededGenerator.seed()
        let ends = await withTaskGroup(of: Bool.self) { group in
            for index in 0..<500 {
                group.addTask {
                    var random = SeededGenerator(seed &+ UInt64(index))
                    let task = Task { await manager.response(for: .get("\(index)", serializer: .string)) }
                    if index % 5 == 0 {
                        try? await Task.sleep(for: .milliseconds(Int.random(in: 0...20, using: &random)))
                        task.cancel()
                    }
                    let response = await task.value
                    return response.value == "yes" || response.error != nil
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(ends.count == 500)
        #expect(ends.allSatisfy { $0 }, "FERRY_TEST_SEED=\(seed)")
    }
}
