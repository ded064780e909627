import Foundation
import Testing

@testable import Ferry

@Suite("Times of checks of the network")
struct LookScheduleTests {
    @Test("An event during the delay of a later check is followed by another one")
    func laterChecks() {
        var schedule = LookSchedule()
        let first = schedule.noteEvent()
        let meanwhile = schedule.noteEvent()
        let again = schedule.endLaterCheck()
        let duringSecond = schedule.noteEvent()
        let third = schedule.endLaterCheck()
        let last = schedule.endLaterCheck()
        let new = schedule.noteEvent()
        #expect(first && !meanwhile && again)
        #expect(!duringSecond && third && !last && new)
    }

    @Test("The delays between failed lookups double, and start again after one that succeeds")
    func lookups() {
        var schedule = LookSchedule()
        var delays: [Int?] = []
        for _ in 0..<7 {
            delays.append(schedule.noteLookup(hasSucceeded: false))
            schedule.endLookupDelay()
        }
        #expect(delays == [1, 2, 4, 8, 16, 30, 30])
        let afterSuccess = schedule.noteLookup(hasSucceeded: true)
        let anew = schedule.noteLookup(hasSucceeded: false)
        // A lookup that an event causes does not schedule a second one.
        let meanwhile = schedule.noteLookup(hasSucceeded: false)
        #expect(afterSuccess == nil && anew == 1 && meanwhile == nil)
    }
}

@Suite("Lookups of host names", .timeLimit(.minutes(2)))
struct NetlinkLookupTests {
    @Test("A name whose lookup fails is looked up again without an event")
    func recovery() async throws {
        let lookups = Watched(0)
        let target = ReachabilityTarget.domain("name.test")
        let source = NetlinkSource(target: target) { _ in
            let number = lookups.change { count in
                count += 1
                return count
            }
            return number > 1 ? [Data([127, 0, 0, 1])] : []
        }
        let manager = ReachabilityManager(target: target, source: source)
        try await manager.waitUntilReachable(timeout: .seconds(60))
        #expect(lookups.current >= 2)
    }

    @Test("A new run looks the name up again, although the earlier one would have")
    func restart() async throws {
        let lookups = Watched(0)
        let source = NetlinkSource(target: .domain("name.test")) { _ in
            lookups.change { $0 += 1 }
            return []
        }
        source.start { _ in }
        try await lookups.wait { $0 >= 1 }
        source.stop()
        source.start { _ in }
        // The second run looks at its start, and again by itself.
        try await lookups.wait { $0 >= 3 }
        source.stop()
    }

    @Test("A lookup that takes long is the only one, and is not waited for")
    func slow() async throws {
        final class Reference { weak var source: NetlinkSource? }
        let reference = Reference()
        let (begun, mayEnd) = (Watched(0), Watched(false))
        func use() async throws {
            let source = NetlinkSource(target: .domain("name.test")) { _ in
                begun.change { $0 += 1 }
                mayEnd.block { $0 }
                return []
            }
            reference.source = source
            source.start { _ in }
            try await begun.wait { $0 == 1 }
            source.stop()
            source.start { _ in }
        }
        try await use()
        try await eventually("the release of the source") { reference.source == nil }
        #expect(begun.current == 1)
        mayEnd.change { $0 = true }
    }
}
