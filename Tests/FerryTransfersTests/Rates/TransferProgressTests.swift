import Testing

@testable import FerryTransfers

struct TransferProgressTests {
    @Test("the rate is that of the last five seconds")
    func rate() {
        func time(_ milliseconds: UInt64) -> MonotonicTime {
            MonotonicTime(nanoseconds: 1).advanced(by: .milliseconds(milliseconds))
        }
        var rate = TransferRate(start: time(0))
        #expect(rate.value(at: time(0)) == 0)
        for step in 1...100 as ClosedRange<UInt64> { rate.add(100, at: time(step * 100)) }
        #expect(abs(rate.value(at: time(10_000)) - 1_000) < 30)
        for step in 101...200 as ClosedRange<UInt64> { rate.add(1_000, at: time(step * 100)) }
        #expect(abs(rate.value(at: time(20_000)) - 10_000) < 300)
        // Nothing more arrives.
        #expect(rate.value(at: time(30_000)) < 4_000)
    }

    @Test("many transfers are one progress, whose total is unknown while one of them is")
    func sum() {
        let known = [
            TransferProgress(bytes: 10, total: 100, rate: 5), TransferProgress(bytes: 50, total: 60, rate: 5),
        ]
        let sum = TransferProgress.sum(of: known)
        #expect(sum == TransferProgress(bytes: 60, total: 160, rate: 10))
        #expect(sum.timeLeft == 10)
        #expect(sum.fraction == 0.375)
        let unknown = TransferProgress.sum(of: known + [TransferProgress(bytes: 1)])
        #expect(unknown.bytes == 61 && unknown.total == nil && unknown.timeLeft == nil)
        let huge = TransferProgress(bytes: .max, total: .max)
        #expect(TransferProgress.sum(of: [huge, huge]).total == .max)
        #expect(TransferProgress(bytes: 0, total: 0).fraction == 1)
    }
}
