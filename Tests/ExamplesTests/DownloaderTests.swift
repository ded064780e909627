import Ferry
import FerryTesting
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Examples

@Suite("Example: downloader", .timeLimit(.minutes(2)), .ownThreads)
struct DownloaderTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private static let total = 2_000_000

    /// Returns a server that serves a pattern, and resets each connection after some bytes of it.
    private static func server(etag: String? = "\"one\"", piece: Int) throws -> LoopbackServer {
        try LoopbackServer { request in
            .resource(.pattern(count: total), etag: etag, for: request).faulted(.reset(afterBodyBytes: piece))
        }
    }

    private func downloader(patience: Int) throws -> Downloader {
        var downloader = try Downloader(folder: folder.url)
        downloader.patience = patience
        return downloader
    }

    /// Starts a download, and cancels it once that many bytes have arrived.
    private func download(_ url: URL, cancelledAt byteCount: Int64) async throws {
        let (updates, continuation) = AsyncStream.makeStream(of: Int64.self)
        let download = Task { [folder = folder.url] in
            if byteCount == 0 { withUnsafeCurrentTask { $0?.cancel() } }
            return try await Downloader(folder: folder).download(url, as: "file") { update in
                continuation.yield(update.completedByteCount)
            }
        }
        if byteCount > 0 { for await count in updates where count >= byteCount { break } }
        download.cancel()
        _ = try await download.value
    }

    private var isClean: Bool { folder.names == [".incoming", "file"] && incoming.isEmpty }

    private var incoming: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder.file(".incoming").path)) ?? []
    }

    @Test("A file whose connections are lost is fetched piece by piece, and appears once complete")
    func lostConnections() async throws {
        let server = try Self.server(piece: 700_000)
        let file = folder.file("file")
        let wasEarly = Atomic(false)
        let last = Synchronization.Mutex<ProgressUpdate?>(nil)
        let found = try await Downloader(folder: folder.url).download(server.url("/file"), as: "file") { update in
            last.withLock { $0 = update }
            let isThere = FileManager.default.fileExists(atPath: file.path)
            if isThere, update.completedByteCount < Int64(Self.total) { wasEarly.store(true, ordering: .relaxed) }
        }
        #expect(found == file)
        #expect(folder.data("file") == LoopbackServer.pattern(count: Self.total))
        let isEarly = wasEarly.load(ordering: .relaxed)
        #expect(!isEarly)
        #expect(last.withLock { $0?.fractionCompleted } == 1)
        #expect(server.requests.map { $0.header("Range") } == [nil, "bytes=700000-", "bytes=1400000-"])
        #expect(isClean, "\(incoming)")
    }

    @Test("At a checkpoint the record is updated, and the download continues")
    func checkpoints() async throws {
        let server = try LoopbackServer { request in
            let response = LoopbackResponse.resource(.pattern(count: Self.total), etag: "\"one\"", for: request)
            // This request ends only at a checkpoint.
            return request.header("Range") == nil ? response.faulted(.stall(afterBodyBytes: 600_000)) : response
        }
        var downloader = try Downloader(folder: folder.url)
        downloader.checkpoint = 500_000
        _ = try await downloader.download(server.url("/file"), as: "file")
        #expect(folder.data("file") == LoopbackServer.pattern(count: Self.total))
        #expect(server.requestCount > 1)
        #expect(isClean, "\(incoming)")
    }

    @Test("A cancelled download continues with the next call")
    func cancelled() async throws {
        let server = try LoopbackServer { request in
            let response = LoopbackResponse.resource(.pattern(count: Self.total), etag: "\"one\"", for: request)
            return request.header("Range") == nil ? response.faulted(.stall(afterBodyBytes: 300_000)) : response
        }
        await #expect(throws: NetworkError.self) { try await download(server.url("/file"), cancelledAt: 300_000) }
        #expect(incoming.count == 2, "a partial file and its record: \(incoming)")
        // Cancelling before the start keeps the partial file.
        await #expect(throws: NetworkError.self) { try await download(server.url("/file"), cancelledAt: 0) }
        #expect(incoming.count == 2, "a partial file and its record: \(incoming)")

        _ = try await Downloader(folder: folder.url).download(server.url("/file"), as: "file")
        #expect(server.requests.map { $0.header("Range") } == [nil, "bytes=300000-"])
        #expect(folder.data("file") == LoopbackServer.pattern(count: Self.total))
        #expect(isClean, "\(incoming)")
    }

    @Test("A download whose process was killed continues from the last checkpoint")
    func killed() async throws {
        let count = Atomic(0)
        let server = try LoopbackServer { request in
            let response = LoopbackResponse.resource(.pattern(count: Self.total), etag: "\"one\"", for: request)
            // The second request follows the first checkpoint.
            switch count.add(1, ordering: .relaxed).oldValue {
            case 0: return response.faulted(.stall(afterBodyBytes: 600_000))
            case 1: return response.faulted(.stall(afterBodyBytes: 300_000))
            default: return response
            }
        }
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [folder = folder.url as URL, url = server.url("/file") as URL] in
            var downloader = try Downloader(folder: folder)
            downloader.checkpoint = 500_000
            _ = try await downloader.download(url, as: "file") { update in
                if update.completedByteCount > 600_000 { kill(getpid(), SIGKILL) }
            }
        }
        #expect(folder.data("file") == nil)
        let seen = server.requests.map { $0.header("Range") }
        let record = try #require(seen.last ?? nil)
        #expect(seen.count == 2 && record.hasPrefix("bytes="), "\(seen)")

        _ = try await Downloader(folder: folder.url).download(server.url("/file"), as: "file")
        #expect(folder.data("file") == LoopbackServer.pattern(count: Self.total))
        #expect(server.requests.last?.header("Range") == record)
        #expect(isClean, "\(incoming)")
    }

    @Test("An unreachable server leaves the bytes received intact")
    func unreachable() async throws {
        let count = Atomic(0)
        let server = try LoopbackServer { request in
            let response = LoopbackResponse.resource(.pattern(count: Self.total), etag: "\"one\"", for: request)
            // No request after the second one ends before the server stops.
            let isEarly = count.add(1, ordering: .relaxed).oldValue < 2
            return response.faulted(isEarly ? .reset(afterBodyBytes: 400_000) : .stall(afterBodyBytes: 100_000))
        }
        let downloader = try downloader(patience: 1)
        let download = Task {
            _ = try await downloader.download(server.url("/file"), as: "file")
        }
        try await server.waitForRequests(2, timeout: 40 * patience)
        server.stop()
        let closed = try ClosedPort(server.port)
        let error = await #expect(throws: NetworkError.self) { try await download.value }
        #expect(error?.isRetryable == true)
        #expect(incoming.count == 2, "a partial file and its record: \(incoming)")
        // The same test again, with the record of the first one.
        await #expect(throws: NetworkError.self) {
            _ = try await downloader.download(server.url("/file"), as: "file")
        }
        withExtendedLifetime(closed) {}
        #expect(incoming.count == 2, "a partial file and its record: \(incoming)")
    }

    @Test("Without a validator a file is fetched from the start, for a limited number of times")
    func nothingToContinue() async throws {
        let server = try Self.server(etag: nil, piece: 300_000)
        let downloader = try downloader(patience: 3)
        let error = await #expect(throws: NetworkError.self) {
            _ = try await downloader.download(server.url("/file"), as: "file")
        }
        #expect(error?.code == .connectionLost)
        #expect(server.requests.map { $0.header("Range") } == [nil, nil, nil])
        #expect(folder.names == [".incoming"] && incoming.isEmpty, "\(incoming)")
    }

    @Test("An unacceptable status is an error immediately")
    func missing() async throws {
        let server = try LoopbackServer { _ in .text("gone", statusCode: 404) }
        let error = await #expect(throws: NetworkError.self) {
            try await Downloader(folder: folder.url).download(server.url("/file"), as: "file")
        }
        #expect(error?.statusCode == 404)
        #expect(server.requestCount == 1)
        #expect(folder.names == [".incoming"] && incoming.isEmpty, "\(incoming)")
    }

    @Test("Another URL under the same name starts over")
    func anotherURL() async throws {
        let server = try LoopbackServer { request in
            let response = LoopbackResponse.resource(.pattern(count: Self.total), etag: request.path, for: request)
            return request.path == "/old" ? response.faulted(.stall(afterBodyBytes: 300_000)) : response
        }
        await #expect(throws: NetworkError.self) { try await download(server.url("/old"), cancelledAt: 300_000) }
        _ = try await Downloader(folder: folder.url).download(server.url("/new"), as: "file")
        #expect(server.requests.last?.header("Range") == nil)
        #expect(folder.data("file") == LoopbackServer.pattern(count: Self.total))
    }
}
