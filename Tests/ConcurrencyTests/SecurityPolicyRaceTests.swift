import Ferry
import FerrySession
import Foundation
import NginxSupport
import TestSupport
import Testing

@Suite(
    "Changes of security policies under load",
    .serialized,
    .enabled(if: NginxServer.isWanted, "nginx or openssl is not installed: apt-get install nginx-full openssl"),
    .timeLimit(.minutes(10))
)
struct SecurityPolicyRaceTests {
    /// A server of its own, since a test stops the one that the others share.
    private static let server = Result { try NginxServer() }

    @Test(
        "Requests made after a policy change are checked against the new policy, even under load",
        arguments: [NginxListener.tls, .http2]
    )
    func changing(listener: NginxListener) async throws {
        let checks = TLSChecks(server: try Self.server.get())
        let manager = SessionManager(configuration: .ephemeral, transport: .trusting(checks.server))
        let wrong = SecurityPolicy(
            pinningMode: .publicKey,
            pinnedPublicKeys: ["sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="]
        )
        var marks: [String] = []
        let seed = SeededGenerator.seed()
        var random = SeededGenerator(seed)
        for _ in 0..<10 {
            let delay = UInt64.random(in: 0..<20_000_000, using: &random)
            try manager.setSecurityPolicy(SecurityPolicy())
            let before = (0..<20).map { _ in checks.uniqueURL(listener).url }
            let after = (0..<10).map { _ in checks.uniqueURL(listener) }
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for url in before { group.addTask { await Self.passes(manager, url) || true } }
                try await Task.sleep(nanoseconds: delay)
                try manager.setSecurityPolicy(wrong)
                for (url, _) in after { group.addTask { await !Self.passes(manager, url) } }
                for try await isRight in group { #expect(isRight, "FERRY_TEST_SEED=\(seed)") }
            }
            marks += after.map(\.mark)
        }
        #expect(try await !checks.hasLogged("nothing"))
        #expect(try checks.server.logged(marks) == [])
    }

    private static func passes(_ manager: SessionManager, _ url: URL) async -> Bool {
        await manager.response(for: URLRequest(url: url), serializer: HTTPDataResponseSerializer()).error == nil
    }
}
