import Testing

@testable import FerrySession

@Suite struct PauseReasonsTests {
    @Test(
        "Each set of reasons pauses receiving, sending or both",
        arguments: [
            ([], false, false), (.suspended, true, true), (.clientIsFull, true, false), (.bodyIsStarved, false, true),
            ([.clientIsFull, .bodyIsStarved], true, true), ([.suspended, .clientIsFull], true, true),
            (.awaitsTurn, true, false),
            ([.suspended, .bodyIsStarved], true, true), ([.suspended, .clientIsFull, .bodyIsStarved], true, true),
        ] as [(PauseReasons, Bool, Bool)]
    )
    func mask(_ reasons: PauseReasons, receiving: Bool, sending: Bool) {
        let expected = (receiving ? CurlPause.receive : 0) | (sending ? CurlPause.send : 0)
        #expect(reasons.curlMask == expected)
    }

    @Test("Only the reasons of this process keep the deadline of inactivity waiting")
    func local() {
        #expect(PauseReasons.suspended.isDisjoint(with: .local))
        #expect(!PauseReasons.clientIsFull.isDisjoint(with: .local))
        #expect(!PauseReasons.bodyIsStarved.isDisjoint(with: .local))
        #expect(!PauseReasons.awaitsTurn.isDisjoint(with: .local))
    }
}
