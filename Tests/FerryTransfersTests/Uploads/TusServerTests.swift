import Testing

@testable import FerryTransfers

/// Uploads to a tus server that is not Ferry's own.
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

    /// The contents of the uploaded files, without the server's own files about them.
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
        #expect(outcome.byteCount == Int64(Self.count))
        #expect(locations.withLock { $0 }.map { $0?.resumption } == [.tus])
        #expect(uploads == [content])
    }

    @Test("The parts of a file are sent at the same time, and joined by the server", arguments: [2, 7])
    func parts(connections: Int) async throws {
        let server = try TusServer(folder: folder.file("uploads"))
        let locations = Mutex<[FileUpload.Location?]>([])
        let progress = Mutex<[TransferProgress]>([])
        var upload = FileUpload(folder.file("file"), to: server.url)
        upload.connections = connections
        upload.locationDidChange = { location in locations.withLock { $0.append(location) } }
        let outcome = try await makeSession().upload(upload) { update in progress.withLock { $0.append(update) } }
        #expect(outcome.byteCount == Int64(Self.count) && outcome.continuedByteCount == 0)
        #expect(progress.withLock { $0.last?.completedByteCount } == Int64(Self.count))
        let location = try #require(locations.withLock { $0.first } ?? nil)
        #expect(location.laterParts.count == connections - 1)
        let days = try #require(location.expirationDate).timeIntervalSinceNow / 86_400
        #expect(days > 1 && days < 30)
        // The server deletes the parts that it has joined.
        #expect(uploads == [content])
    }

    /// Begins an upload, cancels it when the server has more than `bytes` of each part, and returns one that continues.
    private func cancelled(_ server: TusServer, connections: Int, after bytes: Int) async throws -> FileUpload {
        let location = Mutex<FileUpload.Location?>(nil)
        var upload = FileUpload(folder.file("file"), to: server.url)
        upload.connections = connections
        upload.limit = BandwidthLimit(bytesPerSecond: 1_000_000)
        upload.locationDidChange = { new in location.withLock { $0 = new } }
        let task = Task { [upload] in try await makeSession().upload(upload) }
        try await eventually("a part of each") { uploads.filter { $0.count > bytes }.count == connections }
        task.cancel()
        #expect((await failure { try await task.value } as? URLError)?.code == .cancelled)
        (upload.limit, upload.location) = (nil, location.withLock { $0 })
        return upload
    }

    @Test("A cancelled upload goes on with what the server has of each part", arguments: [1, 3])
    func continued(connections: Int) async throws {
        let server = try TusServer(folder: folder.file("uploads"))
        let upload = try await cancelled(server, connections: connections, after: 200_000)
        #expect(upload.location?.laterParts.count == connections - 1)
        let outcome = try await makeSession().upload(upload)
        #expect(outcome.continuedByteCount > 0)
        #expect(uploads == [content])
    }

    @Test("An upload of parts begins again if the server no longer has one of them")
    func lostPart() async throws {
        let server = try TusServer(folder: folder.file("uploads"))
        let upload = try await cancelled(server, connections: 3, after: 100_000)
        let last = try #require(upload.location?.laterParts.last)
        try await makeSession().cancelUpload(at: .init(url: last, resumption: .tus), of: upload)
        let outcome = try await makeSession().upload(upload)
        #expect(outcome.continuedByteCount == 0 && uploads.contains(content))
    }

    @Test("All parts of an upload are deleted from the server")
    func deleted() async throws {
        let server = try TusServer(folder: folder.file("uploads"))
        let upload = try await cancelled(server, connections: 3, after: 100_000)
        try await makeSession().cancelUpload(at: try #require(upload.location), of: upload)
        #expect(uploads.isEmpty)
    }
}
