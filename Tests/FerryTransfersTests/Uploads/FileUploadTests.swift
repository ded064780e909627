import Testing

@testable import FerryTransfers

@Suite(.enabled(if: UploadPeer.isWanted, "python3 is not installed: apt-get install python3"), .timeLimit(.minutes(5)))
struct FileUploadTests {
    private static let count = 3_000_000
    private let folder: TemporaryFolder
    private let session = makeSession()
    private let peer: UploadPeer
    private let content = LoopbackServer.pattern(count: Self.count)

    init() throws {
        folder = try TemporaryFolder()
        peer = try UploadPeer.shared()
        try content.write(to: folder.file("file"))
    }

    private func upload(_ url: URL, _ resumption: FileUpload.Resumption = .automatic) -> FileUpload {
        var upload = FileUpload(folder.file("file"), to: url)
        upload.resumption = resumption
        return upload
    }

    private func expectComplete(_ url: URL, _ location: SourceLocation = #_sourceLocation) async throws -> [String] {
        let received = try await peer.received(at: url)
        #expect(received.isComplete && received.count == Self.count, sourceLocation: location)
        #expect(received.sha256 == SHA256Hash.hash(content).hexadecimal, sourceLocation: location)
        #expect(received.completed == 1, sourceLocation: location)
        return received.methods
    }

    @Test(
        "The server's offer decides how the file is sent",
        arguments: [
            ("draft", ["OPTIONS", "POST"]), ("tus", ["OPTIONS", "POST", "HEAD", "PATCH"]),
            ("plain", ["OPTIONS", "POST"]),
        ]
    )
    func automatic(kind: String, methods: [String]) async throws {
        let url = try peer.url(kind)
        let progress = Mutex<[TransferProgress]>([])
        let outcome = try await session.upload(upload(url)) { update in progress.withLock { $0.append(update) } }
        #expect(outcome.byteCount == Int64(Self.count))
        #expect(outcome.continuedByteCount == 0)
        #expect(try await expectComplete(url) == methods)
        let updates = progress.withLock { $0 }
        #expect(updates.last?.fractionCompleted == 1)
        #expect(updates.map(\.completedByteCount) == updates.map(\.completedByteCount).sorted())
    }

    @Test("After a lost connection, the bytes the server lacks are sent", arguments: ["draft", "tus"], [1, 700_000])
    func dropped(kind: String, bytes: Int) async throws {
        let url = try peer.url(kind, "drop=\(bytes)&times=\(bytes == 1 ? 3 : 100)")
        let locations = Mutex<[FileUpload.Location?]>([])
        var upload = upload(url)
        upload.locationDidChange = { new in locations.withLock { $0.append(new) } }
        let outcome = try await session.upload(upload)
        #expect(200..<300 ~= outcome.response.statusCode)
        let methods = try await expectComplete(url)
        #expect(methods.count { $0 == "POST" } == 1)
        #expect(methods.count { $0 == "HEAD" } >= (bytes == 1 ? 3 : 4))
        #expect(locations.withLock { $0 }.map { $0?.resumption } == [kind == "tus" ? .tus : .resumableUploads])
    }

    @Test("A session's retries neither begin an upload again nor send a part again", arguments: ["draft", "tus"])
    func sessionRetries(kind: String) async throws {
        let url = try peer.url(kind, "drop=700000&times=2")
        try await makeSession(retrying: ["POST", "PATCH"]).upload(upload(url))
        let first = kind == "tus" ? ["OPTIONS", "POST", "HEAD", "PATCH"] : ["OPTIONS", "POST"]
        #expect(try await expectComplete(url) == first + ["HEAD", "PATCH", "HEAD", "PATCH"])
    }

    @Test("An upload that is given up is deleted, and deleting it again is a success", arguments: ["draft", "tus"])
    func deleted(kind: String) async throws {
        let url = try peer.url(kind)
        let location = Mutex<FileUpload.Location?>(nil)
        var first = upload(url)
        first.limit = BandwidthLimit(bytesPerSecond: 100_000)
        first.locationDidChange = { new in location.withLock { $0 = new } }
        let task = Task { [session, first] in try await session.upload(first) }
        try await eventually("a location") { location.withLock { $0 != nil } }
        task.cancel()
        _ = await failure { try await task.value }
        let created = try #require(location.withLock { $0 })
        try await session.cancelUpload(at: created, of: first)
        try await session.cancelUpload(at: created, of: first)
        #expect(try await peer.received(at: url).methods.count { $0 == "DELETE" } == 2)
        // The upload begins again.
        first.limit = nil
        first.location = created
        #expect(try await session.upload(first).continuedByteCount == 0)
        _ = try await expectComplete(url)
    }

    @Test("Another process continues with the location", arguments: ["draft", "tus"])
    func continued(kind: String) async throws {
        let url = try peer.url(kind, "drop=1000000&times=1")
        let location = Mutex<FileUpload.Location?>(nil)
        var first = upload(url)
        first.limit = BandwidthLimit(bytesPerSecond: 500_000)
        first.locationDidChange = { new in location.withLock { $0 = new } }
        let task = Task { [session, first] in try await session.upload(first) }
        try await eventually("a part") { location.withLock { $0 != nil } }
        let peer = peer
        while try await peer.received(at: url).count < 900_000 { try await Task.sleep(for: .milliseconds(5)) }
        task.cancel()
        let error = await failure { try await task.value }
        #expect((error as? URLError)?.code == .cancelled)

        var second = upload(url)
        second.location = location.withLock { $0 }
        let outcome = try await session.upload(second)
        #expect(outcome.continuedByteCount >= 900_000)
        let methods = try await expectComplete(url)
        #expect(methods.count { $0 == "POST" } == 1 && methods.count { $0 == "OPTIONS" } == 1)
    }

    @Test("An upload that the server no longer has begins again", arguments: ["draft", "tus"])
    func gone(kind: String) async throws {
        let url = try peer.url(kind, "drop=1000000&times=1&gone=1")
        let locations = Mutex<[FileUpload.Location?]>([])
        var upload = upload(url)
        upload.locationDidChange = { new in locations.withLock { $0.append(new) } }
        try await session.upload(upload)
        let methods = try await expectComplete(url)
        #expect(methods.count { $0 == "POST" } == 2)
        #expect(locations.withLock { $0 }.map { $0 == nil } == [false, true, false])
    }

    @Test("A server's limit for a request is kept")
    func limits() async throws {
        let url = try peer.url("draft", "append=1000000")
        _ = try await session.upload(upload(url))
        #expect(try await expectComplete(url) == ["OPTIONS", "POST", "HEAD", "PATCH", "PATCH", "PATCH"])
    }

    @Test("The greatest number is no limit, and a limit of zero is an error", arguments: ["9223372036854775807", "0"])
    func extremeLimits(limit: String) async throws {
        let url = try peer.url("draft", "append=\(limit)")
        let error = await failure { try await session.upload(upload(url)) }
        if limit == "0" {
            guard case .badResponse = error as? FileUploadError else {
                Issue.record("\(String(describing: error))")
                return
            }
        } else {
            #expect(error == nil)
            #expect(try await expectComplete(url) == ["OPTIONS", "POST"])
        }
    }

    @Test("The greatest limit of a part does not overflow after a lost connection")
    func limitOfRest() async throws {
        let url = try peer.url("draft", "append=9223372036854775807&drop=1000000&times=1")
        #expect(try await session.upload(upload(url)).byteCount == Int64(Self.count))
        #expect(try await expectComplete(url) == ["OPTIONS", "POST", "HEAD", "PATCH"])
    }

    @Test("A file that is larger than the server takes is not sent")
    func tooLarge() async throws {
        let url = try peer.url("tus", "max=2999999")
        let error = await failure { try await session.upload(upload(url)) }
        #expect(error as? FileUploadError == .tooLarge(limit: 2_999_999))
        #expect(try await peer.received(at: url).methods == ["OPTIONS"])
    }

    @Test("Passing failures of the server are repeated, others are errors", arguments: [503, 403])
    func statuses(status: Int) async throws {
        let url = try peer.url("tus", "status=\(status)&times=2")
        let error = await failure { try await session.upload(upload(url)) }
        if status == 503 {
            #expect(error == nil)
            #expect(try await peer.received(at: url).count == Self.count)
        } else {
            #expect(failedStatus(of: error) == 403)
        }
    }

    @Test("A request without resumption is not repeated after the server may have received it")
    func single() async throws {
        let url = try peer.url("plain", "drop=1000000&times=1")
        let error = await failure { try await session.upload(upload(url, .none)) }
        #expect((error as? URLError)?.code == .networkConnectionLost)
        #expect(try await peer.received(at: url).methods == ["POST"])
    }

    @Test("A server whose response has too small an offset is asked for the offset")
    func lying() async throws {
        let url = try peer.url("tus", "short=1")
        let error = await failure { try await session.upload(upload(url)) }
        // The server reports the whole file in its next response.
        #expect(error == nil)
        #expect(try await peer.received(at: url).methods == ["OPTIONS", "POST", "HEAD", "PATCH", "HEAD"])
    }

    @Test("A file that changes while it is sent is an error")
    func changed() async throws {
        let url = try peer.url("tus")
        var slow = upload(url)
        slow.limit = BandwidthLimit(bytesPerSecond: 500_000)
        let task = Task { [session, slow] in try await session.upload(slow) }
        let peer = peer
        while try await peer.received(at: url).count < 300_000 { try await Task.sleep(for: .milliseconds(5)) }
        let file = try RegularFile(writing: folder.path("file"), links: .refuse)
        try file.write(Data("changed".utf8), at: 2_900_000)
        let error = await failure { try await task.value }
        #expect(error as? FileUploadError == .fileChanged(path: folder.path("file")))
        #expect(try await !peer.received(at: url).isComplete)
    }

    @Test("An empty file is an upload too", arguments: ["draft", "tus", "plain"])
    func empty(kind: String) async throws {
        try Data().write(to: folder.file("file"))
        let url = try peer.url(kind)
        let outcome = try await session.upload(upload(url))
        #expect(outcome.byteCount == 0)
        let received = try await peer.received(at: url)
        #expect(received.isComplete && received.methods == ["OPTIONS", "POST"])
    }

    @Test("A missing file and a folder are errors that name the path", arguments: ["missing", "."])
    func unreadable(name: String) async throws {
        let error = await failure { try await session.upload(FileUpload(folder.file(name), to: try peer.url("tus"))) }
        guard case .file(let path, let code, _)? = error as? FileUploadError else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(path.hasPrefix(folder.url.path))
        #expect(code == (name == "." ? EISDIR : ENOENT))
    }

    @Test("tus gets the metadata in Base64, by default the name and the type of the file")
    func metadata() async throws {
        let url = try peer.url("tus")
        try await session.upload(self.upload(url))
        let standard = "filename ZmlsZQ==,filetype YXBwbGljYXRpb24vb2N0ZXQtc3RyZWFt"
        #expect(try await peer.received(at: url).metadata == standard)
        var upload = upload(url)
        upload.metadata = ["filename": "grüße.txt", "a": ""]
        _ = try await session.upload(upload)
        #expect(try await peer.received(at: url).metadata == "a ,filename Z3LDvMOfZS50eHQ=")
    }
}
