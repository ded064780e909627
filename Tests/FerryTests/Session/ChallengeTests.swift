import Ferry
import FerryTesting
import Foundation
import Testing

@Suite("Challenges", .timeLimit(.minutes(5)))
struct ChallengeTests {
    private static let challenge: LoopbackServer.Handler = { request in
        if request.header("Authorization") == "Basic dTpw" { return .text("secret") }
        return LoopbackResponse.text("denied", statusCode: 401).adding("WWW-Authenticate", "Basic realm=\"x\"")
    }

    private struct Refusal: Error, Equatable {}

    @Test(
        "A challenge may be answered with a credential, immediately or later",
        arguments: TestTransport.all,
        [true, false]
    )
    func credential(_ transport: TestTransport, later: Bool) async throws {
        let server = try LoopbackServer(handler: Self.challenge)
        let manager = transport.manager()
        manager.hooks.taskDidReceiveChallenge = { _, _, _, answer in
            let credential = ChallengeOutcome.useCredential(URLCredential(user: "u", password: "p", persistence: .none))
            guard later else { return credential }
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) {
                answer(credential)
                answer(.performDefaultHandling)
            }
            return .deferred
        }
        let response = await manager.response(for: URLRequest(url: server.url), serializer: .string)
        #expect(response.value == "secret")
        #expect(response.error == nil)
    }

    @Test(
        "A challenge without a hook, or with default handling, yields the 401 response",
        arguments: TestTransport.all,
        [true, false]
    )
    func defaultHandling(_ transport: TestTransport, hasHook: Bool) async throws {
        let server = try LoopbackServer(handler: Self.challenge)
        let manager = transport.manager()
        if hasHook { manager.hooks.taskDidReceiveChallenge = { _, _, _, _ in .performDefaultHandling } }
        let response = await manager.response(for: URLRequest(url: server.url), serializer: .string)
        #expect(response.statusCode == 401)
        #expect(response.value == "denied")
        #expect(response.error?.code == .unacceptableStatusCode)
    }

    @Test("A challenge cancelled with an error ends the task with that error", arguments: TestTransport.all)
    func cancelledChallenge(_ transport: TestTransport) async throws {
        let server = try LoopbackServer(handler: Self.challenge)
        let manager = transport.manager()
        let raw = Watched<NSError?>(nil)
        manager.hooks.taskDidReceiveChallenge = { _, _, _, _ in .cancel(Refusal()) }
        manager.hooks.taskDidComplete = { _, _, error in raw.change { $0 = error as NSError? } }
        let response = await manager.response(for: URLRequest(url: server.url), serializer: .string)
        #expect(response.error?.underlyingError as? Refusal == Refusal())
        #expect(response.error?.isCancelled == false)
        #expect(raw.current?.code == NSURLErrorCancelled)
    }

    @Test(
        "Rejecting a protection space offers the next one",
        arguments: TestTransport.able(to: .rejectingProtectionSpaces)
    )
    func rejectedSpace(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { request in
            if request.header("Authorization") == "Basic dTpw" { return .text("secret") }
            return LoopbackResponse.text("denied", statusCode: 401)
                .adding("WWW-Authenticate", "Digest realm=\"x\", nonce=\"1\"")
                .adding("WWW-Authenticate", "Basic realm=\"y\"")
        }
        let manager = transport.manager()
        let realms = Watched<[String?]>([])
        manager.hooks.taskDidReceiveChallenge = { _, _, challenge, _ in
            let space = challenge.protectionSpace
            realms.change { $0.append(space.realm) }
            guard space.authenticationMethod == NSURLAuthenticationMethodHTTPBasic else {
                return .rejectProtectionSpace
            }
            return .useCredential(URLCredential(user: "u", password: "p", persistence: .none))
        }
        let response = await manager.response(for: URLRequest(url: server.url), serializer: .string)
        #expect(response.value == "secret")
        #expect(realms.current == ["x", "y"])
    }

    @Test(
        "The session's hook receives challenges about the connection, and the task's hook all others",
        arguments: TestTransport.able(to: .rejectingProtectionSpaces)
    )
    func sessionHook(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { request in
            if request.header("Authorization") == "Basic dTpw" { return .text("secret") }
            return LoopbackResponse.text("denied", statusCode: 401)
                .adding("WWW-Authenticate", "NTLM")
                .adding("WWW-Authenticate", "Basic realm=\"y\"")
        }
        let manager = transport.manager()
        let asked = Watched<[String]>([])
        manager.hooks.sessionDidReceiveChallenge = { _, challenge in
            asked.change { $0.append("session " + challenge.protectionSpace.authenticationMethod) }
            return .rejectProtectionSpace
        }
        manager.hooks.taskDidReceiveChallenge = { _, _, challenge, _ in
            asked.change { $0.append("task " + challenge.protectionSpace.authenticationMethod) }
            return .useCredential(URLCredential(user: "u", password: "p", persistence: .none))
        }
        let response = await manager.response(for: URLRequest(url: server.url), serializer: .string)
        #expect(response.value == "secret")
        #expect(
            asked.current == [
                "session \(NSURLAuthenticationMethodNTLM)", "task \(NSURLAuthenticationMethodHTTPBasic)",
            ]
        )
        let other = transport.manager()
        other.hooks.sessionDidReceiveChallenge = { _, _ in .deferred }
        other.hooks.taskDidReceiveChallenge = { _, _, _, _ in .cancel(Refusal()) }
        let left = await other.response(for: URLRequest(url: server.url), serializer: .string)
        #expect(left.statusCode == 401)
        #expect(left.error?.underlyingError == nil)
    }
}
