import FerryTesting
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct VirtualClockTests {
    @Test("Time passes only by advancing, and never backwards") func advancing() {
        let start = Date(timeIntervalSince1970: 1_000)
        let clock = VirtualClock(date: start)
        #expect(clock.date == start)
        clock.advance(by: .milliseconds(1_500))
        #expect(clock.date == start.addingTimeInterval(1.5))
        #expect(clock.now.offset == .milliseconds(1_500))
        clock.advance(by: .seconds(-5))
        #expect(clock.now.offset == .milliseconds(1_500))
    }

    @Test("A sleeper wakes at its deadline, not before") func deadline() async throws {
        let clock = VirtualClock()
        let isAwake = Watched(false)
        let sleeper = Task {
            try await clock.sleep(for: .seconds(10))
            isAwake.change { $0 = true }
            return clock.now.offset
        }
        try await clock.waitForSleepers(1, timeout: 40 * patience)
        clock.advance(by: .seconds(10) - .nanoseconds(1))
        #expect(clock.sleeperCount == 1)
        #expect(!isAwake.current)
        clock.advance(by: .nanoseconds(1))
        #expect(clock.sleeperCount == 0)
        #expect(try await sleeper.value == .seconds(10))
    }

    @Test("Sleepers are resumed by deadline, those with the same one together") func order() async throws {
        let clock = VirtualClock()
        let woken = Watched<[Int]>([])
        var tasks: [Task<Void, any Error>] = []
        for (index, seconds) in [3, 1, 2, 1, 3].enumerated() {
            tasks.append(
                Task {
                    try await clock.sleep(for: .seconds(seconds))
                    woken.append(index)
                }
            )
            try await clock.waitForSleepers(index + 1, timeout: 40 * patience)
        }
        // Tasks that are resumed together may run in any order.
        for expected in [[1, 3], [1, 2, 3], [0, 1, 2, 3, 4]] {
            clock.advance(by: .seconds(1))
            try await woken.wait { $0.sorted() == expected }
        }
        for task in tasks { try await task.value }
    }

    @Test("A deadline that has passed does not wait") func past() async throws {
        let clock = VirtualClock()
        clock.advance(by: .seconds(5))
        try await clock.sleep(for: .zero)
        try await clock.sleep(for: .seconds(-1))
        try await clock.sleep(until: clock.now, tolerance: .seconds(1))
        try await Task.sleep(until: clock.now, clock: clock)
        #expect(clock.sleeperCount == 0)
    }

    @Test("A task that sleeps repeatedly is advanced step by step") func steps() async throws {
        let clock = VirtualClock()
        let ticks = Task {
            var dates: [TimeInterval] = []
            for _ in 0..<5 {
                try await clock.sleep(for: .seconds(1))
                dates.append(clock.date.timeIntervalSince1970)
            }
            return dates
        }
        for _ in 0..<5 {
            try await clock.waitForSleepers(1, timeout: 40 * patience)
            clock.advance(by: .seconds(1))
        }
        #expect(try await ticks.value == [1, 2, 3, 4, 5])
    }

    @Test("A cancelled sleeper fails immediately and leaves nothing behind") func cancellation() async throws {
        let clock = VirtualClock()
        let other = Task { try await clock.sleep(for: .seconds(1)) }
        let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
        try await clock.waitForSleepers(2, timeout: 40 * patience)
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(1))
        try await other.value
    }

    @Test("A task that was cancelled before does not sleep") func cancelledBefore() async {
        let clock = VirtualClock()
        let gate = Watched(false)
        let sleeper = Task {
            _ = try? await gate.wait { $0 }
            try await clock.sleep(for: .seconds(1))
        }
        sleeper.cancel()
        gate.change { $0 = true }
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(clock.sleeperCount == 0)
    }

    @Test("Cancelling while advancing resumes each sleeper once", .ownThreads) func races() async throws {
        let clock = VirtualClock()
        for round in 0..<50 {
            let sleepers = (0..<20).map { index in Task { try await clock.sleep(for: .milliseconds(index + 1)) } }
            if round.isMultiple(of: 2) { try await clock.waitForSleepers(20, timeout: 40 * patience) }
            await onThreads(2) { worker in
                if worker == 0 {
                    for sleeper in sleepers { sleeper.cancel() }
                } else {
                    for _ in 0..<20 { clock.advance(by: .milliseconds(1)) }
                }
            }
            for sleeper in sleepers {
                // Both results are possible, and a sleeper that is resumed twice ends the process.
                switch await sleeper.result {
                case .success: break
                case .failure(let error): #expect(error is CancellationError)
                }
            }
            #expect(clock.sleeperCount == 0)
        }
    }

    @Test("Waiting for sleepers that do not come ends") func waiting() async throws {
        let clock = VirtualClock()
        let error = await #expect(throws: VirtualClockError.self) { try await clock.waitForSleepers(1, timeout: 0.05) }
        #expect(error?.description == "Timed out: waited for 1 sleepers, saw 0.")
        let waiter = Task { try await clock.waitForSleepers(1, timeout: 600) }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
    }

    @Test("Enormous durations are limited instead of overflowing") func limits() async throws {
        let clock = VirtualClock()
        let huge = Duration.seconds(Int64.max) * 8
        let sleeper = Task { try await clock.sleep(for: huge) }
        try await clock.waitForSleepers(1, timeout: 40 * patience)
        clock.advance(by: .seconds(Int64.max / 16))
        #expect(clock.sleeperCount == 1)
        for _ in 0..<20 { clock.advance(by: huge) }
        try await sleeper.value
        #expect(clock.date > Date(timeIntervalSince1970: 1e18))
        #expect(clock.now.duration(to: clock.now.advanced(by: .zero - huge)) < .zero)
    }
}
