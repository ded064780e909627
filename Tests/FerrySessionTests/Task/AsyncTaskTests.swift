import FerrySession
import FerryTesting
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct AsyncTaskTests {
    @Test("data(for:) and data(from:) return body and response") func data() async throws {
        let server = try LoopbackServer()
        let session = makeSession()
        let (first, response) = try await session.data(from: server.url("/bytes/1234567"))
        #expect(first == LoopbackServer.pattern(count: 1_234_567))
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        let (second, _) = try await session.data(for: URLRequest(url: server.url("/bytes/10")))
        #expect(second == LoopbackServer.pattern(count: 10))
    }

    @Test("upload(for:from:) and upload(for:fromFile:) send their bodies") func upload() async throws {
        let server = try LoopbackServer()
        let session = makeSession()
        var request = URLRequest(url: server.url("/upload"))
        request.httpMethod = "PUT"
        _ = try await session.upload(for: request, from: LoopbackServer.pattern(count: 100_000))
        let file = try TemporaryFile(LoopbackServer.pattern(count: 200_000))
        _ = try await session.upload(for: request, fromFile: file.url)
        #expect(
            server.requests.map(\.bodySHA256) == [100_000, 200_000].map { LoopbackServer.patternSHA256(count: $0) }
        )
    }

    @Test("download(for:) and download(from:) return a file that the caller owns") func download() async throws {
        let server = try LoopbackServer()
        let session = makeSession()
        for (url, _) in [
            try await session.download(from: server.url("/bytes/4000")),
            try await session.download(for: URLRequest(url: server.url("/bytes/4000"))),
        ] {
            #expect(try Data(contentsOf: url) == LoopbackServer.pattern(count: 4000))
            try FileManager.default.removeItem(at: url)
        }
    }

    @Test("A delegate of the call receives response and body, and the session's delegate does not") func delegate()
        async throws
    {
        let server = try LoopbackServer()
        let body = LoopbackServer.pattern(count: 3_000_000)
        let told = Watched<(responses: Int, data: Data, written: Int64, sent: Int64)>((0, Data(), 0, 0))
        var hooks = DelegateHooks()
        hooks.onResponse = { _, _, answer in
            told.change { $0.responses += 1 }
            answer(.allow)
        }
        hooks.onData = { _, data in told.change { $0.data += data } }
        hooks.onWrote = { _, total in told.change { $0.written = total } }
        hooks.onSent = { _, total in told.change { $0.sent = total } }
        hooks.onCompleted = { _, _ in Issue.record("The end is reported only by the call") }
        let whole = RecordingDelegate()
        let session = makeSession(whole)
        let data = try await session.data(from: server.url("/bytes/3000000"), delegate: RecordingDelegate(hooks)).0
        #expect(data == body && told.change { $0.data } == body && told.change { $0.responses } == 1)
        let (file, _) = try await session.download(
            from: server.url("/bytes/3000000"),
            delegate: RecordingDelegate(hooks)
        )
        #expect(try Data(contentsOf: file) == body && told.change { $0.written } == 3_000_000)
        try FileManager.default.removeItem(at: file)
        var request = URLRequest(url: server.url("/upload"))
        request.httpMethod = "PUT"
        _ = try await session.upload(for: request, from: body, delegate: RecordingDelegate(hooks))
        #expect(told.change { $0.sent } == 3_000_000 && told.change { $0.responses } == 2)
        #expect(whole.order == [])
    }

    @Test("A cancelled download has resume data, with which another continues")
    func cancelledDownload() async throws {
        let content = RangedContent(count: 400_000)
        let server = try LoopbackServer { request in
            let response = content.response(to: request)
            return request.header("Range") == nil ? response.faulted(.stall(afterBodyBytes: 200_000)) : response
        }
        let folder = try TemporaryFolder()
        var options = CurlSession.Options()
        options.temporaryDirectory = folder.url
        let session = makeSession(options: options)
        let running = Task { try await session.download(from: server.url) }
        try await eventually("a part of the file") {
            folder.names.first.map { folder.data($0)?.count ?? 0 > 0 } ?? false
        }
        running.cancel()
        let error = await #expect(throws: URLError.self) { try await running.value }
        #expect(error?.code == .cancelled)
        let data = try #require(error?.userInfo[URLSessionDownloadTaskResumeData] as? Data)
        let (file, response) = try await session.download(resumeFrom: data)
        #expect((response as? HTTPURLResponse)?.statusCode == 206)
        #expect(try Data(contentsOf: file) == LoopbackServer.pattern(count: 400_000))
    }

    @Test("If the call's delegate asks for a download, the call still returns the data")
    func becomesNoDownload()
        async throws
    {
        let server = try LoopbackServer()
        let disposition = try #require(URLSession.ResponseDisposition(rawValue: 2))
        var hooks = DelegateHooks()
        hooks.onResponse = { _, _, answer in answer(disposition) }
        hooks.onBecome = { _, _ in Issue.record("The call should return the data") }
        let data = try await makeSession().data(from: server.url("/bytes/100000"), delegate: RecordingDelegate(hooks)).0
        #expect(data == LoopbackServer.pattern(count: 100_000))
    }

    @Test("A delegate of the call may refuse the response, and a body that is too large still ends the call")
    func delegateRefuses() async throws {
        let server = try LoopbackServer()
        var hooks = DelegateHooks()
        hooks.onResponse = { _, _, answer in answer(.cancel) }
        let url = server.url("/bytes/100000")
        let refused = await #expect(throws: URLError.self) {
            try await makeSession().data(from: url, delegate: RecordingDelegate(hooks))
        }
        #expect(refused?.code == .cancelled)
        var options = CurlSession.Options()
        options.maximumBodySizeInMemory = 50_000
        let large = await #expect(throws: URLError.self) {
            try await makeSession(options: options).data(from: url, delegate: RecordingDelegate())
        }
        #expect(large?.ferryCode == .responseTooLarge)
    }

    @Test("A literal nil as the delegate makes no difference") func nilDelegate() async throws {
        let server = try LoopbackServer()
        let session = makeSession()
        let url = server.url("/bytes/10")
        let request = URLRequest(url: url)
        #expect(try await session.data(from: url, delegate: nil).0.count == 10)
        #expect(try await session.data(for: request, delegate: nil).0.count == 10)
        _ = try await session.upload(for: request, from: Data("x".utf8), delegate: nil)
        let file = try TemporaryFile(Data("x".utf8))
        _ = try await session.upload(for: request, fromFile: file.url, delegate: nil)
        for (url, _) in [
            try await session.download(from: url, delegate: nil),
            try await session.download(for: request, delegate: nil),
        ] {
            #expect(try Data(contentsOf: url).count == 10)
            try FileManager.default.removeItem(at: url)
        }
        let none: (any URLSessionTaskDelegate)? = nil
        for (bytes, _) in [
            try await session.bytes(from: url, delegate: nil), try await session.bytes(for: request, delegate: none),
        ] {
            var count = 0
            for try await _ in bytes { count += 1 }
            #expect(count == 10)
        }
    }

    @Test("Errors are thrown as URLError") func failure() async throws {
        let server = try LoopbackServer()
        let session = makeSession()
        let error = await #expect(throws: URLError.self) { try await session.data(from: server.url("/empty")) }
        #expect(error?.code == .networkConnectionLost)
        #expect(error?.failingURL == server.url("/empty"))
        var options = CurlSession.Options()
        let folder = try TemporaryFolder()
        options.temporaryDirectory = folder.url
        let downloads = makeSession(options: options)
        await #expect(throws: URLError.self) { try await downloads.download(from: server.url("/truncate")) }
        let request = URLRequest(url: server.url("/empty"))
        await #expect(throws: URLError.self) { try await session.upload(for: request, from: Data("x".utf8)) }
    }

    @Test(
        "Cancelling the Swift task cancels the transfer immediately",
        arguments: ["data", "upload", "download", "bytes"]
    )
    func cancellation(_ kind: String) async throws {
        let server = try LoopbackServer { _ in LoopbackResponse().faulted(.stallBeforeHead) }
        let session = makeSession()
        let request = URLRequest(url: server.url)
        let work = Task {
            switch kind {
            case "data": _ = try await session.data(for: request)
            case "upload": _ = try await session.upload(for: request, from: Data("x".utf8))
            case "download": _ = try await session.download(for: request)
            default: _ = try await session.bytes(for: request)
            }
        }
        try await server.waitForRequests(1, timeout: 40 * patience)
        let start = ContinuousClock.now
        work.cancel()
        let result = await work.result
        // The request's own timeout is longer.
        #expect(ContinuousClock.now - start < .seconds(30))
        #expect(code(of: result) == .cancelled)
        try await server.waitForOpenConnections(atMost: 0, timeout: 40 * patience)
    }

    @Test("A Swift task that is already cancelled sends nothing", arguments: ["data", "bytes"])
    func cancelledBefore(_ kind: String) async throws {
        let server = try LoopbackServer()
        let session = makeSession()
        let work = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            if kind == "data" {
                _ = try await session.data(from: server.url)
            } else {
                _ = try await session.bytes(from: server.url)
            }
        }
        #expect(code(of: await work.result) == .cancelled)
        #expect(server.requestCount == 0)
    }

    @Test("A delegate of the task is called, and the session's only about redirects") func taskDelegate() async throws {
        let server = try LoopbackServer()
        let whole = RecordingDelegate()
        let session = makeSession(whole)
        let own = RecordingDelegate()
        var request = URLRequest(url: server.url("/upload"))
        request.httpMethod = "POST"
        _ = try await session.data(from: server.url("/redirect/2"), delegate: own)
        #expect(own.order.filter { $0 == "redirect" }.count == 2)
        _ = try await session.upload(for: request, from: Data(count: 100_000), delegate: own)
        #expect(own.order.contains("sent"))
        let file = try TemporaryFile(Data(count: 1000))
        _ = try await session.upload(for: request, fromFile: file.url, delegate: own)
        let download = URLRequest(url: server.url("/redirect/1"))
        let (url, _) = try await session.download(for: download, delegate: own)
        try FileManager.default.removeItem(at: url)
        #expect(own.order.filter { $0 == "redirect" }.count == 3)
        #expect(own.violations == [])
        #expect(whole.order == ["redirect", "redirect", "redirect"])
    }

    @Test("A hundred concurrent calls all return the right data") func many() async throws {
        let server = try LoopbackServer()
        let session = makeSession { $0.httpMaximumConnectionsPerHost = 8 }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<100 {
                group.addTask {
                    let (data, _) = try await session.data(from: server.url("/bytes/\(index * 100)"))
                    return data == LoopbackServer.pattern(count: index * 100)
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
        // libcurl may close some of the idle connections while the last calls run.
        #expect(server.connectionCount <= 16)
    }
}
