import Testing

@testable import FerryTransfers

/// Uploads to a server of tus that is not Ferry's own.
@Suite(
    .enabled(if: TusServer.isWanted, "python3 -m pip install tuspyserver uvicorn"),
    .timeLimit(.minutes(5))
)
struct TusServerTests {
    private static let count = 5_000_000
    private let folder: TemporaryFolder
    private let content = LoopbackServer.pattern(count: Self.count)

    init() throws {
        folder = try TemporaryFolder()
        try content.write(to: folder.file("file"))
        try FileManager.default.createDirectory(at: folder.file("uploads"), withIntermediateDirectories: false)
    }

    /// The contents of the server's files, apart from what it knows about them.
    private var uploads: [Data] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path("uploads"))) ?? []
        return names.filter { !$0.contains(".") }.compactMap { folder.data("uploads/" + $0) }
    }

    @Test("The offer of the server is found, and it receives the whole file")
    func whole() async throws {
        let server = try TusServer(folder: folder.file("uploads"))
        let locations = Mutex<[FileUpload.Location?]>([])
        var upload = FileUpload(folder.file("file"), to: server.url)
        upload.locationDidChange = { location in locations.withLock { $0.append(location) } }
        let outcome = try await makeSession().upload(upload)
        #expect(outcome.bytes == Int64(Self.count))
        #expect(locations.withLock { $0 }.map { $0?.resumption } == [.tus])
        #expect(uploads == [content])
    }

    @Test("A cancelled upload goes on with what the server has")
    func continued() async throws {
        let server = try TusServer(folder: folder.file("uploads"))
        let location = Mutex<FileUpload.Location?>(nil)
        var upload = FileUpload(folder.file("file"), to: server.url)
        upload.limit = BandwidthLimit(bytesPerSecond: 4_000_000)
        upload.locationDidChange = { new in location.withLock { $0 = new } }
        let task = Task { [upload] in try await makeSession().upload(upload) }
        try await eventually("a part") { uploads.first.map { $0.count > 1_000_000 } ?? false }
        task.cancel()
        #expect((await failure { try await task.value } as? URLError)?.code == .cancelled)

        upload.limit = nil
        upload.location = location.withLock { $0 }
        let outcome = try await makeSession().upload(upload)
        #expect(outcome.continuedBytes > 0)
        #expect(uploads == [content])
    }
}
