import Testing

@testable import FerryTransfers

struct TransferProgressTests {
    @Test("The rate is that of the last five seconds")
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

    @Test("Many transfers are one progress, whose total is unknown while one of them is")
    func sum() {
        let known = [
            TransferProgress(completedByteCount: 10, totalByteCount: 100, rate: 5),
            TransferProgress(completedByteCount: 50, totalByteCount: 60, rate: 5),
        ]
        let sum = TransferProgress.sum(of: known)
        #expect(sum == TransferProgress(completedByteCount: 60, totalByteCount: 160, rate: 10))
        #expect(sum.timeLeft == 10)
        #expect(sum.fractionCompleted == 0.375)
        let unknown = TransferProgress.sum(of: known + [TransferProgress(completedByteCount: 1)])
        #expect(unknown.completedByteCount == 61 && unknown.totalByteCount == nil && unknown.timeLeft == nil)
        let huge = TransferProgress(completedByteCount: .max, totalByteCount: .max)
        #expect(TransferProgress.sum(of: [huge, huge]).totalByteCount == .max)
        #expect(TransferProgress(completedByteCount: 0, totalByteCount: 0).fractionCompleted == 1)
    }

    @Test("A sequence has the sums as they change, and ends when it is finished or the object is released")
    func combined() async {
        var all: CombinedProgress? = CombinedProgress()
        let parts = [all?.part(), all?.part()]
        #expect(all?.current == TransferProgress(totalByteCount: nil))
        let sums = all?.updates
        var iterator = sums?.makeAsyncIterator()
        parts[0]?(TransferProgress(completedByteCount: 10, totalByteCount: 100, rate: 5))
        #expect(await iterator?.next() == TransferProgress(completedByteCount: 10, totalByteCount: nil, rate: 5))
        for bytes in 1...50 as ClosedRange<Int64> {
            parts[1]?(TransferProgress(completedByteCount: bytes, totalByteCount: 60, rate: 1))
        }
        // A slow reader gets the newest sum.
        #expect(await iterator?.next() == TransferProgress(completedByteCount: 60, totalByteCount: 160, rate: 6))
        #expect(all?.current.completedByteCount == 60)
        parts[0]?(TransferProgress(completedByteCount: 100, totalByteCount: 100, rate: 9))
        #expect(await iterator?.next() == TransferProgress(completedByteCount: 150, totalByteCount: 160, rate: 1))
        var second = all?.updates.makeAsyncIterator()
        all?.finish()
        #expect(await iterator?.next() == nil)
        #expect(await second?.next() == nil)
        var late = all?.updates.makeAsyncIterator()
        #expect(await late?.next() == nil)

        all = CombinedProgress()
        let part = all?.part()
        var last = all?.updates.makeAsyncIterator()
        all = nil
        #expect(await last?.next() == nil)
        part?(TransferProgress(completedByteCount: 1))
    }
}
