import Testing

@testable import FerryTransfers

struct DownloadLimitTests {
    @Test("Two downloads share a limit, and go on at once when it is removed")
    func shared() async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer(handler: RangedContent(count: 1_000_000).handler)
        let limit = BandwidthLimit(bytesPerSecond: 100_000)
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
        // All bytes would take 20 seconds.
        #expect(latest.bytes.reduce(0, +) < 1_000_000)
        limit.bytesPerSecond = nil
        #expect(try await first.byteCount == 1_000_000)
        #expect(try await second.byteCount == 1_000_000)
    }
}

/// The bytes of two downloads.
private final class Latest: Sendable {
    private let state = Mutex<[Int64]>([0, 0])

    var bytes: [Int64] { state.withLock { $0 } }

    func note(_ progress: TransferProgress, of index: Int) {
        state.withLock { $0[index] = progress.completedByteCount }
    }
}
