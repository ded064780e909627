import FerrySession
import FerryTesting
import TestSupport
import Testing

/// Transfers of a hundred megabytes and more, which are not held in memory.
@Suite("Large transfers", .slow, .serialized, .timeLimit(.minutes(5)), .ownThreads)
struct LargeTransferTests {
    /// The sanitizer makes hashes slow, and is used to check the threads.
    private static let scale = ProcessUsage.isThreadSanitized ? 10 : 1

    private static let total = 200_000_000 / scale
    private static let piece = 30_000_000 / scale

    /// A server that resets the connection after each piece of any requested range.
    private static func flaky(
        total: Int = total,
        etag: @escaping @Sendable (_ request: Int) -> String = { _ in "\"one\"" },
        offset: @escaping @Sendable (_ request: Int) -> Int = { _ in 0 }
    ) throws -> LoopbackServer {
        let count = Watched(0)
        return try LoopbackServer { request in
            let number = count.change { count in
                defer { count += 1 }
                return count
            }
            return .resource(.pattern(count: total, offset: offset(number)), etag: etag(number), for: request)
                .faulted(.reset(afterBodyBytes: piece))
        }
    }

    private static func session(_ folder: URL) -> CurlSession {
        var options = CurlSession.Options()
        options.temporaryDirectory = folder
        return makeSession(options: options)
    }

    /// Makes one attempt, and returns the file, or the resume data.
    private static func attempt(
        _ session: CurlSession,
        _ url: URL,
        _ data: Data?
    ) async throws -> Result<URL, Resumption> {
        do {
            if let data { return .success(try await session.download(resumeFrom: data).0) }
            return .success(try await session.download(from: url).0)
        } catch let error as URLError {
            guard let data = error.userInfo[URLSessionDownloadTaskResumeData] as? Data else { throw error }
            return .failure(Resumption(data: data))
        }
    }

    private struct Resumption: Error {
        var data: Data
    }

    /// Continues after each failure until the file is complete.
    private static func complete(_ session: CurlSession, _ url: URL, from data: Data? = nil) async throws -> URL {
        var data = data
        for _ in 0..<30 {
            switch try await attempt(session, url, data) {
            case .success(let file): return file
            case .failure(let resumption): data = resumption.data
            }
        }
        throw NeverHappened(description: "The download did not end after thirty attempts")
    }

    private static func sha256(_ file: URL) throws -> String {
        SHA256Hash.hash(try Data(contentsOf: file, options: .alwaysMapped)).hexadecimal
    }

    @Test("200 MB from a server that resets every 30 MB arrive through resume data with the exact SHA-256")
    func resets() async throws {
        let server = try Self.flaky()
        let folder = try TemporaryFolder()
        let file = try await Self.complete(Self.session(folder.url), server.url("/file"))
        #expect(try Self.sha256(file) == LoopbackServer.patternSHA256(count: Self.total))
        #expect(server.requestCount >= 7)
        #expect(server.requests.dropFirst().allSatisfy { $0.header("If-Range") == "\"one\"" })
        try FileManager.default.removeItem(at: file)
        #expect(folder.names == [])
    }

    #if compiler(>=6.2)
    @Test("200 MB arrive even if the downloading process is killed in between") func killed() async throws {
        let server = try Self.flaky()
        let folder = try TemporaryFolder()
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [base = server.url.absoluteString as String, path = folder.url.path as String, piece = Self.piece as Int] in
            let folder = URL(fileURLWithPath: path, isDirectory: true)
            let url = try #require(URL(string: base + "file"))
            let session = Self.session(folder)
            guard case .failure(let first) = try await Self.attempt(session, url, nil) else { return }
            try first.data.write(to: folder.appendingPathComponent("resume-data"), options: .atomic)
            // The next attempt is killed in the middle: it has written past the offset in the record.
            let task = session.downloadTask(withResumeData: first.data)
            task.resume()
            try await eventually("a part") { task.countOfBytesReceived > piece * 3 / 2 }
            kill(getpid(), SIGKILL)
        }
        let requests = server.requests
        #expect(requests.count == 2)
        let record = folder.url.appendingPathComponent("resume-data")
        let data = try Data(contentsOf: record)
        let file = try await Self.complete(Self.session(folder.url), server.url("/file"), from: data)
        #expect(try Self.sha256(file) == LoopbackServer.patternSHA256(count: Self.total))
        #expect(server.requests.dropFirst(2).first?.header("Range") == requests.last?.header("Range"))
        try FileManager.default.removeItem(at: file)
        #expect(folder.names == ["resume-data"])
    }
    #endif

    @Test("An entity that changes midway is requested again, and the file is exactly the new one")
    func changed() async throws {
        let total = 90_000_000 / Self.scale
        // The second request still continues the first entity; the third finds another one.
        let server = try Self.flaky(
            total: total,
            etag: { $0 < 2 ? "\"one\"" : "\"two\"" },
            offset: { $0 < 2 ? 0 : 12_345 }
        )
        let folder = try TemporaryFolder()
        let file = try await Self.complete(Self.session(folder.url), server.url("/file"))
        var expected = SHA256Hash()
        for start in stride(from: 0, to: total, by: 1_000_000) {
            expected.update(LoopbackServer.pattern(count: 1_000_000, offset: 12_345 + start))
        }
        #expect(try Self.sha256(file) == expected.digest.hexadecimal)
        let tags = server.requests.map { $0.header("If-Range") }
        #expect(tags.first == .some(nil))
        #expect(tags.contains("\"one\"") && tags.last == "\"two\"")
        try FileManager.default.removeItem(at: file)
        #expect(folder.names == [])
    }

    @Test("A 308 sends a complete 100 MB file to the second server") func redirectedUpload() async throws {
        let size = 100_000_000 / Self.scale
        let second = try LoopbackServer { .text($0.bodySHA256) }
        let target = second.url("/end").absoluteString
        var configuration = LoopbackServer.Configuration()
        configuration.hashesBodies = false
        let first = try LoopbackServer(configuration: configuration) { _ in .redirect(to: target, statusCode: 308) }
        let source = try TemporaryFile()
        let handle = try FileHandle(forWritingTo: source.url)
        for start in stride(from: 0, to: size, by: 1_000_000) {
            try handle.write(contentsOf: LoopbackServer.pattern(count: 1_000_000, offset: start))
        }
        try handle.close()
        var request = URLRequest(url: first.url("/start"))
        request.httpMethod = "PUT"
        let (data, response) = try await makeSession().upload(for: request, fromFile: source.url)
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(String(decoding: data, as: UTF8.self) == LoopbackServer.patternSHA256(count: size))
        let received = try #require(second.requests.first)
        #expect(received.method == "PUT")
        #expect(received.bodyLength == size)
        #expect(received.header("Content-Length") == "\(size)")
        #expect(second.requestCount == 1)
    }
}
