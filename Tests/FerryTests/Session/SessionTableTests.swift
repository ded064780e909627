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

    @Test("An invalidation waits for the last lease to end")
    func waitsForMakers() {
        var (table, session, _) = table()
        guard let first = table.lease(), let second = table.lease() else {
            Issue.record("there is no lease")
            return
        }
        #expect(first.session === session)
        let invalidatedNow = table.invalidate(.cancelling, resetting: false)
        #expect(invalidatedNow == nil)
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
        let invalidatedNow = table.invalidate(.finishing, resetting: false)
        #expect(invalidatedNow === session)
        #expect(table.isClosed)
        #expect(table.session === session)
        table.didInvalidate(generation: generation)
        let abandoned = table.abandon()
        #expect(abandoned == nil)
    }

    @Test("A reset requires a new session with a new generation")
    func reset() {
        var (table, session, generation) = table()
        let invalidatedNow = table.invalidate(.finishing, resetting: true)
        #expect(invalidatedNow === session)
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
    }

    @Test("A session invalidated elsewhere gets no more tasks")
    func invalidatedElsewhere() {
        var (table, _, generation) = table()
        table.didInvalidate(generation: generation)
        let lease = table.lease()
        #expect(lease == nil)
    }
}
