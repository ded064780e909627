import FerryTesting
import Foundation
import TestSupport
import Testing

@testable import FerryCurl
@testable import FerrySession

@Suite(.timeLimit(.minutes(5))) struct TurnSpacingTests {
    /// A server whose bytes are received in turns, in simulated time.
    private struct Simulation {
        /// The number of bytes that the server sends in a second.
        var rate: Double
        /// The number of bytes after which the server waits until they have been received.
        var buffer = Double.infinity
        var transfers = 1

        private static let turn = 0.000_05
        private var spacing = TurnSpacing()
        private var now = 1.0
        private var waiting = 0.0
        private(set) var turns = 0

        init(rate: Double, buffer: Double = .infinity, transfers: Int = 1) {
            (self.rate, self.buffer, self.transfers) = (rate, buffer, transfers)
        }

        /// Receives for a time, and returns the number of bytes.
        mutating func run(seconds: Double) -> Double {
            let end = now + seconds
            var sum = 0.0
            while now < end {
                let start = MonotonicTime(nanoseconds: UInt64(now * 1e9))
                spacing.add(Int(waiting))
                (sum, waiting, turns) = (sum + waiting, 0, turns + 1)
                advance(by: Self.turn)
                if spacing.endTurn(begunAt: start, transfers: transfers) {
                    advance(by: Double(TurnSpacing.pause) / 1_000)
                } else if waiting < 1 {
                    advance(by: 1_500 / rate)
                }
            }
            return sum
        }

        private mutating func advance(by seconds: Double) {
            now += seconds
            waiting = min(waiting + rate * seconds, buffer)
        }
    }

    @Test(
        "Few turns receive what a network brings slowly",
        arguments: [(100_000, 1), (1_000_000, 1), (20_000_000, 1), (160_000_000, 8), (1_000_000_000, 64)]
    )
    func receivesSlowly(_ rate: Double, transfers: Int) {
        var simulation = Simulation(rate: rate, transfers: transfers)
        let count = simulation.run(seconds: 10)
        #expect(count > rate * 10 * 0.98)
        // A pause each 8 ms, and 24 ms without pauses from time to time.
        #expect(simulation.turns < 1_250 + 10 * 480)
    }

    @Test(
        "A server that waits for its bytes to be received is not slowed down",
        arguments: [16_384, 65_536, 131_072, 1_048_576],
        [1.0, 10]
    )
    func serversWithSmallBuffers(_ buffer: Double, seconds: Double) {
        var simulation = Simulation(rate: 4e9, buffer: buffer)
        let count = simulation.run(seconds: seconds)
        // In each turn of 50 µs, the server sends what its buffer holds.
        let possible = min(buffer / 0.000_05, 4e9) * seconds
        #expect(count > possible * 0.85)
    }

    @Test("A server that becomes faster is not slowed down after a moment") func becomesFaster() {
        var simulation = Simulation(rate: 5e6)
        _ = simulation.run(seconds: 20)
        (simulation.rate, simulation.buffer) = (1e9, 65_536)
        _ = simulation.run(seconds: 0.1)
        #expect(simulation.run(seconds: 1) > 0.8e9)
    }

    @Test("A server that becomes slower is received in few turns again") func becomesSlower() {
        var simulation = Simulation(rate: 1e9, buffer: 65_536)
        _ = simulation.run(seconds: 20)
        (simulation.rate, simulation.buffer) = (20e6, .infinity)
        // Pauses are tried again after six seconds at the latest.
        _ = simulation.run(seconds: 7)
        let before = simulation.turns
        #expect(simulation.run(seconds: 1) > 19e6)
        #expect(simulation.turns - before < 800)
    }

    @Test("Turns that are far apart, or receive nothing, are not followed by a pause") func rareTurns() {
        var spacing = TurnSpacing()
        for turn in 1...1_000 as ClosedRange<UInt64> {
            spacing.add(1)
            let mayPause = spacing.endTurn(begunAt: MonotonicTime(nanoseconds: turn * 16_000_000), transfers: 1)
            #expect(!mayPause)
        }
        for turn in 1...1_000 as ClosedRange<UInt64> {
            let time = MonotonicTime(nanoseconds: 16_000_000_000 + turn * 1_000_000)
            let mayPause = spacing.endTurn(begunAt: time, transfers: 1)
            #expect(!mayPause)
        }
    }

    @Test("More bytes than a number can count are many") func overflow() {
        var spacing = TurnSpacing()
        for turn in 1...1_000 as ClosedRange<UInt64> {
            for _ in 0..<3 { spacing.add(.max) }
            let mayPause = spacing.endTurn(begunAt: MonotonicTime(nanoseconds: turn * 1_000_000), transfers: 1)
            #expect(!mayPause)
        }
    }

    /// A server that sends pieces of 8 KiB, one each half a millisecond, after a first part.
    private static func server(first: Int, pieces: Int) throws -> LoopbackServer {
        try LoopbackServer { _ in
            .stream { writer in
                writer.write(Data(count: first))
                let start = ContinuousClock.now
                var sent = 0
                while sent < pieces {
                    usleep(500)
                    // On a busy machine the thread sleeps longer, and then sends all the pieces that are due.
                    let due = Int(start.duration(to: .now) / .microseconds(500))
                    while sent < min(due, pieces) {
                        guard writer.write(Data(count: 8_192)) else { return }
                        sent += 1
                    }
                }
            }
        }
    }

    @Test("A large body that arrives in small pieces is received several pieces at a time") func collects() async throws
    {
        let server = try Self.server(first: 1_200_000, pieces: 1_000)
        let session = Wire.session()
        defer { session.invalidateAndCancel() }
        var fewest = Int.max
        // A server that other tests hinder sends at no steady rate, and is then received without pauses.
        for _ in 0..<3 where fewest >= 500 {
            let (bytes, _) = try await session.bytes(from: server.url("/"))
            var (count, chunks) = (0, 0)
            for try await chunk in bytes.chunks { (count, chunks) = (count + chunk.count, chunks + 1) }
            #expect(count == 1_200_000 + 1_000 * 8_192)
            fewest = min(fewest, chunks)
        }
        #expect(fewest < 500)
    }

    @Test("A small request is answered at once beside a large body") func others() async throws {
        let (isOver, written) = (Watched(false), Watched(1_200_000))
        let server = try LoopbackServer { _ in
            .stream { writer in
                writer.write(Data(count: written.current))
                while !isOver.current {
                    usleep(500)
                    guard writer.write(Data(count: 8_192)) else { return }
                    written.change { $0 += 8_192 }
                }
            }
        }
        let other = try LoopbackServer()
        let session = Wire.session()
        defer { session.invalidateAndCancel() }
        let (bytes, _) = try await session.bytes(from: server.url("/"))
        let task = bytes.task
        let reader = Task { for try await _ in bytes.chunks {} }
        try await eventually("the first part") { task.countOfBytesReceived > 1_200_000 }
        for _ in 0..<20 {
            let (data, _) = try await session.data(from: other.url("/bytes/10"))
            #expect(data.count == 10)
        }
        #expect(task.state == .running)
        isOver.change { $0 = true }
        try await reader.value
        #expect(task.countOfBytesReceived == Int64(written.current))
    }
}
