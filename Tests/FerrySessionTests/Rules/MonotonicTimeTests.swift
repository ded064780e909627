import Testing

@testable import FerrySession

@Suite struct MonotonicTimeTests {
    @Test("Intervals become nanoseconds; those that mean no limit become nil") func intervals() {
        #expect(UInt64.nanoseconds(inSeconds: 0.3) == 300_000_000)
        #expect(UInt64.nanoseconds(inSeconds: 1.9) == 1_900_000_000)
        for none in [0, -0.0, -1, .infinity, -.infinity, .nan, .greatestFiniteMagnitude, 1e300] as [Double] {
            #expect(UInt64.nanoseconds(inSeconds: none) == nil, "\(none)")
        }
        #expect(UInt64.nanoseconds(inSeconds: .leastNonzeroMagnitude) == 0)
        #expect(UInt64.nanoseconds(inSeconds: 8.9e9) == 8_900_000_000_000_000_000)
    }

    @Test("The time left for a call is none if it is not positive, and unlimited if it is infinite")
    func deadlines() {
        #expect(UInt64.deadline(inSeconds: 0.3) == 300_000_000)
        for over in [0, -0.0, -1, -.infinity, .nan, .leastNonzeroMagnitude] as [Double] {
            #expect(UInt64.deadline(inSeconds: over) == 0, "\(over)")
        }
        for none in [.infinity, .greatestFiniteMagnitude, 9e9] as [Double] {
            #expect(UInt64.deadline(inSeconds: none) == .max, "\(none)")
        }
    }

    @Test("Time increases, and its arithmetic stays in range") func arithmetic() {
        let first = MonotonicTime.now()
        let second = MonotonicTime.now()
        #expect(first <= second)
        #expect(first.since(second) == 0)
        #expect(MonotonicTime(nanoseconds: 5).since(MonotonicTime(nanoseconds: 2)) == 3)
        #expect(MonotonicTime(nanoseconds: 5).advanced(by: .max) == MonotonicTime(nanoseconds: .max))
    }
}
