import FerrySession
import FerryTesting
import TestSupport
import Testing

/// FoundationNetworking's own `async` functions, called on a variable of type `URLSession`.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct SystemAsyncCallTests {
    /// Calls each function, and returns the bodies.
    private func bodies(
        _ session: URLSession,
        _ url: URL,
        delegate: (any URLSessionTaskDelegate)?
    ) async throws -> [String] {
        let request = URLRequest(url: url)
        let post = Wire.request(url, "POST")
        let file = try TemporaryFile(Data("from a file".utf8))
        var bodies = [
            try await session.data(for: request, delegate: delegate).0,
            try await session.data(from: url, delegate: delegate).0,
            try await session.data(for: Wire.request(url, "POST", body: Data("own".utf8)), delegate: delegate).0,
            try await session.upload(for: post, from: Data("given".utf8), delegate: delegate).0,
            try await session.upload(for: post, from: Data(), delegate: delegate).0,
            try await session.upload(for: post, fromFile: file.url, delegate: delegate).0,
        ]
        for location in [
            try await session.download(for: request, delegate: delegate).0,
            try await session.download(from: url, delegate: delegate).0,
        ] {
            bodies.append(try Data(contentsOf: location))
            try FileManager.default.removeItem(at: location)
        }
        return bodies.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns a server that never responds.
    private func stalledServer() throws -> LoopbackServer {
        try LoopbackServer { _ in
            var response = LoopbackResponse.text("never")
            response.fault = .stallBeforeHead
            return response
        }
    }

    @Test("All functions use the engine, with and without a delegate")
    func functions() async throws {
        // Only the engine sends the field of the configuration.
        let server = try LoopbackServer { request in
            .text(
                "\(request.method) \(request.header("X-Session") ?? "none") \(String(decoding: request.body, as: UTF8.self))"
            )
        }
        let session: URLSession = makeSession { $0.httpAdditionalHeaders = ["X-Session": "yes"] }
        let expected = [
            "GET yes ", "GET yes ", "POST yes own", "POST yes given", "POST yes ", "POST yes from a file", "GET yes ",
            "GET yes ",
        ]
        for delegate in [nil, RecordingDelegate(), CredentialDelegate(password: "x")] as [(any URLSessionTaskDelegate)?]
        {
            #expect(try await bodies(session, server.url, delegate: delegate) == expected)
        }
    }

    @Test("A large body arrives whole, and its response is the server's")
    func large() async throws {
        let content = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 / 7) })
        let server = try LoopbackServer { _ in
            LoopbackResponse(
                statusCode: 200,
                headers: ["X-Name": "value", "Content-Type": "text/css"],
                body: .data(content)
            )
        }
        let session: URLSession = makeSession()
        let (data, response) = try await session.data(from: server.url)
        #expect(data == content)
        let http = try #require(response as? HTTPURLResponse)
        #expect(http.value(forHTTPHeaderField: "X-Name") == "value")
        #expect(http.mimeType == "text/css")
        let (file, _) = try await session.download(from: server.url)
        #expect(try Data(contentsOf: file) == content)
        try FileManager.default.removeItem(at: file)
    }

    // MARK: - Delegates

    @Test("A response 401 is delivered without a delegate, and answered by a delegate of the call or of the session")
    func authentication() async throws {
        let server = try LoopbackServer { request in
            request.header("Authorization") == nil
                ? LoopbackResponse(
                    statusCode: 401,
                    headers: ["WWW-Authenticate": "Basic realm=\"x\""],
                    body: .data(Data("refused".utf8))
                ) : .text("welcome")
        }
        let session: URLSession = makeSession()
        let (data, response) = try await session.data(from: server.url)
        #expect(String(decoding: data, as: UTF8.self) == "refused")
        #expect((response as? HTTPURLResponse)?.statusCode == 401)
        let delegate = CredentialDelegate(password: "secret")
        #expect(
            String(decoding: try await session.data(from: server.url, delegate: delegate).0, as: UTF8.self) == "welcome"
        )
        #expect(delegate.count.current == 1)
        let other: URLSession = makeSession(CredentialDelegate(password: "secret"))
        #expect(String(decoding: try await other.data(from: server.url).0, as: UTF8.self) == "welcome")
    }

    @Test("A call's delegate decides about redirects, and credentials do not follow them to another origin")
    func redirects() async throws {
        let other = try LoopbackServer { .text($0.header("Authorization") ?? "none") }
        let server = try LoopbackServer { _ in
            LoopbackResponse(statusCode: 302, headers: ["Location": other.url.absoluteString])
        }
        let session: URLSession = makeSession()
        let request = Wire.request(server.url, headers: ["Authorization": "Bearer secret"])
        #expect(String(decoding: try await session.data(for: request).0, as: UTF8.self) == "none")
        var hooks = DelegateHooks()
        hooks.onRedirect = { _, _, _, answer in answer(nil) }
        let delegate = RecordingDelegate(hooks)
        let (_, response) = try await session.data(for: request, delegate: delegate)
        #expect((response as? HTTPURLResponse)?.statusCode == 302)
        #expect(other.requests.count == 1)
    }

    @Test("A call's delegate for data is told of the response once, before the body, and of what is sent")
    func dataDelegate() async throws {
        let server = try LoopbackServer { _ in .text("hello") }
        let session: URLSession = makeSession()
        let delegate = RecordingDelegate()
        let (data, _) = try await session.upload(
            for: Wire.request(server.url, "POST"),
            from: Data("abc".utf8),
            delegate: delegate
        )
        #expect(String(decoding: data, as: UTF8.self) == "hello")
        #expect(delegate.violations == [])
        #expect(delegate.order.filter { $0 == "response" }.count == 1)
        #expect(delegate.records.values.reduce(into: Data()) { $0 += $1.data } == Data("hello".utf8))
        #expect(delegate.order.contains("sent"))
    }

    // MARK: - Errors and cancellation

    @Test("Errors are those of the session")
    func errors() async throws {
        let session: URLSession = makeSession()
        let port = try ClosedPort()
        let closed = port.url
        let delegates: [(any URLSessionTaskDelegate)?] = [nil, RecordingDelegate()]
        for delegate in delegates {
            #expect(
                await Wire.error { try await session.data(from: closed, delegate: delegate) }?.code
                    == .cannotConnectToHost
            )
            let download = await Wire.error { try await session.download(from: closed, delegate: delegate) }
            #expect(download?.code == .cannotConnectToHost)
        }
        let missing = URL(fileURLWithPath: "/nonexistent/file")
        let upload = await Wire.error { try await session.upload(for: Wire.request(closed, "POST"), fromFile: missing) }
        #expect(upload != nil)
        session.invalidateAndCancel()
        #expect(await Wire.error { try await session.data(from: closed) } != nil)
    }

    @Test("Cancelling the Swift task cancels the call, before and while it is running")
    func cancellation() async throws {
        let server = try stalledServer()
        let session: URLSession = makeSession()
        for waits in [false, true] {
            let call = Task { try await session.data(from: server.url) }
            let download = Task { try await session.download(from: server.url, delegate: RecordingDelegate()) }
            if waits { try await eventually("requests") { server.requests.count >= 2 } }
            call.cancel()
            download.cancel()
            #expect(await Wire.error { try await call.value }?.code == .cancelled)
            #expect(await Wire.error { try await download.value }?.code == .cancelled)
        }
        // The session's tasks are cancelled a moment later.
        let curl = try #require(session as? CurlSession)
        for _ in 0..<2_000 where await !curl.allTasks.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        #expect(await curl.allTasks.isEmpty)
    }

    @Test("Thousands of calls that are cancelled about when they complete all end")
    func storm() async throws {
        let server = try LoopbackServer { _ in .text("hello") }
        let session: URLSession = makeSession { $0.urlCache = nil }
        let outcomes = await withTaskGroup(of: Bool.self) { group in
            for index in 0..<3_000 {
                if index >= 32 { _ = await group.next() }
                group.addTask {
                    let call = Task { try await session.data(from: server.url).0.count }
                    let canceller = Task {
                        try? await Task.sleep(for: .microseconds(Int.random(in: 0...3_000)))
                        call.cancel()
                    }
                    let result = await call.result
                    await canceller.value
                    switch result {
                    case .success(let count): return count == 5
                    case .failure(let error): return (error as? URLError)?.code == .cancelled
                    }
                }
            }
            return await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        #expect(outcomes.allSatisfy { $0 })
        // FoundationNetworking's tasks are not waiting for each other.
        let other = URLSession(configuration: .ephemeral)
        #expect(try await other.data(from: server.url).0.count == 5)
        other.invalidateAndCancel()
    }

    @Test("Hundreds of calls at the same time, each with its own result")
    func concurrency() async throws {
        let server = try LoopbackServer { .text($0.target) }
        let session: URLSession = makeSession()
        let delegate = RecordingDelegate(isSerial: false)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<300 {
                let url = server.url("/\(index)")
                group.addTask {
                    let data =
                        switch index % 3 {
                        case 0: try await session.data(from: url).0
                        case 1: try await session.data(from: url, delegate: delegate).0
                        default: try await session.upload(for: Wire.request(url, "POST"), from: Data("x".utf8)).0
                        }
                    #expect(String(decoding: data, as: UTF8.self) == "/\(index)")
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("Invalidating the session ends its calls")
    func invalidation() async throws {
        let server = try stalledServer()
        let session: URLSession = makeSession()
        let calls = (0..<4).map { index in
            Task { () throws -> Void in
                if index % 2 == 0 {
                    _ = try await session.data(from: server.url)
                } else {
                    _ = try await session.download(from: server.url)
                }
            }
        }
        try await eventually("requests") { server.requests.count >= 4 }
        session.invalidateAndCancel()
        for call in calls { #expect(await Wire.error { try await call.value }?.code == .cancelled) }
    }

    @Test("A call's request is loaded by the protocol class of the configuration")
    func protocolClass() async throws {
        let session: URLSession = makeSession { $0.protocolClasses = [EchoProtocol.self] }
        let url = try #require(URL(string: "echo://host/path"))
        #expect(String(decoding: try await session.data(from: url).0, as: UTF8.self) == "echo://host/path")
    }

    /// Responds with the URL of the request.
    private final class EchoProtocol: URLProtocol {
        override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "echo" }
        override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
        override func stopLoading() {}

        override func startLoading() {
            guard let url = request.url else { return }
            let response = URLResponse(url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil)
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            client?.urlProtocol(self, didLoad: Data(url.absoluteString.utf8))
            client?.urlProtocolDidFinishLoading(self)
        }
    }

    @Test("A call ends even if the delegate queue is busy, as URLSession's do")
    func busyQueue() async throws {
        let server = try LoopbackServer { _ in .text("hello") }
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let session: URLSession = makeSession(queue: queue)
        #expect(try await session.data(from: server.url).0.count == 5)
        let (file, _) = try await session.download(from: server.url)
        try FileManager.default.removeItem(at: file)
    }

    @Test("Nothing keeps a session after its calls")
    func lifetime() async throws {
        let server = try LoopbackServer { _ in .text("hello") }
        weak var freed: CurlSession?
        // A delegate that keeps the tasks that it is passed.
        let kept = Watched<[URLSessionTask]>([])
        var hooks = DelegateHooks()
        hooks.onData = { task, _ in kept.change { $0.append(task) } }
        let keeper = RecordingDelegate(hooks)
        do {
            let session = makeSession()
            freed = session
            let base: URLSession = session
            let delegate: (any URLSessionTaskDelegate)? = keeper
            _ = try await base.data(from: server.url, delegate: delegate)
            let (file, _) = try await base.download(from: server.url)
            try FileManager.default.removeItem(at: file)
            let call = Task { try await base.data(from: server.url) }
            call.cancel()
            _ = await call.result
        }
        #expect(kept.current.count == 1)
        try await eventually("the session is freed") { freed == nil }
    }

    @Test("An interceptor may use FoundationNetworking's tasks")
    func interceptor() async throws {
        let server = try LoopbackServer { _ in .text("hello") }
        let plain = URLSession(configuration: .ephemeral)
        let logged = Watched(0)
        struct Logging: ImmediateRequestInterceptor {
            let log: @Sendable () -> Void

            func adaptImmediately(_ request: inout AdaptedRequest, for attempt: RequestAttempt) -> Bool {
                log()
                return true
            }
        }
        var options = CurlSession.Options()
        options.interceptors = [
            Logging { plain.dataTask(with: server.url) { _, _, _ in logged.change { $0 += 1 } }.resume() }
        ]
        let session: URLSession = makeSession(options: options)
        #expect(try await session.data(from: server.url).0.count == 5)
        try await logged.wait { $0 == 1 }
        plain.invalidateAndCancel()
    }

    @Test("A challenge that FoundationNetworking does not answer stays in the response")
    func bearerChallenge() async throws {
        let server = try LoopbackServer { request in
            let scheme = request.path == "/basic" ? "Basic" : "Bearer"
            return LoopbackResponse(statusCode: 401, headers: ["WWW-Authenticate": "\(scheme) realm=\"x\""])
        }
        let session: URLSession = makeSession()
        for path in ["/basic", "/bearer"] {
            let (_, response) = try await session.data(from: server.url(path))
            let http = try #require(response as? HTTPURLResponse)
            #expect((http.value(forHTTPHeaderField: "WWW-Authenticate") != nil) == (path == "/bearer"))
        }
    }

    @Test("Every one of thousands of calls uses the engine, beside a session that was made with the configuration")
    func everyCall() async throws {
        let server = try LoopbackServer { .text($0.header("X-Session") ?? "none") }
        // With the default cache, which FoundationNetworking would ask on another queue.
        let session: URLSession = makeSession { $0.httpAdditionalHeaders = ["X-Session": "yes"] }
        let other = URLSession(configuration: session.configuration)
        let bodies = Watched<Set<String>>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<2_000 {
                if index >= 48 { try await group.next() }
                group.addTask {
                    if index % 20 == 0 {
                        #expect(try await other.data(from: server.url).1 is HTTPURLResponse)
                    } else {
                        let (data, _) = try await session.data(from: server.url("/\(index)"))
                        bodies.change { _ = $0.insert(String(decoding: data, as: UTF8.self)) }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(bodies.current == ["yes"])
        other.invalidateAndCancel()
    }

    @Test("Another session can be made with the configuration")
    func configuration() async throws {
        let server = try LoopbackServer { .text($0.header("X-Session") ?? "none") }
        let session: URLSession = makeSession { $0.httpAdditionalHeaders = ["X-Session": "yes"] }
        let other = URLSession(configuration: session.configuration)
        for _ in 0..<3 {
            #expect(String(decoding: try await session.data(from: server.url).0, as: UTF8.self) == "yes")
            #expect(try await other.data(from: server.url).1 is HTTPURLResponse)
        }
        #expect(session.configuration.protocolClasses?.isEmpty == false)
        other.invalidateAndCancel()
    }

    @Test("Tasks made through a URLSession variable are Ferry's") func tasks() async throws {
        let server = try LoopbackServer()
        let session: URLSession = makeSession()
        let outcome = Watched<[Outcome<Data>]>([])
        session.dataTask(with: server.url("/bytes/10")) { outcome.append(Outcome($0, $1, $2)) }.resume()
        #expect(try await outcome.first().value?.count == 10)
        #expect(session.dataTask(with: server.url) is CurlDataTask)
        #expect(session.downloadTask(with: server.url) is CurlDownloadTask)
        #expect(session.uploadTask(with: URLRequest(url: server.url), from: Data()) is CurlUploadTask)
    }

    @Test("WebSocket tasks fail cleanly", arguments: ["resumed", "cancelled", "closed"])
    func webSocket(_ how: String) async throws {
        let server = try LoopbackServer()
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        var components = try #require(URLComponents(url: server.url, resolvingAgainstBaseURL: false))
        components.scheme = "ws"
        let url = try #require(components.url)
        let base: URLSession = session
        let tasks = [
            base.webSocketTask(with: url), base.webSocketTask(with: url, protocols: ["chat"]),
            base.webSocketTask(with: URLRequest(url: url)),
        ]
        for task in tasks {
            task.resume()
            if how == "cancelled" { task.cancel() }
            if how == "closed" { task.cancel(with: .goingAway, reason: nil) }
            await #expect(throws: URLError.self) { try await task.send(.string("hello")) }
            await #expect(throws: URLError.self) { try await task.receive() }
            await #expect(throws: URLError.self) { try await task.sendPing() }
            try await eventually("completion") { task.state == .completed }
        }
        #expect(server.connectionCount == 0)
        #expect(delegate.order == [])
        #expect(await session.allTasks == [])
    }
}
