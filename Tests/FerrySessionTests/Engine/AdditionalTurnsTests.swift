import Testing

@testable import FerryCurl

struct AdditionalTurnsTests {
    private static let (old, new) = (0x07_58_01, 0x08_0F_00)
    private let start = MonotonicTime.now()

    @Test(
        "An additional turn follows with versions of libcurl that may forget something, unless nothing has happened",
        arguments: [
            (old, true, true), (old, false, false), (new - 1, true, true), (new - 1, false, false), (new, true, false),
            (new, false, false), (0x08_05_00, true, true), (0x08_0E_01, true, true), (0x08_15_00, true, false),
        ]
    )
    func isDue(_ version: Int, _ isEventful: Bool, _ isDue: Bool) {
        var turns = AdditionalTurns(versionNumber: version)
        #expect(turns.time == nil)
        turns.isEventful = isEventful
        turns.endTurn(at: start, transfers: 1)
        #expect(turns.time == (isDue ? start.advanced(by: .milliseconds(1)) : nil))
    }

    @Test("Turns in between do not postpone an additional turn")
    func steadyEvents() {
        var turns = AdditionalTurns(versionNumber: Self.old)
        var additional: [UInt64] = []
        for tenths in 0..<40 as Range<UInt64> {
            let now = start.advanced(by: TimeSpan(seconds: Double(tenths) / 10_000))
            if turns.beginTurn(at: now, isAwaited: true) { additional.append(tenths) }
            turns.endTurn(at: now, transfers: 1)
        }
        #expect(additional == [10, 20, 30])
    }

    @Test("An additional turn is followed by another one only if something has happened in it")
    func quiet() {
        var turns = AdditionalTurns(versionNumber: Self.old)
        turns.endTurn(at: start, transfers: 1)
        var now = start.advanced(by: .milliseconds(1))
        var began = turns.beginTurn(at: now, isAwaited: false)
        #expect(began)
        turns.isEventful = true
        turns.endTurn(at: now, transfers: 1)
        #expect(turns.time == now.advanced(by: .milliseconds(1)))
        now = now.advanced(by: .milliseconds(1))
        began = turns.beginTurn(at: now, isAwaited: false)
        #expect(began)
        turns.endTurn(at: now, transfers: 1)
        #expect(turns.time == nil)
    }

    @Test("A turn that a timer begins is followed by an additional one")
    func timer() {
        var turns = AdditionalTurns(versionNumber: Self.old)
        let began = turns.beginTurn(at: start, isAwaited: false)
        #expect(!began)
        turns.endTurn(at: start, transfers: 1)
        #expect(turns.time != nil)
    }

    @Test(
        "Many transfers are examined less often",
        arguments: [(0, 1), (1, 1), (79, 1), (80, 2), (1_000, 25), (10_000, 250)]
    )
    func many(_ transfers: Int, _ delay: UInt64) {
        var turns = AdditionalTurns(versionNumber: Self.old)
        turns.endTurn(at: start, transfers: transfers)
        #expect(turns.time == start.advanced(by: .milliseconds(delay)))
    }
}
