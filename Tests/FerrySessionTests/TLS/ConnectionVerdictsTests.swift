import Testing

@testable import FerrySession

@Suite("Verdicts on connections")
struct ConnectionVerdictsTests {
    private func key(_ port: Int, remote: String = "192.0.2.1") -> ConnectionVerdicts.Key {
        .init(remote: remote, remotePort: 443, local: "192.0.2.9", localPort: port)
    }

    private func origin(_ url: String) throws -> Origin { Origin(try #require(URL(string: url))) }

    @Test("A verdict holds for its connection and origin, until the connection closes")
    func life() throws {
        let verdicts = ConnectionVerdicts()
        let here = try origin("https://here.example")
        let accepted = ConnectionVerdicts.Verdict(origin: here, decision: .accept, certificates: [], subject: nil)
        verdicts.remember(accepted, for: key(1))
        verdicts.remember(accepted, for: key(2))
        #expect(verdicts.verdict(for: key(1), origin: here)?.decision == .accept)
        #expect(verdicts.verdict(for: key(3), origin: here) == nil)
        #expect(verdicts.verdict(for: key(1, remote: "192.0.2.2"), origin: here) == nil)
        #expect(verdicts.verdict(for: key(1), origin: try origin("https://there.example")) == nil)
        verdicts.forget(local: "192.0.2.9", port: 1)
        #expect(verdicts.verdict(for: key(1), origin: here) == nil)
        #expect(verdicts.verdict(for: key(2), origin: here) != nil)
        #expect(verdicts.count == 1)
    }
}
