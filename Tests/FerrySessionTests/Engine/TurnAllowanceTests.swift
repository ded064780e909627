import Testing

@testable import FerryCurl
@testable import FerrySession

@Suite struct TurnAllowanceTests {
    @Test("A share is at most that of one transfer, and what all have left") func shares() {
        var allowance = TurnAllowance()
        #expect(allowance.share == TurnAllowance.ofOne)
        allowance.spend(TurnAllowance.ofAll - .milliseconds(1) - TimeSpan(nanoseconds: 5))
        #expect(allowance.share == TurnAllowance.ofOne)
        allowance.spend(.milliseconds(1))
        #expect(allowance.share == TimeSpan(nanoseconds: 5))
        allowance.spend(.infinite)
        #expect(allowance.share == .zero)
    }

    @Test("The more transfers wait, the shorter is the share of each, which is never too short for a step")
    func manyTransfers() {
        #expect(TurnAllowance(sharedBy: 0).share == TurnAllowance.ofOne)
        #expect(TurnAllowance(sharedBy: 4).share == TurnAllowance.ofOne)
        #expect(TurnAllowance(sharedBy: 20).share == TimeSpan(nanoseconds: 200_000))
        #expect(TurnAllowance(sharedBy: .max).share == TimeSpan(nanoseconds: 100_000))
    }

    @Test("The delegate is asked about a response that is held back once decoding its body has taken long")
    func held() throws {
        let url = URL(fileURLWithPath: "/")
        let response = try #require(HTTPURLResponse(url: url, statusCode: 302, httpVersion: nil, headerFields: nil))
        var question = HeldResponse(response: response, kind: .failure)
        for _ in 0..<4 {
            let mustAsk = question.noteShareUsed(TurnAllowance.ofOne)
            #expect(!mustAsk)
        }
        let mustAsk = question.noteShareUsed(TimeSpan(nanoseconds: 1))
        #expect(mustAsk)
    }

    @Test("A response in few pieces never waits, whatever the others have used") func few() {
        var (pieces, allowance) = (ReceivedPieces(), TurnAllowance())
        allowance.spend(.infinite)
        for _ in 0..<60 {
            let mustWait = pieces.add(1, in: .now(), &allowance)
            #expect(!mustWait)
        }
    }

    @Test("A response in very many pieces waits for the next turn, and uses the allowance") func many() {
        var (pieces, allowance) = (ReceivedPieces(), TurnAllowance())
        let turn = MonotonicTime.now()
        var count = 0
        while !pieces.add(1, in: turn, &allowance) { count += 1 }
        #expect(count >= 64)
        #expect(MonotonicTime.now().since(turn) >= TurnAllowance.ofOne)
        allowance.spend(TurnAllowance.ofAll - TurnAllowance.ofOne)
        #expect(allowance.share < TurnAllowance.ofOne)
    }

    @Test("Large pieces wait after half a mebibyte, in each turn again") func large() {
        var pieces = ReceivedPieces()
        let first = MonotonicTime.now()
        for turn in [first, first.advanced(by: .milliseconds(1))] {
            let waits = [262_144, 262_143, 1, 1].map { pieces.addLarge($0, in: turn) }
            #expect(waits == [false, false, true, true])
        }
    }
}
