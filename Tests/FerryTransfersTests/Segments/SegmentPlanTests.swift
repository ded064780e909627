import TestSupport
import Testing

@testable import FerryTransfers

struct SegmentPlanTests {
    @Test("A new worker takes half of the largest part, until parts are too small")
    func halves() {
        var plan = SegmentPlan(total: 800, minimum: 100)
        #expect(plan.assign(to: 0) == 0..<800)
        #expect(plan.assign(to: 1) == 400..<800)
        #expect(plan.assign(to: 2) == 200..<400)
        #expect(plan.assign(to: 3) == 600..<800)
        #expect(plan.assign(to: 4) == 100..<200)
        #expect(plan.segments.count == 5)
        for worker in 5..<8 { #expect(plan.assign(to: worker) != nil) }
        #expect(plan.assign(to: 8) == nil)
    }

    @Test("A part is taken from the worker that needs longest for the rest")
    func slowest() {
        var plan = SegmentPlan(total: 1_000, minimum: 10)
        _ = plan.assign(to: 0)
        _ = plan.assign(to: 1)
        #expect(plan.assign(to: 2, rates: [0: 1_000, 1: 10]) == 750..<1_000)
        #expect(plan.assign(to: 3, rates: [0: 1, 1: 10]) == 250..<500)
    }

    @Test("Space is reserved in steps, and not for small parts or a file of unknown size")
    func reservations() {
        var plan = SegmentPlan(total: 40_000_000, done: [0..<1_000_000], minimum: 100_000)
        #expect(plan.reserve(0) == nil)
        _ = plan.assign(to: 0)
        var (spaces, count) = ([Range<Int64>](), 0)
        while plan.claim(0, 65_536) != nil {
            if let space = plan.reserve(0) { spaces.append(space) }
            plan.confirm(0)
            count += 1
        }
        let step = SegmentPlan.reservation
        let ends = [1_000_000, 1_000_000 + step, 1_000_000 + 2 * step, 40_000_000]
        #expect(spaces == zip(ends, ends.dropFirst()).map { $0..<$1 })
        #expect(count == 596)

        var small = SegmentPlan(total: 99_999, minimum: 100_000)
        _ = small.assign(to: 0)
        _ = small.claim(0, 10)
        #expect(small.reserve(0) == nil)

        var unknown = SegmentPlan(total: nil, minimum: 1)
        _ = unknown.assign(to: 0)
        _ = unknown.claim(0, 1_000_000)
        #expect(unknown.reserve(0) == nil)
    }

    @Test("A worker whose rest was taken stops at its new end")
    func shrunk() {
        var plan = SegmentPlan(total: 100, minimum: 1)
        _ = plan.assign(to: 0)
        #expect(plan.claim(0, 40) == 0..<40)
        #expect(plan.assign(to: 1) == 70..<100)
        #expect(plan.claim(0, 60) == 40..<70)
        #expect(plan.claim(0, 30) == nil)
        plan.confirm(0)
        #expect(plan.done == [0..<70])
        plan.release(1)
        plan.extend(0)
        #expect(plan.claim(0, 100) == 70..<100)
    }

    @Test("What was claimed and not written becomes a gap")
    func released() {
        var plan = SegmentPlan(total: 100, minimum: 1)
        _ = plan.assign(to: 0)
        _ = plan.claim(0, 10)
        plan.confirm(0)
        _ = plan.claim(0, 10)
        plan.release(0)
        #expect(plan.done == [0..<10])
        #expect(plan.gaps == [10..<100])
    }

    @Test("The end is where a response of unknown length ends")
    func unknown() {
        var plan = SegmentPlan(total: nil, minimum: 1)
        _ = plan.assign(to: 0)
        _ = plan.claim(0, 12)
        plan.confirm(0)
        #expect(!plan.isComplete)
        plan.finish(at: plan.prefix)
        #expect(plan.isComplete && plan.total == 12)
        var empty = SegmentPlan(total: nil)
        empty.finish(at: 0)
        #expect(empty.isComplete)
    }

    @Test("Forgotten parts are gaps again")
    func forgotten() {
        var plan = SegmentPlan(total: 100, done: [0..<40, 50..<100])
        plan.forget([10..<20, 35..<60, 200..<300])
        #expect(plan.done == [0..<10, 20..<35, 60..<100])
        #expect(plan.gaps == [10..<20, 35..<60])
    }

    @Test("Every byte is fetched exactly once, whatever the order of steps", arguments: 0..<40 as Range<UInt64>)
    func random(seed: UInt64) {
        var random = SeededGenerator(seed)
        let total = Int64.random(in: 1...5_000, using: &random)
        var plan = SegmentPlan(total: total, minimum: .random(in: 1...200, using: &random))
        var written = [Int](repeating: 0, count: Int(total))
        var pending: [Int: [Range<Int64>]] = [:]
        var steps = 0
        while !plan.isComplete, steps < 100_000 {
            steps += 1
            let worker = Int.random(in: 0..<6, using: &random)
            switch Int.random(in: 0..<20, using: &random) {
            case 0:
                plan.release(worker)
                pending[worker] = nil
            case 1: plan.extend(worker)
            case 2...8:
                plan.confirm(worker)
                for part in pending.removeValue(forKey: worker) ?? [] {
                    for index in part { written[Int(index)] += 1 }
                }
                if plan.segments[worker]?.missing == 0 { plan.release(worker) }
            case 9...12: _ = plan.assign(to: worker)
            default:
                if let part = plan.claim(worker, .random(in: 1...300, using: &random)) {
                    pending[worker, default: []].append(part)
                }
            }
            let covered = plan.done + plan.gaps + plan.segments.values.map { $0.written..<$0.end }
            guard covered.reduce(0, { $0 + $1.count }) == Int(total) else {
                Issue.record("bytes belong to two parts or to none after \(steps) steps")
                return
            }
        }
        #expect(plan.isComplete)
        #expect(written.allSatisfy { $0 == 1 })
    }

    @Test("The largest size that a server can name is divided without an overflow")
    func largest() {
        var plan = SegmentPlan(total: .max)
        #expect(plan.assign(to: 0) == 0..<Int64.max)
        #expect(plan.assign(to: 1) == (Int64.max / 2 + 1)..<Int64.max)
    }
}
