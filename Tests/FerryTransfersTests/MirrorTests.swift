import Testing

@testable import FerryTransfers

struct MirrorTests {
    private static let count = 4_000_000
    private let folder: TemporaryFolder
    private let session = makeSession()

    init() throws { folder = try TemporaryFolder() }

    private func download(_ server: LoopbackServer, _ mirrors: [URL], digest: Bool = false) -> VerifiedDownload {
        var download = VerifiedDownload(server.url, to: folder.file("file"), connections: 6)
        download.mirrors = mirrors
        let hash = LoopbackServer.patternSHA256(count: Self.count)
        if digest { download.digest = try? ContentDigest(.sha256, hexadecimal: hash) }
        return download
    }

    private func expectWhole(sourceLocation: SourceLocation = #_sourceLocation) {
        let isSame = folder.data("file") == LoopbackServer.pattern(count: Self.count)
        #expect(isSame, sourceLocation: sourceLocation)
        #expect(folder.names == ["file"], sourceLocation: sourceLocation)
    }

    /// A server slow enough that mirrors are used; with a mirror's log, it sends the rest of the file after the first
    /// request to the mirror.
    private func slow(
        _ log: RequestLog = RequestLog(),
        _ link: URL? = nil,
        mirror: RequestLog? = nil
    ) throws -> LoopbackServer {
        var content = RangedContent(count: Self.count)
        content.bytesPerSecond = 1_000_000
        let slow = content
        return try LoopbackServer(
            handler: log.handler { request in
                var response = slow.response(to: request)
                if let mirror, response.statusCode == 200 { response = response.held { !mirror.requests.isEmpty } }
                return link.map { response.adding("Link", "<\($0.absoluteString)>; rel=duplicate") } ?? response
            }
        )
    }

    @Test("A mirror with the same entity tag sends ranges, and gets no fields of the request")
    func sameTag() async throws {
        let (log, own) = (RequestLog(), RequestLog())
        let mirror = try LoopbackServer(handler: log.handler(RangedContent(count: Self.count).handler))
        let server = try slow(own, mirror: log)
        var download = download(server, [mirror.url])
        download.request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
        try await session.download(download)
        expectWhole()
        #expect(!log.ranges.isEmpty)
        #expect(log.requests.allSatisfy { $0.header("Authorization") == nil })
        #expect(own.requests.allSatisfy { $0.header("Authorization") == "Bearer secret" })
    }

    @Test("A mirror with another tag sends ranges only if a digest is known", arguments: [true, false])
    func otherTag(digest: Bool) async throws {
        let log = RequestLog()
        let content = RangedContent(count: Self.count, etag: "another")
        let mirror = try LoopbackServer(handler: log.handler(content.handler))
        let server = try slow(mirror: log)
        try await session.download(download(server, [mirror.url], digest: digest))
        expectWhole()
        // Without a digest, the mirror is asked with the tag of the first server, and dropped.
        #expect(log.requests.contains { $0.header("If-Range") != nil } != digest)
    }

    @Test("Wrong bytes of a mirror are fetched again from the first server")
    func wrongBytes() async throws {
        let zeros = Data(count: Self.count)
        let mirror = try LoopbackServer { .resource(.data(zeros), etag: "x", for: $0) }
        let server = try slow()
        let outcome = try await session.download(download(server, [mirror.url], digest: true))
        #expect(outcome.digest != nil)
        expectWhole()
    }

    /// A server that ignores ranges, and holds its first response until a mirror is asked; `stopsSecond` stops its
    /// second response.
    private func rangeless(_ log: RequestLog, mirror: RequestLog, stopsSecond: Bool = false) throws -> LoopbackServer {
        try LoopbackServer(
            handler: log.handler { request in
                let response = LoopbackResponse.pattern(count: Self.count).adding("ETag", "\"a\"")
                guard request.header("Range") == nil else { return response }
                switch log.wholes {
                case 1: return response.held { !mirror.ranges.isEmpty }
                case 2 where stopsSecond: return response.held { false }
                default: return response
                }
            }
        )
    }

    @Test("If a mirror's bytes are wrong, a server without ranges sends the file again")
    func wrongBytesWithoutRanges() async throws {
        let (log, own) = (RequestLog(), RequestLog())
        let mirror = try LoopbackServer(
            handler: log.handler { .resource(.data(Data(count: Self.count)), etag: "x", for: $0) }
        )
        let server = try rangeless(own, mirror: log)
        let outcome = try await session.download(download(server, [mirror.url], digest: true))
        #expect(outcome.digest != nil && outcome.byteCount == Int64(Self.count))
        expectWhole()
        #expect(own.wholes == 2 && log.wholes == 0)
    }

    @Test("If the first mirror is wrong and the server has no file, the next mirror sends it", arguments: [1, 6])
    func nextMirror(connections: Int) async throws {
        let (bad, good) = (RequestLog(), RequestLog())
        let server = try LoopbackServer { _ in .status(404) }
        let first = try LoopbackServer(
            handler: bad.handler { .resource(.data(Data(count: Self.count)), etag: "x", for: $0) }
        )
        let second = try LoopbackServer(handler: good.handler(RangedContent(count: Self.count).handler))
        var download = download(server, [first.url, second.url], digest: true)
        download.connections = connections
        try await session.download(download)
        expectWhole()
        #expect(server.requestCount == 1 && good.wholes == 1)
        // A mirror that has sent the whole file is not asked again.
        #expect(connections == 1 ? bad.requests.count == 1 : bad.wholes <= 2)
    }

    @Test("If no source has the right bytes, each is asked once more, and the error has the digest")
    func allWrong() async throws {
        let logs = [RequestLog(), RequestLog(), RequestLog()]
        let servers = try logs.enumerated().map { index, log in
            let data = Data(repeating: UInt8(index), count: Self.count)
            return try LoopbackServer(handler: log.handler { .resource(.data(data), etag: "\(index)", for: $0) })
        }
        let download = download(servers[0], [servers[1].url, servers[2].url], digest: true)
        let error = await failure { try await session.download(download) }
        guard case .digestMismatch(let expected, let actual) = error as? VerifiedDownloadError else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(expected == download.digest && actual != expected)
        #expect(logs.map(\.wholes) == [1, 1, 1])
        #expect(folder.names.isEmpty)
    }

    @Test("A mirror's digest does not replace the one that the server has announced")
    func announcedByMirror() async throws {
        func server(_ byte: UInt8, announces: String) throws -> LoopbackServer {
            let data = Data(repeating: byte, count: Self.count)
            let digest = try ContentDigest(.sha256, hexadecimal: announces)
            return try LoopbackServer {
                .resource(.data(data), etag: "\(byte)", for: $0).adding("Repr-Digest", digest.fieldValue)
            }
        }
        let wanted = LoopbackServer.patternSHA256(count: Self.count)
        let ones = SHA256Hash.hash(Data(repeating: 1, count: Self.count)).hexadecimal
        let (server, mirror) = (try server(0, announces: wanted), try server(1, announces: ones))
        let error = await failure { try await session.download(download(server, [mirror.url])) }
        guard case .digestMismatch(let expected, _) = error as? VerifiedDownloadError else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(expected.description.contains(wanted) && mirror.requestCount > 0)
        #expect(folder.names.isEmpty)
    }

    @Test("A download that is cancelled while it is fetched again leaves no file, and the next one completes it")
    func cancelledAgain() async throws {
        let (log, own) = (RequestLog(), RequestLog())
        let mirror = try LoopbackServer(
            handler: log.handler { .resource(.data(Data(count: Self.count)), etag: "x", for: $0) }
        )
        let server = try rangeless(own, mirror: log, stopsSecond: true)
        let download = download(server, [mirror.url], digest: true)
        let running = Task { [session] in try await session.download(download) }
        // The partial file was emptied before the second request.
        try await eventually("a part of the second file") {
            own.wholes == 2 && folder.data("file.segments")?.isEmpty == false
        }
        running.cancel()
        let error = await failure { try await running.value }
        #expect((error as? URLError)?.code == .cancelled)
        #expect(folder.names == ["file.segments", "file.segments.state"])
        try await session.download(download)
        expectWhole()
    }

    @Test("Mirrors that lack the file, have another size or answer wrongly are dropped", arguments: 0..<5)
    func bad(kind: Int) async throws {
        let mirror = try LoopbackServer { request in
            switch kind {
            case 0: .status(404)
            case 1: RangedContent(count: Self.count + 1).response(to: request)
            case 2: .pattern(count: Self.count)
            case 3: LoopbackResponse().faulted(.resetBeforeHead)
            default: .status(503)
            }
        }
        let server = try slow()
        try await session.download(download(server, [mirror.url], digest: true))
        expectWhole()
    }

    @Test("A mirror replaces a server that does not have the file")
    func replacement() async throws {
        let server = try LoopbackServer { _ in .status(500) }
        let mirror = try LoopbackServer(handler: RangedContent(count: Self.count).handler)
        try await session.download(download(server, [mirror.url]))
        expectWhole()
    }

    @Test("A session's retries do not delay the next mirror, and repeat requests to the last one")
    func sessionRetries() async throws {
        let server = try LoopbackServer { _ in .status(503) }
        // More failures than the download itself allows.
        let statuses = Watched(Array(repeating: 503, count: 6))
        let content = RangedContent(count: Self.count)
        let mirror = try LoopbackServer { request in
            statuses.change { $0.popLast() }.map { .status($0) } ?? content.response(to: request)
        }
        try await makeSession(retrying: []).download(download(server, [mirror.url]))
        expectWhole()
        #expect(server.requestCount == 6)
    }

    @Test("A mirror gets cookies only if the download's request handles them", arguments: [true, false])
    func cookies(handles: Bool) async throws {
        let content = RangedContent(count: Self.count)
        let server = try LoopbackServer { $0.path == "/mirror" ? content.response(to: $0) : .status(404) }
        session.addCookie()
        var download = download(server, [server.url("/mirror")])
        download.request.httpShouldHandleCookies = handles
        download = try #require(try QueueRecord.Download(download, keepsSecrets: false).value)
        try await session.download(download)
        expectWhole()
        #expect(server.requests.contains { $0.path == "/mirror" })
        #expect(server.requests.allSatisfy { ($0.header("Cookie") != nil) == handles })
    }

    @Test(
        "A mirror that the server offers is used if that is wanted and a digest is known",
        arguments: [true, false],
        [true, false]
    )
    func offered(isWanted: Bool, digest: Bool) async throws {
        let log = RequestLog()
        let mirror = try LoopbackServer(handler: log.handler(RangedContent(count: Self.count).handler))
        let isUsed = isWanted && digest
        let server = try slow(RequestLog(), mirror.url, mirror: isUsed ? log : nil)
        var download = download(server, [], digest: digest)
        download.usesOfferedMirrors = isWanted
        try await session.download(download)
        expectWhole()
        #expect(log.requests.isEmpty != isUsed)
    }

    @Test("A mirror with the same date and without a tag sends nothing of the file")
    func sameDate() async throws {
        let log = RequestLog()
        func server(_ byte: UInt8, log: RequestLog, mirror: RequestLog? = nil) throws -> LoopbackServer {
            let content = Data(repeating: byte, count: Self.count)
            return try LoopbackServer(
                handler: log.handler { request in
                    var response = LoopbackResponse.resource(.data(content), etag: "x", for: request)
                    response.headers["ETag"] = nil
                    response.headers["Last-Modified"] = "Sun, 06 Nov 1994 08:49:37 GMT"
                    if let mirror, response.statusCode == 200 { response = response.held { !mirror.requests.isEmpty } }
                    return response
                }
            )
        }
        let mirror = try server(2, log: log)
        let server = try server(1, log: RequestLog(), mirror: log)
        try await session.download(download(server, [mirror.url]))
        #expect(folder.data("file") == Data(repeating: 1, count: Self.count))
        #expect(!log.requests.isEmpty)
    }

    @Test("The error is that of the download's own server, whatever its mirrors fail with afterwards")
    func ownError() async throws {
        let server = try LoopbackServer { _ in .status(503) }
        let mirror = try LoopbackServer { _ in .status(404) }
        let error = await failure { try await session.download(download(server, [mirror.url])) }
        #expect(failedStatus(of: error) == 503)
        #expect(mirror.requestCount == 1)
    }

    /// An interceptor that marks requests that count as having left their origin.
    private struct Scope: ImmediateRequestInterceptor {
        func adaptImmediately(_ request: inout AdaptedRequest, for attempt: RequestAttempt) throws -> Bool {
            request.setValue("\(attempt.hasLeftOrigin)", forHTTPHeaderField: "X-Left")
            return true
        }
    }

    @Test("A mirror at another origin gets no credentials of session and interceptors", arguments: [true, false])
    func withoutCredentials(isOffered: Bool) async throws {
        let (log, own) = (RequestLog(), RequestLog())
        let mirror = try LoopbackServer(handler: log.handler(RangedContent(count: Self.count).handler))
        let server = try slow(own, isOffered ? mirror.url : nil, mirror: log)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["Authorization": "Bearer secret"]
        var options = CurlSession.Options()
        options.interceptors = [Scope()]
        var download = download(server, isOffered ? [] : [mirror.url], digest: isOffered)
        download.usesOfferedMirrors = isOffered
        try await CurlSession(configuration: configuration, options: options).download(download)
        expectWhole()
        #expect(!log.requests.isEmpty)
        #expect(log.requests.allSatisfy { $0.header("Authorization") == nil && $0.header("X-Left") == "true" })
        #expect(own.requests.allSatisfy { $0.header("Authorization") != nil && $0.header("X-Left") == "false" })
    }

    @Test("The response with the whole file ends with the part of its reader")
    func wholeEnds() async throws {
        let isCut = Watched(false)
        let log = RequestLog()
        let content = RangedContent(count: Self.count)
        let mirror = try LoopbackServer(
            handler: log.handler { request in content.response(to: request).held { isCut.current } }
        )
        let server = try LoopbackServer { request in
            var response = content.response(to: request)
            guard response.statusCode == 200 else { return response }
            response.headers["Content-Length"] = "\(Self.count)"
            response.body = .stream { stream in
                var offset = 0
                defer { isCut.change { $0 = offset < Self.count } }
                guard stream.write(LoopbackServer.pattern(count: Self.count / 2)) else { return }
                offset = Self.count / 2
                while log.requests.isEmpty { guard stream.wait(0.01) else { return } }
                while offset < Self.count, stream.write(LoopbackServer.pattern(count: 1_000, offset: offset)) {
                    offset += 1_000
                    guard stream.wait(0.01) else { return }
                }
            }
            return response
        }
        var download = download(server, [mirror.url])
        download.connections = 2
        try await session.download(download)
        expectWhole()
        #expect(isCut.current)
    }
}
