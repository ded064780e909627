import Foundation
import Testing

@testable import Ferry

@Suite("The session table")
struct SessionTableTests {
    private func table() -> (table: SessionTable, session: URLSession, generation: Int) {
        var table = SessionTable()
        let session = URLSession(configuration: .ephemeral)
        let generation = table.reserveGeneration()
        let isCurrent = table.adopt(session, generation: generation)
        #expect(isCurrent)
        return (table, session, generation)
    }

    /// The session that a step invalidates.
    private func invalidated(_ step: SessionTable.Step) -> URLSession? {
        if case .invalidate(let session) = step { session } else { nil }
    }

    /// The generation whose tasks a step cancels.
    private func cancelled(_ step: SessionTable.Step) -> Int? {
        if case .cancelTasks(let generation, _) = step { generation } else { nil }
    }

    @Test("An invalidation waits for the last lease to end")
    func waitsForMakers() {
        var (table, session, _) = table()
        guard let first = table.lease(), let second = table.lease() else {
            Issue.record("there is no lease")
            return
        }
        #expect(first.session === session)
        let step = table.invalidate(.finishing, resetting: false)
        #expect(invalidated(step) == nil && cancelled(step) == nil)
        let stricter = table.invalidate(.cancelling, resetting: false)
        #expect(invalidated(stricter) == nil)
        let refusedLease = table.lease()
        #expect(refusedLease == nil)
        let afterFirst = table.end(first)
        #expect(afterFirst == nil)
        let afterSecond = table.end(second)
        #expect(afterSecond == .cancelling)
    }

    @Test("Without leases an invalidation takes effect immediately, and happens once")
    func immediate() {
        var (table, session, generation) = table()
        let step = table.invalidate(.finishing, resetting: false)
        #expect(invalidated(step) === session)
        #expect(table.isClosed)
        #expect(table.session === session)
        let isReported = table.didInvalidate(generation: generation)
        #expect(isReported)
        let abandoned = table.abandon()
        #expect(abandoned == nil)
    }

    @Test("A reset requires a new session with a new generation")
    func reset() {
        var (table, session, generation) = table()
        let step = table.invalidate(.finishing, resetting: true)
        #expect(invalidated(step) === session)
        #expect(table.needsSession)
        #expect(!table.isClosed)
        let next = table.reserveGeneration()
        #expect(next != generation)
        let isAdopted = table.adopt(URLSession(configuration: .ephemeral), generation: next)
        #expect(isAdopted)
        let lease = table.lease()
        #expect(lease?.generation == next)
        #expect(Array(table.generations) == [next, generation])
    }

    @Test("Of two sessions created concurrently the first is kept")
    func race() {
        var (table, session, _) = table()
        let late = table.reserveGeneration()
        let isAdopted = table.adopt(URLSession(configuration: .ephemeral), generation: late)
        #expect(!isAdopted)
        #expect(table.session === session)
        let isReported = table.didInvalidate(generation: late)
        #expect(!isReported)
        #expect(table.all.count == 1)
    }

    @Test("A session that is invalid already can be reset, and its tasks cancelled", arguments: [true, false])
    func resetLater(_ hasEnded: Bool) {
        var (table, session, generation) = table()
        let first = table.invalidate(.finishing, resetting: false)
        #expect(invalidated(first) === session)
        if hasEnded {
            let isReported = table.didInvalidate(generation: generation)
            #expect(isReported)
        }
        let second = table.invalidate(.cancelling, resetting: true)
        #expect(cancelled(second) == generation)
        #expect(!table.isClosed && table.needsSession)
        #expect(table.all.isEmpty == hasEnded)
    }

    @Test("A session invalidated elsewhere gets no more tasks")
    func invalidatedElsewhere() {
        var (table, _, generation) = table()
        let isReported = table.didInvalidate(generation: generation)
        #expect(isReported)
        let lease = table.lease()
        #expect(lease == nil)
    }
}
