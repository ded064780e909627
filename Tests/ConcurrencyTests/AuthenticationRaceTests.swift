import FerryTesting
import Foundation
import Testing

@testable import Ferry

@Suite("Refreshes for many requests", .timeLimit(.minutes(5)))
struct AuthenticationRaceTests {
    private static let count = 1_000

    private func interceptor(
        _ server: LoopbackServer,
        initial: BearerToken?
    ) -> AuthenticationInterceptor<BearerAuthenticator> {
        let session = CurlSession(configuration: .ephemeral)
        return .bearer(initial: initial) { _ in
            let (data, _) = try await session.data(from: server.url("/token"))
            return BearerToken(String(decoding: data, as: UTF8.self))
        }
    }

    @Test("A thousand refused requests cause one refresh")
    func refused() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.text("new").delayed(0.1) }
        let interceptor = interceptor(server, initial: BearerToken("old"))
        let results = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 1...Self.count {
                group.addTask {
                    let task = InterceptedTask(server.url("/\(number)"), identifier: number)
                    // Some requests are refused only after a new token has been issued.
                    if number.isMultiple(of: 10) { try await Task.sleep(for: .milliseconds(number / 2)) }
                    let decision = await task.decision(interceptor, token: "old")
                    let authorization = try await task.authorization(interceptor, attempt: 2)
                    return "\(decision.name) \(authorization ?? "")"
                }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(results == ["retry Bearer new"])
        #expect(server.requestCount == 1)
        #expect(interceptor.waitingCount == 0)
    }

    @Test("A thousand requests without a token cause one refresh")
    func waiting() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.text("new").delayed(0.1) }
        let interceptor = interceptor(server, initial: nil)
        let results = try await withThrowingTaskGroup(of: String?.self) { group in
            for number in 1...Self.count {
                let task = InterceptedTask(server.url("/\(number)"), identifier: number)
                group.addTask { try await task.authorization(interceptor) }
            }
            return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }
        #expect(results == ["Bearer new"])
        #expect(server.requestCount == 1)
    }

    @Test("A failed refresh fails all requests that wait for it, and the next request tries again")
    func failure() async throws {
        let issuer = TokenIssuer(isOpen: false)
        let interceptor = issuer.interceptor()
        let errors = try await withThrowingTaskGroup(of: (any Error)?.self) { group in
            for number in 1...Self.count {
                let task = InterceptedTask(identifier: number)
                group.addTask {
                    guard number > 1 else { return await task.decision(interceptor, token: "old").error }
                    try await eventually("the refusal") { interceptor.waitingCount > 0 }
                    guard number.isMultiple(of: 2) else { return await task.decision(interceptor, token: "old").error }
                    do {
                        _ = try await task.authorization(interceptor)
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            try await eventually("all requests") { interceptor.waitingCount == Self.count }
            issuer.finish(throwing: RefreshFailure(number: 1))
            return try await group.reduce(into: [(any Error)?]()) { $0.append($1) }
        }
        #expect(errors.count == Self.count)
        #expect(errors.allSatisfy { $0 as? RefreshFailure == RefreshFailure(number: 1) })
        #expect(issuer.count == 1)

        issuer.finish()
        #expect(await InterceptedTask(identifier: 0).decision(interceptor, token: "old").name == "retry")
        #expect(issuer.count == 2)
    }

    @Test("A cancelled request stops waiting at once, and the refresh continues for the others")
    func cancellation() async throws {
        let issuer = TokenIssuer(isOpen: false)
        let interceptor = issuer.interceptor(initial: nil)
        let first = Task { try await InterceptedTask(identifier: 1).authorization(interceptor) }
        try await eventually("the request that starts the refresh") { interceptor.waitingCount == 1 }
        let second = Task { try await InterceptedTask(identifier: 2).authorization(interceptor) }
        try await eventually("the other request") { interceptor.waitingCount == 2 }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(interceptor.waitingCount == 1)
        issuer.finish()
        #expect(try await second.value == "Bearer token-1")
        #expect(issuer.count == 1)
    }

    @Test("A refused request that is cancelled ends at once too")
    func cancelledDecision() async throws {
        let issuer = TokenIssuer(isOpen: false)
        let interceptor = issuer.interceptor()
        let refused = Task { await InterceptedTask().decision(interceptor, token: "old") }
        try await eventually("the refused request") { interceptor.waitingCount == 1 }
        refused.cancel()
        #expect(await refused.value.error is CancellationError)
        issuer.finish()
        try await eventually("the new token") { interceptor.credential?.value == "token-1" }
    }

    @Test("Cancelled at any time, each request ends")
    func randomCancellation() async throws {
        let seed = SeededGenerator.seed()
        var random = SeededGenerator(seed)
        for _ in 0..<50 {
            let issuer = TokenIssuer()
            let interceptor = issuer.interceptor(initial: nil)
            let tasks = (1...20).map { number in
                Task { try await InterceptedTask(identifier: number).authorization(interceptor) }
            }
            for task in tasks where Bool.random(using: &random) {
                if Bool.random(using: &random) { await Task.yield() }
                task.cancel()
            }
            for task in tasks {
                switch await task.result {
                case .success(let value): #expect(value == "Bearer token-1", "seed \(seed)")
                case .failure(let error): #expect(error is CancellationError, "seed \(seed)")
                }
            }
            #expect(interceptor.waitingCount == 0, "seed \(seed)")
            #expect(issuer.count <= 1, "seed \(seed)")
        }
    }

    @Test("Requests, refusals, sign-ins and sign-outs in any order leave no request waiting")
    func mix() async throws {
        let issuer = TokenIssuer()
        let interceptor = issuer.interceptor {
            $0.maximumRefreshes = 1_000
            $0.refreshWindow = 0
        }
        await withTaskGroup(of: Void.self) { group in
            for worker in 1...8 {
                group.addTask {
                    for round in 1...200 {
                        let task = InterceptedTask(identifier: worker * 1_000 + round)
                        let token = interceptor.credential?.value ?? "old"
                        switch (worker + round) % 5 {
                        case 0 where worker == 1: interceptor.credential = nil
                        case 0: interceptor.credential = BearerToken("set-\(round)")
                        case 1, 2: _ = try? await task.authorization(interceptor)
                        default: _ = await task.decision(interceptor, token: token)
                        }
                    }
                }
            }
        }
        try await eventually("the end of the last refresh") { interceptor.waitingCount == 0 }
        #expect(try await InterceptedTask().authorization(interceptor)?.hasPrefix("Bearer ") == true)
    }
}
