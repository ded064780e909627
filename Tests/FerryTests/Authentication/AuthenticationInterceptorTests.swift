import Foundation
import Testing

@testable import Ferry

@Suite("Authentication interceptors", .timeLimit(.minutes(5)))
struct AuthenticationInterceptorTests {
    private let clock = ManualClock()
    private let task = InterceptedTask()

    @Test("A valid token is added without waiting, in place of another one")
    func valid() throws {
        let issuer = TokenIssuer(clock)
        let interceptor = issuer.interceptor()
        var request = task.request
        request.setValue("Basic eDp5", forHTTPHeaderField: "authorization")
        request.setValue("7", forHTTPHeaderField: "X-Trace")
        let sent = try #require(try interceptor.adaptImmediately(request, for: task.attempt()))
        #expect(sent.value(forHTTPHeaderField: "Authorization") == "Bearer old")
        #expect(sent.allHTTPHeaderFields?.count == 2)
        #expect(issuer.count == 0)
        #expect(interceptor.failureStatusCodes == [401])
    }

    @Test("Without a token, the first request waits for a refresh")
    func first() async throws {
        let received = Watched<[BearerToken?]>([])
        let interceptor = AuthenticationInterceptor.bearer { old in
            received.append(old)
            return BearerToken("first")
        }
        #expect(try interceptor.adaptImmediately(task.request, for: task.attempt()) == nil)
        #expect(try await task.authorization(interceptor) == "Bearer first")
        #expect(try await task.authorization(interceptor) == "Bearer first")
        #expect(received.current == [nil])
        #expect(interceptor.credential?.value == "first")
    }

    // MARK: - Expiration

    @Test("A token that is about to expire is sent, while one refresh runs in the background")
    func leeway() async throws {
        let issuer = TokenIssuer(clock, isOpen: false)
        let interceptor = issuer.interceptor(initial: BearerToken("old", expirationDate: clock.now + 100))
        clock.advance(by: 69)
        #expect(try await task.authorization(interceptor) == "Bearer old")
        #expect(issuer.count == 0)
        clock.advance(by: 1)
        for _ in 0..<10 {
            let sent = try interceptor.adaptImmediately(task.request, for: task.attempt())
            #expect(sent?.value(forHTTPHeaderField: "Authorization") == "Bearer old")
            #expect(try await task.authorization(interceptor) == "Bearer old")
        }
        try await eventually("the refresh") { issuer.count == 1 }
        issuer.finish()
        try await eventually("the new token") { interceptor.credential?.value == "token-1" }
        #expect(try await task.authorization(interceptor) == "Bearer token-1")
        #expect(issuer.count == 1)
    }

    @Test("An expired token is not sent: requests wait for the refresh that runs already")
    func expired() async throws {
        let issuer = TokenIssuer(clock, isOpen: false)
        let interceptor = issuer.interceptor(initial: BearerToken("old", expirationDate: clock.now + 10))
        #expect(try await task.authorization(interceptor) == "Bearer old")
        clock.advance(by: 10)
        #expect(try interceptor.adaptImmediately(task.request, for: task.attempt()) == nil)
        async let authorization = task.authorization(interceptor)
        try await eventually("a request that waits") { interceptor.waitingCount == 1 }
        issuer.finish()
        #expect(try await authorization == "Bearer token-1")
        #expect(issuer.count == 1)
    }

    @Test("A token that has expired on arrival is sent, and the next request refreshes it")
    func expiredOnArrival() async throws {
        let issuer = TokenIssuer(clock, lifetime: 0)
        let interceptor = issuer.interceptor(initial: nil)
        #expect(try await task.authorization(interceptor) == "Bearer token-1")
        #expect(try await task.authorization(interceptor) == "Bearer token-2")
    }

    @Test("Failed refreshes in the background fail no request, and leave some for requests that have to wait")
    func backgroundFailure() async throws {
        let issuer = TokenIssuer(clock)
        issuer.finish(throwing: RefreshFailure())
        let interceptor = issuer.interceptor(initial: BearerToken("old", expirationDate: clock.now + 20))
        try await eventually("all refreshes in the background") {
            let sent = try interceptor.adaptImmediately(task.request, for: task.attempt())
            #expect(sent?.value(forHTTPHeaderField: "Authorization") == "Bearer old")
            return issuer.count == 3
        }
        clock.advance(by: 20)
        var failures: [any Error] = []
        while failures.count < 10, !(failures.last is AuthenticationError) {
            do {
                _ = try await task.authorization(interceptor)
            } catch {
                failures.append(error)
            }
        }
        #expect(failures.last as? AuthenticationError == .excessiveRefresh)
        // A request may have waited for the last refresh in the background.
        #expect(failures.count == 3 || failures.count == 4)
        #expect(issuer.count == 5)
    }

    // MARK: - Refused tokens

    @Test("A refused request is sent again with a new token")
    func refused() async throws {
        let issuer = TokenIssuer(clock)
        let interceptor = issuer.interceptor()
        #expect(await task.decision(interceptor, token: "old").name == "retry")
        #expect(try await task.authorization(interceptor, attempt: 2) == "Bearer token-1")
        #expect(issuer.count == 1)
    }

    @Test("A request that was refused with an older token is sent again without a refresh")
    func older() async throws {
        let issuer = TokenIssuer(clock)
        let interceptor = issuer.interceptor()
        interceptor.credential = BearerToken("new")
        #expect(await task.decision(interceptor, token: "old").name == "retry")
        #expect(try await task.authorization(interceptor, attempt: 2) == "Bearer new")
        #expect(issuer.count == 0)
    }

    @Test("A request that is refused again with the new token ends with the response")
    func refusedAgain() async throws {
        let issuer = TokenIssuer(clock)
        let interceptor = issuer.interceptor()
        #expect(await task.decision(interceptor, token: "old", attempt: 1).name == "retry")
        #expect(await task.decision(interceptor, token: "token-1", attempt: 2).name == "proceed")
        #expect(await task.decision(interceptor, token: "token-1", attempt: 3).name == "proceed")
        #expect(issuer.count == 1)
        // Another task, even of another session, may refresh the token again.
        #expect(await task.decision(interceptor, token: "token-1", attempt: 1).name == "retry")
        #expect(issuer.count == 2)
    }

    @Test("A later attempt may refresh the token, if the earlier ones have failed for another reason")
    func laterAttempt() async throws {
        let issuer = TokenIssuer(clock)
        let interceptor = issuer.interceptor()
        #expect(await task.decision(interceptor, token: "old", status: 503, attempt: 1).name == "proceed")
        #expect(await task.decision(interceptor, token: "old", attempt: 2).name == "retry")
        #expect(issuer.count == 1)
    }

    @Test("A request is not sent endlessly if it never carries the token")
    func neverAuthenticated() async throws {
        let issuer = TokenIssuer(clock)
        let interceptor = issuer.interceptor()
        #expect(await task.decision(interceptor, token: "other", attempt: 1).name == "retry")
        #expect(await task.decision(interceptor, token: "other", attempt: 2).name == "proceed")
        #expect(issuer.count == 0)
    }

    @Test("While a refused token is refreshed, new requests wait for the new one")
    func newRequests() async throws {
        let issuer = TokenIssuer(clock, isOpen: false)
        let interceptor = issuer.interceptor()
        async let decision = task.decision(interceptor, token: "old")
        try await eventually("the refused request") { interceptor.waitingCount == 1 }
        async let authorization = InterceptedTask(identifier: 2).authorization(interceptor)
        try await eventually("the new request") { interceptor.waitingCount == 2 }
        issuer.finish()
        #expect(await decision.name == "retry")
        #expect(try await authorization == "Bearer token-1")
        #expect(issuer.count == 1)
    }

    @Test("Only the given statuses, for which the authenticator says so, are refusals")
    func statuses() async throws {
        let issuer = TokenIssuer(clock)
        let interceptor = issuer.interceptor { $0.failureStatusCodes = [403] }
        #expect(interceptor.failureStatusCodes == [403])
        #expect(await task.decision(interceptor, token: "old", status: 401).name == "proceed")
        #expect(await task.decision(interceptor, token: "old", status: 403).name == "retry")

        let picky = AuthenticationInterceptor(SessionKeys(), credential: SessionKeys.Key(text: "a"))
        #expect(await task.decision(picky, token: "").name == "proceed")
    }

    @Test("An error of the connection is left to the others")
    func connectionError() async {
        let interceptor = TokenIssuer(clock).interceptor()
        let failure = AttemptOutcome(.error(URLError(.timedOut)), request: task.request, isRepeatable: true)
        #expect(await interceptor.retry(task.attempt(), dueTo: failure).name == "proceed")
    }

    // MARK: - Limits

    @Test("More refreshes than the window allows fail with an error, until the window has passed")
    func window() async throws {
        let issuer = TokenIssuer(clock)
        let interceptor = issuer.interceptor {
            $0.maximumRefreshes = 2
            $0.refreshWindow = 30
        }
        for number in 1...2 {
            let token = number == 1 ? "old" : "token-1"
            #expect(await InterceptedTask(identifier: number).decision(interceptor, token: token).name == "retry")
            clock.advance(by: 10)
        }
        let decision = await InterceptedTask(identifier: 3).decision(interceptor, token: "token-2")
        #expect((decision.error as? AuthenticationError)?.code == .excessiveRefresh)
        // The token may be sent nevertheless.
        #expect(try await task.authorization(interceptor) == "Bearer token-2")
        clock.advance(by: 10)
        #expect(await InterceptedTask(identifier: 4).decision(interceptor, token: "token-2").name == "retry")
        #expect(issuer.count == 3)
    }

    @Test("No refresh is allowed with a maximum of zero or less", arguments: [0, -1, .min])
    func none(maximum: Int) async {
        let interceptor = TokenIssuer(clock).interceptor(initial: nil) { $0.maximumRefreshes = maximum }
        await #expect(throws: AuthenticationError.excessiveRefresh) { try await task.authorization(interceptor) }
    }

    @Test("Options that are not numbers have no effect", arguments: [Double.nan, .infinity, -.infinity, -1])
    func strangeOptions(value: Double) async throws {
        let issuer = TokenIssuer(clock)
        let interceptor = issuer.interceptor(initial: BearerToken("old", expirationDate: clock.now)) {
            $0.leeway = value
            $0.refreshWindow = value
            $0.refreshTimeout = value
        }
        #expect(try await task.authorization(interceptor) == "Bearer token-1")
    }

    @Test("A refresh that takes too long fails with an error, and its token is used when it arrives")
    func timeout() async throws {
        let issuer = TokenIssuer(clock, isOpen: false)
        let isCancelled = Watched(false)
        let interceptor = AuthenticationInterceptor(
            BearerAuthenticator { _ in
                await withTaskCancellationHandler {
                    while !isCancelled.current { try? await Task.sleep(for: .milliseconds(1)) }
                } onCancel: {
                    isCancelled.change { $0 = true }
                }
                // In a separate task, since this one is cancelled.
                return try await Task { try await issuer.token() }.value
            },
            credential: nil,
            options: AuthenticationOptions { $0.refreshTimeout = 0.05 }
        )
        await #expect(throws: AuthenticationError.refreshTimedOut) { try await task.authorization(interceptor) }
        #expect(interceptor.credential == nil)
        issuer.finish()
        try await eventually("the late token") { interceptor.credential?.value == "token-1" }
    }

    @Test("A token that arrives late is used for the requests that wait for another refresh, which is cancelled")
    func lateToken() async throws {
        let (begun, mayEnd) = (Watched(0), Watched(0))
        let isCancelled = Watched(false)
        let interceptor = AuthenticationInterceptor(
            BearerAuthenticator { _ in
                let number = begun.change { count in
                    count += 1
                    return count
                }
                await withTaskCancellationHandler {
                    // In a separate task, which is not cancelled.
                    _ = try? await Task { try await mayEnd.wait { $0 >= number } }.value
                } onCancel: {
                    if number > 1 { isCancelled.change { $0 = true } }
                }
                return BearerToken("token-\(number)")
            },
            credential: nil,
            options: AuthenticationOptions { ($0.refreshTimeout, $0.maximumRefreshes) = (0.05, 1_000) }
        )
        await #expect(throws: AuthenticationError.refreshTimedOut) { try await task.authorization(interceptor) }
        let second = Task { [task] in
            while true {
                do {
                    return try await task.authorization(interceptor)
                } catch let error as AuthenticationError where error == .refreshTimedOut {
                    // The machine was busy, and another refresh begins.
                    continue
                }
            }
        }
        try await begun.wait { $0 >= 2 }
        mayEnd.change { $0 = 1 }
        #expect(try await second.value == "Bearer token-1")
        try await isCancelled.wait { $0 }
        mayEnd.change { $0 = .max }
        #expect(interceptor.credential?.value == "token-1")
    }

    @Test("Of two refreshes, the one that ends first with a credential ends both") func twoRefreshes() {
        var state = RefreshState<String>(nil, options: AuthenticationOptions())
        guard case .wait(let first, true) = state.access(at: clock.now) else {
            Issue.record("no refresh has begun")
            return
        }
        let timedOut = state.end(first, with: nil)
        #expect(timedOut.counts && timedOut.other == nil)
        guard case .wait(let second, true) = state.access(at: clock.now) else {
            Issue.record("no second refresh has begun")
            return
        }
        let failed = state.end(first, with: nil)
        #expect(!failed.counts && state.flight === second)
        let arrived = state.end(first, with: HeldCredential("first", expirationDate: nil))
        #expect(arrived.counts && arrived.other === second)
        let late = state.end(second, with: HeldCredential("second", expirationDate: nil))
        #expect(!late.counts)
        #expect(state.current?.value == "first" && state.flight == nil)
    }

    // MARK: - Setting the credential

    @Test("Requests that wait are sent with the credential that the application sets")
    func setting() async throws {
        let isCancelled = Watched(false)
        let mayEnd = Watched(false)
        let interceptor = AuthenticationInterceptor.bearer { _ in
            await withTaskCancellationHandler {
                // In a separate task, which is not cancelled.
                _ = try? await Task { try await mayEnd.wait { $0 } }.value
            } onCancel: {
                isCancelled.change { $0 = true }
            }
            return BearerToken("late")
        }
        async let authorization = task.authorization(interceptor)
        try await eventually("a request that waits") { interceptor.waitingCount == 1 }
        interceptor.credential = BearerToken("signed in")
        #expect(try await authorization == "Bearer signed in")
        try await isCancelled.wait { $0 }
        mayEnd.change { $0 = true }
        try await Task.sleep(for: .milliseconds(20))
        #expect(interceptor.credential?.value == "signed in")
    }

    @Test("After signing out, a refused request ends with the response")
    func signingOut() async throws {
        let issuer = TokenIssuer(clock, isOpen: false)
        let interceptor = issuer.interceptor()
        async let decision = task.decision(interceptor, token: "old")
        try await eventually("the refused request") { interceptor.waitingCount == 1 }
        interceptor.credential = nil
        #expect(await decision.name == "proceed")
        #expect(await InterceptedTask(identifier: 2).decision(interceptor, token: "old").name == "proceed")
        issuer.finish()
        try await Task.sleep(for: .milliseconds(20))
        #expect(interceptor.credential == nil)
    }

    @Test("New credentials are reported before the requests that wait for them are sent")
    func reporting() async throws {
        let issuer = TokenIssuer(clock)
        let reported = Watched<[String]>([])
        let interceptor = issuer.interceptor(initial: nil, didRefresh: { token in reported.append(token.value) })
        #expect(try await task.authorization(interceptor) == "Bearer token-1")
        #expect(reported.current == ["token-1"])
        interceptor.credential = BearerToken("set")
        #expect(reported.current == ["token-1"])
    }

    @Test("Requests that wait are sent with a credential that is set while the new one is reported")
    func settingDuringReport() async throws {
        let issuer = TokenIssuer(clock)
        let target = Watched<AuthenticationInterceptor<BearerAuthenticator>?>(nil)
        let interceptor = issuer.interceptor(
            initial: nil,
            didRefresh: { _ in target.current?.credential = BearerToken("other user") }
        )
        target.change { $0 = interceptor }
        #expect(try await task.authorization(interceptor) == "Bearer other user")
        #expect(issuer.count == 1)
        target.change { $0 = nil }
    }

    // MARK: - Other authenticators and secrets

    @Test("An authenticator may use a field of its own")
    func ownField() async throws {
        let interceptor = AuthenticationInterceptor(SessionKeys(), credential: nil)
        let request = try await interceptor.adapt(task.request, for: task.attempt())
        #expect(request.value(forHTTPHeaderField: "X-Session") == "key")
        #expect(SessionKeys().expirationDate(of: SessionKeys.Key(text: "")) == nil)
    }

    private struct SessionKeys: Authenticator {
        struct Key { var text: String }

        func apply(_ key: Key, to request: inout AdaptedRequest) {
            request.setValue(key.text, forHTTPHeaderField: "X-Session")
        }
        func isRequest(_ request: URLRequest, authenticatedWith key: Key) -> Bool {
            request.value(forHTTPHeaderField: "X-Session") == key.text
        }
        func isAuthenticationFailure(_ response: HTTPURLResponse) -> Bool { false }
        func refresh(_ key: Key?) async throws -> Key { Key(text: "key") }
    }

    @Test("A token that cannot be sent is an error that does not contain it")
    func unsendable() async throws {
        let token = BearerToken(SecretScan.password + "\r\nX-Evil: 1")
        let interceptor = TokenIssuer(clock).interceptor(initial: token)
        let error = await #expect(throws: RequestSerializationError.self) {
            try await task.authorization(interceptor)
        }
        #expect(SecretScan.findings(in: try #require(error)) == [])
        #expect(throws: RequestSerializationError.self) {
            try interceptor.adaptImmediately(task.request, for: task.attempt())
        }
    }

    @Test("Descriptions do not contain the token")
    func descriptions() {
        let token = BearerToken(SecretScan.password)
        let interceptor = TokenIssuer(clock).interceptor(initial: token)
        for value in [token, interceptor, [token], ["a": token], Optional(token) as Any] as [Any] {
            #expect(SecretScan.findings(in: value) == [])
            var text = ""
            dump(value, to: &text)
            #expect(!text.contains(SecretScan.password))
        }
        #expect("\(interceptor)" == "AuthenticationInterceptor<BearerAuthenticator>")
    }
}
