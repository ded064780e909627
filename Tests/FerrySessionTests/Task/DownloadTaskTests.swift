import FerrySession
import FerryTesting
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct DownloadTaskTests {
    @Test("A delegate receives progress, then the file, then the completion")
    func delegateOrder() async throws {
        let server = try LoopbackServer()
        let delegate = RecordingDelegate()
        let task = makeSession(delegate).downloadTask(with: server.url("/bytes/2000000"))
        task.resume()
        let record = try await delegate.completion(of: task)
        #expect(record.error == nil)
        #expect(record.names == ["wrote", "finishedDownload", "completed"])
        #expect(record.file == LoopbackServer.pattern(count: 2_000_000))
        #expect(record.wroteTotals == record.wroteTotals.sorted())
        #expect(record.wroteTotals.last == 2_000_000)
        #expect(task.countOfBytesReceived == 2_000_000)
        #expect(task.countOfBytesExpectedToReceive == 2_000_000)
        #expect((task.response as? HTTPURLResponse)?.statusCode == 200)
        #expect(delegate.violations == [])
    }

    @Test("The file is deleted if the delegate does not move it", arguments: [true, false])
    func fileAfterwards(_ isMoved: Bool) async throws {
        let server = try LoopbackServer()
        let folder = try TemporaryFolder()
        let place = folder.url.appendingPathComponent("moved")
        var hooks = DelegateHooks()
        hooks.onFinishedDownload = { _, url in
            if isMoved { try? FileManager.default.moveItem(at: url, to: place) }
        }
        let delegate = RecordingDelegate(hooks)
        var options = CurlSession.Options()
        options.temporaryDirectory = folder.url
        let task = makeSession(delegate, options: options).downloadTask(with: server.url("/bytes/5000"))
        task.resume()
        try await delegate.completion(of: task)
        #expect(folder.names == (isMoved ? ["moved"] : []))
        if isMoved { #expect(try Data(contentsOf: place) == LoopbackServer.pattern(count: 5000)) }
    }

    @Test("Only its owner can read the file") func permissions() async throws {
        let server = try LoopbackServer()
        let modes = Watched<[Int]>([])
        var hooks = DelegateHooks()
        hooks.onFinishedDownload = { _, url in
            let mode = try? FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions]
            modes.append((mode as? NSNumber)?.intValue ?? 0)
        }
        let delegate = RecordingDelegate(hooks)
        let task = makeSession(delegate).downloadTask(with: server.url("/bytes/10"))
        task.resume()
        try await delegate.completion(of: task)
        #expect(modes.current == [0o600])
    }

    @Test("An empty body creates an empty file") func empty() async throws {
        let server = try LoopbackServer { _ in .status(200) }
        let delegate = RecordingDelegate()
        let task = makeSession(delegate).downloadTask(with: server.url)
        task.resume()
        let record = try await delegate.completion(of: task)
        #expect(record.names == ["finishedDownload", "completed"])
        #expect(record.file == Data())
        #expect(delegate.violations == [])
    }

    @Test("A download whose partial file is removed while it runs fails") func removedFile() async throws {
        let gate = Gate()
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: 10\r\n\r\nhello")
            gate.wait()
            connection.write("world")
        }
        defer { gate.open() }
        let folder = try TemporaryFolder()
        var options = CurlSession.Options()
        options.temporaryDirectory = folder.url
        let delegate = RecordingDelegate()
        let task = makeSession(delegate, options: options).downloadTask(with: server.url())
        task.resume()
        try await eventually { task.countOfBytesReceived == 5 }
        for name in folder.names { try FileManager.default.removeItem(at: folder.url.appendingPathComponent(name)) }
        gate.open()
        let error = try #require(try await delegate.completion(of: task).error)
        #expect(error.code == .cannotWriteToFile)
        #expect(error.userInfo[URLSessionDownloadTaskResumeData] == nil)
        #expect(folder.names == [])
    }

    @Test("A handler receives a file that is deleted when it returns") func handler() async throws {
        let server = try LoopbackServer()
        let folder = try TemporaryFolder()
        var options = CurlSession.Options()
        options.temporaryDirectory = folder.url
        let outcome = Watched<[Outcome<Data>]>([])
        let session = makeSession(options: options)
        let task = session.downloadTask(with: server.url("/bytes/60000")) { url, response, error in
            outcome.append(Outcome(url.flatMap { try? Data(contentsOf: $0) }, response, error))
        }
        task.resume()
        let result = try await outcome.first()
        #expect(result.value == LoopbackServer.pattern(count: 60_000))
        #expect(result.status == 200)
        try await eventually("the file's end") { folder.names.isEmpty }
        #expect(task.countOfBytesReceived == 60_000)
    }

    @Test(
        "A download that fails or is cancelled leaves no file",
        arguments: ["/truncate?bytes=90000&ranges=0", "/stall?bytes=90000"]
    )
    func noOrphans(_ target: String) async throws {
        let server = try LoopbackServer()
        let folder = try TemporaryFolder()
        var options = CurlSession.Options()
        options.temporaryDirectory = folder.url
        var hooks = DelegateHooks()
        hooks.onWrote = { task, total in if target.hasPrefix("/stall"), total == 45_000 { task.cancel() } }
        let delegate = RecordingDelegate(hooks)
        let task = makeSession(delegate, options: options).downloadTask(with: server.url(target))
        task.resume()
        let record = try await delegate.completion(of: task)
        #expect(record.error?.code == (target.hasPrefix("/stall") ? .cancelled : .networkConnectionLost))
        #expect(!record.names.contains("finishedDownload"))
        try await eventually("the file's end") { folder.names.isEmpty }
        #expect(delegate.violations == [])
    }

    @Test("A server's error page is a file too, and the response has its status") func errorPage() async throws {
        let server = try LoopbackServer { _ in .text("not here", statusCode: 404) }
        let delegate = RecordingDelegate()
        let task = makeSession(delegate).downloadTask(with: server.url)
        task.resume()
        let record = try await delegate.completion(of: task)
        #expect(record.file == Data("not here".utf8))
        #expect((task.response as? HTTPURLResponse)?.statusCode == 404)
    }
}
