import Testing

@testable import FerryTransfers

struct TransferLimitTests {
    @Test("the wait before bytes is that for the bytes taken before them, at the rate of the moment")
    func delays() {
        let limit = TransferLimit(bytesPerSecond: 1_000)
        let now = MonotonicTime(nanoseconds: 1_000_000_000)
        #expect(limit.delay(for: 500, at: now) == .zero)
        #expect(limit.delay(for: 100, at: now) == .milliseconds(500))
        limit.bytesPerSecond = 100
        #expect(limit.delay(for: 100, at: now) == .milliseconds(600))
        #expect(limit.delay(for: 1, at: now) == .milliseconds(1_600))
        limit.bytesPerSecond = nil
        #expect(limit.delay(for: .max, at: now) == .zero)
        #expect(limit.pieceSize == .max)
        limit.bytesPerSecond = -5
        #expect(limit.bytesPerSecond == 1 && limit.pieceSize == 1)
    }

    @Test("two downloads share a limit, and go on at once when it is removed")
    func shared() async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer(handler: RangedContent(count: 1_000_000).handler)
        let limit = TransferLimit(bytesPerSecond: 100_000)
        let session = makeSession()
        let latest = Latest()
        let downloads = (0..<2).map { index in
            var download = VerifiedDownload(server.url, to: folder.file("file\(index)"), connections: 2)
            download.limit = limit
            return download
        }
        async let first = session.download(downloads[0]) { latest.note($0, of: 0) }
        async let second = session.download(downloads[1]) { latest.note($0, of: 1) }
        try await eventually("some bytes of both") { latest.bytes.allSatisfy { $0 > 0 } }
        // 20 seconds would be needed for all.
        #expect(latest.bytes.reduce(0, +) < 1_000_000)
        limit.bytesPerSecond = nil
        #expect(try await first.bytes == 1_000_000)
        #expect(try await second.bytes == 1_000_000)
    }
}

/// The bytes of two downloads.
private final class Latest: Sendable {
    private let state = Mutex<[Int64]>([0, 0])

    var bytes: [Int64] { state.withLock { $0 } }

    func note(_ progress: TransferProgress, of index: Int) { state.withLock { $0[index] = progress.bytes } }
}
