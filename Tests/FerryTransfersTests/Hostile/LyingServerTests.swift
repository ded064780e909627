import Testing

@testable import FerryTransfers

/// Servers that answer ranges wrongly: the file is right, or there is an error and no file.
struct LyingServerTests {
    private static let count = 2_000_000

    /// The server's change of its responses to ranges.
    enum Lie: CaseIterable, Sendable {
        case shifted, shorter, longer, otherTotal, unknownTotal, otherTag, noTag, noContentRange, coded, whole
        case notSatisfiable, failed, dropped, stale, multipart
    }

    private static func answer(_ lie: Lie, _ request: LoopbackRequest, log: RequestLog) -> LoopbackResponse {
        let content = RangedContent(count: count)
        var response = content.response(to: request)
        guard response.statusCode == 206, let range = response.headers["Content-Range"].flatMap(ContentRange.init)
        else {
            // Ranges are requested before the whole file has arrived.
            response.bytesPerSecond = 2_000_000
            return response.held { !log.ranges.isEmpty }
        }
        let (first, last) = (Int(range.first.int64), Int(range.last.int64))
        func field(_ first: Int, _ last: Int, _ total: String) {
            response.headers["Content-Range"] = "bytes \(first)-\(last)/\(total)"
        }
        switch lie {
        case .shifted:
            field(first + 1, last, "\(count)")
            response.body = .pattern(count: last - first, offset: first + 1)
        case .shorter:
            field(first, last - 1, "\(count)")
            response.body = .pattern(count: last - first, offset: first)
        case .longer: response.body = .pattern(count: last - first + 10, offset: first)
        case .otherTotal: field(first, last, "\(count + 1)")
        case .unknownTotal: field(first, last, "*")
        case .otherTag: response.headers["ETag"] = "\"other\""
        case .noTag: response.headers["ETag"] = nil
        case .noContentRange: response.headers["Content-Range"] = nil
        case .coded: response.headers["Content-Encoding"] = "gzip"
        case .whole: return .pattern(count: count).adding("ETag", "\"\(content.etag)\"")
        case .notSatisfiable: return .status(416, headers: ["Content-Range": "bytes */\(count)"])
        case .failed: return .status(500)
        case .dropped: return response.faulted(.reset(afterBodyBytes: 0))
        case .stale: return .pattern(count: count).adding("ETag", "\"older\"")
        case .multipart:
            response.headers["Content-Range"] = nil
            response.headers["Content-Type"] = "multipart/byteranges; boundary=x"
        }
        return response
    }

    @Test("A success without the file leaves no file", arguments: [201, 202, 204, 205, 206])
    func otherSuccess(status: Int) async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer { _ in .status(status) }
        let error = await failure {
            try await makeSession().download(VerifiedDownload(server.url, to: folder.file("file")))
        }
        #expect(failedStatus(of: error) == status)
        #expect(folder.names.isEmpty)
    }

    @Test("Lies about ranges lead to the right file or to none", arguments: Lie.allCases)
    func lies(lie: Lie) async throws {
        let folder = try TemporaryFolder()
        let log = RequestLog()
        let server = try LoopbackServer(handler: log.handler { Self.answer(lie, $0, log: log) })
        var download = VerifiedDownload(server.url, to: folder.file("file"), connections: 4)
        download.keepsPartialFile = false
        defer { #expect(!log.ranges.isEmpty) }
        do {
            try await makeSession().download(download)
            let isRight = folder.data("file") == LoopbackServer.pattern(count: Self.count)
            #expect(isRight)
            #expect(folder.names == ["file"])
        } catch {
            #expect(folder.names.isEmpty)
            // If the whole first response arrives, or the server is only busy, the download has no reason to fail.
            #expect([.otherTotal, .otherTag, .notSatisfiable, .stale].contains(lie), "\(error)")
        }
    }

    @Test("A file that changes on the server while it is downloaded is fetched from its start")
    func changes() async throws {
        let folder = try TemporaryFolder()
        let requests = Mutex(0)
        let server = try LoopbackServer { request in
            let number = requests.withLock { count in
                count += 1
                return count
            }
            // The second entity has other bytes.
            let data = LoopbackServer.pattern(count: Self.count, offset: number < 3 ? 0 : 7)
            var response = LoopbackResponse.resource(.data(data), etag: number < 3 ? "a" : "b", for: request)
            if number < 3 { response.bytesPerSecond = 1_000_000 }
            return response
        }
        try await makeSession().download(VerifiedDownload(server.url, to: folder.file("file"), connections: 4))
        #expect(folder.data("file") == LoopbackServer.pattern(count: Self.count, offset: 7))
    }

    @Test("A file that changes with each request is an error after three new starts, and leaves no file")
    func keepsChanging() async throws {
        let folder = try TemporaryFolder()
        let log = RequestLog()
        let server = try LoopbackServer(
            handler: log.handler { request in
                let tag = "\(log.requests.count)"
                let response = LoopbackResponse.resource(.pattern(count: Self.count), etag: tag, for: request)
                return request.header("Range") == nil ? response.faulted(.truncate(afterBodyBytes: 600_000)) : response
            }
        )
        let error = await failure {
            try await makeSession().download(VerifiedDownload(server.url, to: folder.file("file")))
        }
        #expect(error as? VerifiedDownloadError == .keepsChanging)
        #expect(log.requests.map { $0.header("Range") == nil } == [true, false, true, false, true, false, true, false])
        #expect(folder.names.isEmpty)
    }

    @Test("A server that is no longer up is an error, and what has arrived is kept")
    func gone() async throws {
        let folder = try TemporaryFolder()
        let content = RangedContent(count: Self.count)
        let requests = Mutex(0)
        let server = try LoopbackServer { request in
            let isFirst = requests.withLock { count in
                count += 1
                return count == 1
            }
            let response = content.response(to: request)
            return response.faulted(isFirst ? .reset(afterBodyBytes: 600_000) : .resetBeforeHead)
        }
        let download = VerifiedDownload(server.url, to: folder.file("file"))
        let error = await failure { try await makeSession().download(download) }
        #expect(error is URLError)
        let state = try #require(SegmentState.read(folder.path("file.segments.state")))
        #expect(state.parts.first == 0 && state.parts.count == 2)
    }
}
