import FerryTesting
import Foundation
import TestSupport
import Testing

@testable import Ferry

/// Refreshes that send requests through the interceptor that waits for them.
@Suite("Refreshes through the same manager", .timeLimit(.minutes(5)))
struct AuthenticationRefreshScopeTests {
    /// An interceptor that is asked in a separate Swift task, as most are.
    private struct Waiting: RequestInterceptor {}

    /// A manager whose interceptor refreshes with a request of the same manager.
    private func manager(
        _ server: LoopbackServer,
        initial: BearerToken?,
        others: [any RequestInterceptor] = [],
        clock: ManualClock = ManualClock(),
        refresh: @escaping @Sendable (HTTPSessionManager) async throws -> String
    ) -> (HTTPSessionManager, AuthenticationInterceptor<BearerAuthenticator>) {
        let manager = HTTPSessionManager(baseURL: server.url, configuration: .ephemeral)
        let interceptor = AuthenticationInterceptor(
            BearerAuthenticator { [weak manager] _ in
                guard let manager else { throw RefreshFailure() }
                return BearerToken(try await refresh(manager))
            },
            credential: initial,
            clock: { clock.now }
        )
        manager.interceptors = [interceptor] + others
        return (manager, interceptor)
    }

    private func token(_ manager: HTTPSessionManager) async throws -> String {
        try await manager.response(for: .get("token", serializer: .string)).get()
    }

    private func code(_ error: NetworkError?) -> AuthenticationError.Code? {
        var next: (any Error)? = error
        while let error = next as? NetworkError { next = error.underlyingError }
        return (next as? AuthenticationError)?.code
    }

    @Test(
        "A refresh whose request needs the new credential fails at once, with an error that says why",
        arguments: [[], [Waiting()]]
    )
    func first(_ others: [any RequestInterceptor]) async throws {
        let server = try LoopbackServer { _ in .text("new") }
        let (manager, _) = manager(server, initial: nil, others: others) { try await token($0) }
        let error = await manager.response(for: .get("x")).error
        #expect(code(error) == .refreshWaitsForItself)
        #expect(server.requestCount == 0)
    }

    /// A protocol class that loads nothing.
    private final class Idle: URLProtocol {
        override class func canInit(with request: URLRequest) -> Bool { false }
        override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    }

    @Test("The configuration's protocol classes change nothing about that") func protocolClasses() async throws {
        let server = try LoopbackServer { _ in .text("new") }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [Idle.self]
        let manager = HTTPSessionManager(baseURL: server.url, configuration: configuration)
        manager.interceptors = [
            AuthenticationInterceptor(
                BearerAuthenticator { [weak manager] _ in
                    guard let manager else { throw RefreshFailure() }
                    return BearerToken(try await token(manager))
                }
            )
        ]
        #expect(code(await manager.response(for: .get("x")).error) == .refreshWaitsForItself)
        #expect(server.requestCount == 0)
    }

    @Test("A request with a completion handler in a refresh fails in the same way", arguments: [[], [Waiting()]])
    func completionHandler(_ others: [any RequestInterceptor]) async throws {
        let server = try LoopbackServer { _ in .text("new") }
        let (manager, _) = manager(server, initial: nil, others: others) { manager in
            try await withCheckedThrowingContinuation { continuation in
                manager.send(.get("token", serializer: .string)) { continuation.resume(with: $0.result) }
            }
        }
        #expect(code(await manager.response(for: .get("x")).error) == .refreshWaitsForItself)
    }

    @Test("Before its expiration, a credential may be refreshed with a request that carries it")
    func ahead() async throws {
        let clock = ManualClock()
        let server = try LoopbackServer { .text($0.header("Authorization") == "Bearer old" ? "new" : "") }
        let old = BearerToken("old", expirationDate: clock.now + 10)
        let (manager, interceptor) = manager(server, initial: old, clock: clock) { try await token($0) }
        #expect(await manager.response(for: .get("x", serializer: .string)).error == nil)
        try await eventually("the new credential") { interceptor.credential?.value == "new" }
    }

    @Test(
        "A refresh gets the refusal of its own request, and the requests that wait fail with its error",
        arguments: [[], [Waiting()]]
    )
    func refused(_ others: [any RequestInterceptor]) async throws {
        let clock = ManualClock()
        let hasRefreshed = Watched(false)
        let server = try LoopbackServer { request in
            if request.path == "/token" { hasRefreshed.change { $0 = true } }
            // If the refresh were sent after the other request's refusal, it would wait for itself.
            for _ in 0..<2_000 where !hasRefreshed.current { usleep(5_000) }
            return .status(401)
        }
        let old = BearerToken("old", expirationDate: clock.now + 10)
        let statuses = Watched<[Int?]>([])
        let (manager, interceptor) = manager(server, initial: old, others: others, clock: clock) { manager in
            let response = await manager.response(for: .get("token", serializer: .string))
            statuses.append(response.httpResponse?.statusCode)
            return try response.get()
        }
        let error = await manager.response(for: .get("x")).error
        #expect(error != nil)
        // If the first refresh ends before the other request is refused, the refusal begins a second refresh.
        #expect(statuses.current.first == 401)
        #expect(interceptor.credential?.value == "old")
        #expect(interceptor.waitingCount == 0)
    }

    @Test("A task that a refresh has left behind waits for the next refresh like any other")
    func leftBehind() async throws {
        let server = try LoopbackServer { request in
            request.header("Authorization") == "Bearer second" ? .text("yes") : .status(401)
        }
        let count = Watched(0)
        let late = Watched<Task<String?, Never>?>(nil)
        let mayStart = Watched(false)
        let (manager, _) = manager(server, initial: nil) { manager in
            let number = count.change { count in
                count += 1
                return count
            }
            if number == 1 {
                let task = Task {
                    _ = try? await mayStart.wait { $0 }
                    return await manager.response(for: .get("late", serializer: .string)).value
                }
                late.change { $0 = task }
                return "first"
            }
            return "second"
        }
        #expect(await manager.response(for: .get("x", serializer: .string)).value == "yes")
        mayStart.change { $0 = true }
        #expect(await late.current?.value == "yes")
        #expect(count.current == 2)
    }
}
