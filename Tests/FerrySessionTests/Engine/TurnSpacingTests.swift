import FerryTesting
import Foundation
import TestSupport
import Testing

@testable import FerryCurl
@testable import FerrySession

@Suite(.timeLimit(.minutes(5))) struct TurnSpacingTests {
    private static func time(_ milliseconds: UInt64) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1_000_000_000 + milliseconds * 1_000_000)
    }

    @Test(
        "A pause follows turns that bring little and are close together",
        arguments: [
            // What the turn has received, the transfers, the milliseconds since the turn before.
            (1, 1, 1, true), (65_535, 1, 7, true), (65_536, 1, 1, false), (65_536, 2, 1, true), (131_072, 2, 1, false),
            (0, 1, 1, false), (1, 1, 8, false), (4_194_304, 1_000, 1, false), (4_194_303, 1_000, 1, true),
            (1, 0, 1, false),
        ]
    )
    func isDue(_ received: Int, _ transfers: Int, _ interval: UInt64, _ isDue: Bool) {
        var spacing = TurnSpacing()
        let first = spacing.endTurn(begunAt: Self.time(0), transfers: transfers)
        spacing.add(received)
        let second = spacing.endTurn(begunAt: Self.time(interval), transfers: transfers)
        // Each turn counts for itself.
        let third = spacing.endTurn(begunAt: Self.time(interval + 1), transfers: transfers)
        #expect([first, second, third] == [false, isDue, false])
    }

    @Test("More bytes than a number can count are many") func overflow() {
        var spacing = TurnSpacing()
        _ = spacing.endTurn(begunAt: Self.time(0), transfers: 1)
        for _ in 0..<3 { spacing.add(.max) }
        let isDue = spacing.endTurn(begunAt: Self.time(1), transfers: 1)
        #expect(!isDue)
    }

    /// A server that sends pieces of 8 KiB, one each half a millisecond, after a first part.
    private static func server(first: Int, pieces: Int) throws -> LoopbackServer {
        try LoopbackServer { _ in
            .stream { writer in
                writer.write(Data(count: first))
                for _ in 0..<pieces {
                    usleep(500)
                    guard writer.write(Data(count: 8_192)) else { return }
                }
            }
        }
    }

    @Test("A large body that arrives in small pieces is received several pieces at a time") func collects() async throws
    {
        let server = try Self.server(first: 1_200_000, pieces: 1_000)
        let session = Wire.session()
        defer { session.invalidateAndCancel() }
        let (bytes, _) = try await session.bytes(from: server.url("/"))
        var (count, chunks) = (0, 0)
        for try await chunk in bytes.chunks { (count, chunks) = (count + chunk.count, chunks + 1) }
        #expect(count == 1_200_000 + 1_000 * 8_192)
        #expect(chunks < 500)
    }

    @Test("A small request is answered at once beside a large body") func others() async throws {
        let server = try Self.server(first: 1_200_000, pieces: 1_500)
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
        try await reader.value
        #expect(task.countOfBytesReceived == 1_200_000 + 1_500 * 8_192)
    }
}
