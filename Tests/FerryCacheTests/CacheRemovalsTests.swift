import Testing

@testable import FerryCache

@Suite struct CacheRemovalsTests {
    @Test("A removal concerns its own key, and only requests before it") func oneKey() {
        var removals = CacheRemovals()
        let before = removals.count
        removals.note("a")
        #expect(removals.contains("a", since: before))
        #expect(!removals.contains("b", since: before))
        #expect(!removals.contains("a", since: removals.count))
    }

    @Test("A removal of all concerns every key") func all() {
        var removals = CacheRemovals()
        removals.note("a")
        let before = removals.count
        #expect(!removals.contains("a", since: before))
        removals.noteAll()
        #expect(removals.contains("a", since: before))
        #expect(removals.contains("b", since: before))
        #expect(!removals.contains("b", since: removals.count))
    }

    @Test("Removals of more keys than are known one by one are not forgotten") func manyKeys() {
        var removals = CacheRemovals()
        let before = removals.count
        for number in 0...CacheRemovals.maximumKeys { removals.note("\(number)") }
        #expect((0...CacheRemovals.maximumKeys).allSatisfy { removals.contains("\($0)", since: before) })
        #expect(!removals.contains("0", since: removals.count))
    }
}
