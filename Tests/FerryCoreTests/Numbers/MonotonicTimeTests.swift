import FerryCore
import Testing

@Suite struct MonotonicTimeTests {
    @Test("Time increases, and its arithmetic stays in range") func arithmetic() {
        let first = MonotonicTime.now()
        let second = MonotonicTime.now()
        #expect(first <= second)
        #expect(first.since(second) == .zero)
        #expect(MonotonicTime(nanoseconds: 5).since(MonotonicTime(nanoseconds: 2)) == TimeSpan(nanoseconds: 3))
        #expect(MonotonicTime(nanoseconds: 5).advanced(by: .infinite) == MonotonicTime(nanoseconds: .max))
        #expect(MonotonicTime(nanoseconds: 5).before(.infinite) == MonotonicTime(nanoseconds: 0))
    }
}
