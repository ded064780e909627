import Testing

@testable import FerryTransfers

struct VerifiedDownloadTests {
    private static let count = 4_000_000
    private let folder: TemporaryFolder
    private let session = makeSession()

    init() throws { folder = try TemporaryFolder() }

    private func download(_ server: LoopbackServer, connections: Int = 1) -> VerifiedDownload {
        VerifiedDownload(server.url, to: folder.file("file"), connections: connections)
    }

    private func expectWhole(_ count: Int = Self.count, sourceLocation: SourceLocation = #_sourceLocation) {
        let isSame = folder.data("file") == LoopbackServer.pattern(count: count)
        #expect(isSame, sourceLocation: sourceLocation)
        #expect(folder.names == ["file"], sourceLocation: sourceLocation)
    }

    @Test("A file that has the expected digest gets its name", arguments: [1, 8])
    func verified(connections: Int) async throws {
        let content = RangedContent(count: Self.count)
        let log = RequestLog()
        let server = try LoopbackServer(handler: log.handler(content.handler))
        var download = download(server, connections: connections)
        download.digest = try ContentDigest(.sha256, hexadecimal: content.sha256)
        download.synchronizes = true
        let outcome = try await session.download(download)
        #expect(outcome.byteCount == Int64(Self.count))
        #expect(outcome.digest == download.digest)
        // The first of several connections may have received everything before the others begin.
        if connections == 1 { #expect(log.ranges.isEmpty) }
        expectWhole()
    }

    @Test("A folder, pipe or socket at the destination is an error before anything is requested")
    func destinations() async throws {
        let server = try LoopbackServer { _ in .text("x") }
        #expect(mkdir(folder.path("folder"), 0o700) == 0)
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        #expect(mknod(folder.path("socket"), S_IFSOCK | 0o600, 0) == 0)
        for name in ["folder", "pipe", "socket"] {
            let download = VerifiedDownload(server.url, to: folder.file(name))
            let error = await failure { try await session.download(download) } as? VerifiedDownloadError
            guard case .file(let path, let code, let reason) = error else {
                Issue.record("\(name): \(String(describing: error))")
                continue
            }
            #expect(path == folder.path(name) && code == (name == "folder" ? EISDIR : EINVAL))
            #expect(reason.lowercased().contains("not a regular file"))
        }
        #expect(server.requests.isEmpty)
        #expect(folder.names == ["folder", "pipe", "socket"])
    }

    @Test("A name that leaves no room for that of the record is an error before anything is requested")
    func longName() async throws {
        let server = try LoopbackServer { _ in .text("x") }
        for (count, isTooLong) in [(236, false), (237, true), (246, true)] {
            let file = folder.file(String(repeating: "a", count: count))
            let error = await failure { try await session.download(VerifiedDownload(server.url, to: file)) }
            if isTooLong {
                let reason = String(cString: strerror(ENAMETOOLONG))
                #expect(error as? VerifiedDownloadError == .file(path: file.path, code: ENAMETOOLONG, reason: reason))
            } else {
                #expect(error == nil)
            }
        }
        #expect(server.requestCount == 1)
        #expect(folder.names.count == 1)
    }

    @Test("A symbolic link at the destination is replaced, and what it leads to stays")
    func link() async throws {
        let server = try LoopbackServer { _ in .text("x") }
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        #expect(symlink(folder.path("pipe"), folder.path("file")) == 0)
        try await session.download(download(server))
        #expect(folder.data("file") == Data("x".utf8))
        var info = stat()
        #expect(lstat(folder.path("pipe"), &info) == 0 && info.st_mode & S_IFMT == S_IFIFO)
    }

    @Test("A wrong digest is an error with both digests, and leaves no file", arguments: [1, 4])
    func mismatch(connections: Int) async throws {
        let content = RangedContent(count: Self.count)
        let server = try LoopbackServer(handler: content.handler)
        var download = download(server, connections: connections)
        let expected = try ContentDigest(.sha256, hexadecimal: String(repeating: "0", count: 64))
        let actual = try ContentDigest(.sha256, hexadecimal: content.sha256)
        download.digest = expected
        let error = await failure { try await session.download(download) }
        #expect(error as? VerifiedDownloadError == .digestMismatch(expected: expected, actual: actual))
        #expect(folder.names.isEmpty)
    }

    @Test("The digest that the server announces is checked, unless the download turns this off")
    func announced() async throws {
        let wrong = Data(repeating: 7, count: 32).base64EncodedString()
        let content = RangedContent(count: 1_000)
        let server = try LoopbackServer { content.response(to: $0).adding("Repr-Digest", "sha-256=:\(wrong):") }
        var download = download(server)
        let error = await failure { try await session.download(download) }
        guard case .digestMismatch = error as? VerifiedDownloadError else {
            Issue.record("\(String(describing: error))")
            return
        }
        download.checksAnnouncedDigest = false
        try await session.download(download)
        expectWhole(1_000)
    }

    @Test("Another size than expected is an error and leaves no file", arguments: [999, 1_001], [true, false])
    func size(expected: Int64, hasLength: Bool) async throws {
        let server = try LoopbackServer { _ in
            let response = LoopbackResponse.pattern(count: 1_000)
            return hasLength ? response : response.framed(.untilClose)
        }
        var download = download(server)
        download.size = expected
        let error = await failure { try await session.download(download) }
        #expect(error as? VerifiedDownloadError == .sizeMismatch(expected: expected, actual: 1_000))
        #expect(folder.names.isEmpty)
    }

    @Test("A server without a validator, length or ranges is read as one stream", arguments: 0..<4)
    func oneStream(kind: Int) async throws {
        let content = RangedContent(count: Self.count)
        let server = try LoopbackServer { request in
            switch kind {
            case 0: LoopbackResponse.pattern(count: Self.count)
            case 1: LoopbackResponse.pattern(count: Self.count).framed(.untilClose)
            case 2: LoopbackResponse.pattern(count: Self.count).adding("ETag", "W/\"weak\"")
            // This server has a validator and ignores ranges.
            default: LoopbackResponse.pattern(count: Self.count).adding("ETag", "\"\(content.etag)\"")
            }
        }
        try await session.download(download(server, connections: 8))
        expectWhole()
    }

    @Test("An empty file is a file")
    func empty() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.pattern(count: 0).adding("ETag", "\"a\"") }
        try await session.download(download(server, connections: 8))
        expectWhole(0)
    }

    @Test("A server that drops every connection is asked for the rest", arguments: [1, 8])
    func drops(connections: Int) async throws {
        let content = RangedContent(count: Self.count, resetsEvery: 300_000)
        let server = try LoopbackServer(handler: content.handler)
        try await session.download(download(server, connections: connections))
        expectWhole()
    }

    @Test("An error status is an error and leaves no file")
    func status() async throws {
        // The last failure is thrown.
        let responses: [LoopbackResponse] = [.status(503), .text("no such key", statusCode: 404)]
        let server = try LoopbackServer(handler: LoopbackServer.sequence(responses))
        let error = await failure { try await session.download(download(server)) }
        #expect(failedStatus(of: error) == 404)
        guard case VerifiedDownloadError.unacceptableStatusCode(_, _, let body)? = error else { return }
        #expect(body == Data("no such key".utf8))
        #expect(folder.names.isEmpty)
    }

    @Test("A download that gets no file leaves the partial file of an earlier one", arguments: [true, false])
    func earlier(isSameURL: Bool) async throws {
        let content = RangedContent(count: 1_000)
        let isBroken = Mutex(true)
        let log = RequestLog()
        let server = try LoopbackServer(
            handler: log.handler { request in
                guard isBroken.withLock({ $0 }) else { return content.response(to: request) }
                return .status(request.header("Range") == nil ? 404 : 416)
            }
        )
        try LoopbackServer.pattern(count: 500).write(to: folder.file("file.segments"))
        let plan = SegmentPlan(total: 1_000, done: [0..<500])
        let state = SegmentState(source: server.url, validator: "\"\(content.etag)\"", digest: nil, plan: plan)
        try state.write(to: folder.path("file.segments.state"), synchronized: false)
        for size in [nil, 999] as [Int64?] where size == nil || !isSameURL {
            var failing = VerifiedDownload(isSameURL ? server.url : server.url("other"), to: folder.file("file"))
            failing.size = size
            isBroken.withLock { $0 = size == nil }
            #expect(await failure { try await session.download(failing) } is VerifiedDownloadError)
            #expect(folder.data("file.segments") == LoopbackServer.pattern(count: 500))
        }
        isBroken.withLock { $0 = false }
        #expect(try await session.download(download(server)).continuedByteCount == 500)
        #expect(log.ranges.last == "bytes=500-999")
        expectWhole(1_000)
    }

    @Test("A cancelled download is continued from its parts")
    func cancelled() async throws {
        var content = RangedContent(count: Self.count)
        content.bytesPerSecond = 100_000
        let slow = content
        let log = RequestLog()
        let isFast = Mutex(false)
        let server = try LoopbackServer(
            handler: log.handler { request in
                var response = slow.response(to: request)
                if isFast.withLock({ $0 }) { response.bytesPerSecond = nil }
                return response
            }
        )
        let download = download(server, connections: 4)
        let arrived = Mutex<Int64>(0)
        let running = Task { [session] in
            try await session.download(download) { progress in arrived.withLock { $0 = progress.completedByteCount } }
        }
        try await eventually("half a megabyte") { arrived.withLock { $0 } > 500_000 }
        running.cancel()
        let error = await failure { try await running.value }
        #expect((error as? URLError)?.code == .cancelled)
        #expect(folder.names == ["file.segments", "file.segments.state"])
        isFast.withLock { $0 = true }
        let before = log.requests.count
        let outcome = try await session.download(download)
        #expect(outcome.continuedByteCount > 500_000)
        // No request is for the whole file.
        #expect(log.requests.dropFirst(before).allSatisfy { $0.header("Range") != nil })
        expectWhole()
    }

    @Test("Another download cannot write the same file at the same time")
    func busy() async throws {
        let content = RangedContent(count: 1_000)
        let server = try LoopbackServer(handler: content.handler)
        let file = try await SegmentFile(destination: folder.path("file"))
        let error = await failure { try await session.download(download(server)) }
        #expect(error as? VerifiedDownloadError == .isBusy(path: file.partPath))
    }

    @Test("A request that is not one for the whole file is refused before anything is sent")
    func invalidRequests() async throws {
        let server = try LoopbackServer { _ in .text("x") }
        var requests = [URLRequest](repeating: URLRequest(url: server.url), count: 3)
        requests[0].httpMethod = "POST"
        requests[1].httpBody = Data("x".utf8)
        requests[2].setValue("bytes=0-1", forHTTPHeaderField: "Range")
        for request in requests {
            let download = VerifiedDownload(request, to: folder.file("file"))
            let error = await failure { try await session.download(download) }
            #expect(error as? VerifiedDownloadError == .invalidRequest)
            let queue = try await TransferQueue(directory: folder.file("queue"))
            #expect(await failure { try await queue.add(download) } is TransferQueueError)
        }
        #expect(server.requestCount == 0 && folder.names == ["queue"])
    }

    @Test("Holes that a failure of power has left in a partial file are fetched again", arguments: [true, false])
    func holes(isOtherBoot: Bool) async throws {
        // File systems have holes of whole pages.
        let (mebibyte, log) = (1_048_576, RequestLog())
        let count = 4 * mebibyte
        let content = RangedContent(count: count)
        let server = try LoopbackServer(handler: log.handler(content.handler))
        let part = try RegularFile(creating: folder.path("file.segments"))
        for start in [0, 3 * mebibyte] {
            try part.write(LoopbackServer.pattern(count: mebibyte, offset: start), at: Int64(start))
        }
        try part.close()
        let plan = SegmentPlan(total: Int64(count), done: [0..<Int64(count)])
        var state = SegmentState(
            source: server.url,
            validator: "\"\(content.etag)\"",
            digest: nil,
            plan: plan,
            isSynchronized: false
        )
        if isOtherBoot { state.boot = state.boot.map { $0 ^ 1 } }
        try state.write(to: folder.path("file.segments.state"), synchronized: false)
        try await session.download(VerifiedDownload(server.url, to: folder.file("file")))
        #expect((folder.data("file") == LoopbackServer.pattern(count: count)) == isOtherBoot)
        #expect(log.rangedBytes == (isOtherBoot ? 2 * mebibyte : 1))
    }

    @Test("A complete partial file is published only if the server still has that file", arguments: [true, false])
    func complete(isSame: Bool) async throws {
        let (old, log) = (Data(repeating: 7, count: 1_000), RequestLog())
        let new = Data(repeating: 8, count: 1_000)
        let server = try LoopbackServer(
            handler: log.handler { .resource(.data(isSame ? old : new), etag: isSame ? "old" : "new", for: $0) }
        )
        try old.write(to: folder.file("file.segments"))
        let plan = SegmentPlan(total: 1_000, done: [0..<1_000])
        let state = SegmentState(source: server.url, validator: "\"old\"", digest: nil, plan: plan)
        try state.write(to: folder.path("file.segments.state"), synchronized: false)
        try await session.download(VerifiedDownload(server.url, to: folder.file("file")))
        #expect(folder.data("file") == (isSame ? old : new))
        #expect(log.ranges.first == "bytes=999-999")
        #expect(log.requests.count == (isSame ? 1 : 2))
    }
}
