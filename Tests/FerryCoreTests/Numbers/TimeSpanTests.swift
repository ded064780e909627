import FerryCore
import Testing

@Suite struct TimeSpanTests {
    @Test(
        "The seconds of a delay become a span: too many are infinite, and less than none are none",
        arguments: [
            (0.3, 300_000_000), (1.9, 1_900_000_000), (8.9e9, 8_900_000_000_000_000_000), (.leastNonzeroMagnitude, 0),
            (0, 0), (-0.0, 0), (-1, 0), (-.infinity, 0), (.nan, 0), (-.greatestFiniteMagnitude, 0),
            (9e9, .max), (1e10, .max), (1e300, .max), (.greatestFiniteMagnitude, .max), (.infinity, .max),
        ] as [(Double, UInt64)]
    )
    func delays(_ seconds: Double, _ expected: UInt64) {
        #expect(TimeSpan(seconds: seconds).nanoseconds == expected)
    }

    @Test("A timeout that is not positive is none, which is infinite")
    func timeouts() {
        #expect(TimeSpan(timeout: 0.3) == .milliseconds(300))
        for none in [0, -0.0, -1, .infinity, -.infinity, .nan, .greatestFiniteMagnitude, 1e300, 9e9] as [Double] {
            #expect(TimeSpan(timeout: none) == .infinite, "\(none)")
        }
    }

    @Test("Arithmetic saturates, and infinity remains infinite")
    func arithmetic() {
        let (one, two) = (TimeSpan(nanoseconds: 1), TimeSpan(nanoseconds: 2))
        let longest = TimeSpan(nanoseconds: .max - 1)
        #expect(one + one == two && two - one == one && one - two == .zero)
        #expect(longest + two == .infinite && longest < .infinite)
        for span in [.zero, one, longest, .infinite] {
            #expect(.infinite - span == .infinite && .infinite + span == .infinite && span + .infinite == .infinite)
        }
        #expect(one - .infinite == .zero)
        #expect(TimeSpan.milliseconds(.max) == .infinite)
        #expect(TimeSpan.infinite.seconds == .infinity && TimeSpan.milliseconds(1_500).seconds == 1.5)
    }
}
