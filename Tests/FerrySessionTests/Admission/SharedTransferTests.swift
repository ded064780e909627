import FerrySession
import FerryTesting
import TestSupport
import Testing

/// Identical requests that share one transfer.
@Suite(.timeLimit(.minutes(5)))
struct SharedTransferTests {
    private func options(_ change: (inout CurlSession.Options) -> Void = { _ in }) -> CurlSession.Options {
        var options = CurlSession.Options()
        options.coalescesIdenticalRequests = true
        change(&options)
        return options
    }

    /// Returns tasks of which all but the first wait for the response to the first, which waits at the gate.
    private func start(
        _ count: Int,
        _ url: URL,
        in session: CurlSession,
        _ delegate: RecordingDelegate,
        at gate: Gate
    ) async throws -> [URLSessionDataTask] {
        let tasks = (0..<count).map { _ in session.dataTask(with: url) }
        for task in tasks { task.resume() }
        try await eventually("the first request") { gate.arrived > 0 }
        try await session.overtake()
        return tasks
    }

    // MARK: - One transfer

    @Test("A thousand identical requests at a time are one request, and each task has the whole response")
    func one() async throws {
        let gate = Gate()
        let body = LoopbackServer.pattern(count: 100_000)
        let server = try LoopbackServer { _ in .gated(gate, first: 50_000, of: 100_000, etag: "\"1\"") }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate, options: options())
        let tasks = try await start(1_000, server.url, in: session, delegate, at: gate)
        #expect(server.requestCount == 1)
        gate.open()
        for task in tasks {
            let record = try await delegate.completion(of: task)
            #expect(record.data == body)
            #expect(record.error == nil)
            #expect(record.response?.value(forHTTPHeaderField: "ETag") == "\"1\"")
            #expect(record.completions == 1)
        }
        #expect(server.requestCount == 1)
        #expect(delegate.violations == [])
        #expect(tasks.filter { $0.metrics?.transactions.last?.isShared == true }.count == 999)
        #expect(tasks[0].metrics?.transactions.last?.isShared == false)
        // The next one is a new request.
        #expect(try await delegate.run(session.dataTask(with: server.url)).data == body)
        #expect(server.requestCount == 2)
    }

    @Test("A body that ends early although its message is complete is the failure of one task")
    func bodyEndsEarly() async throws {
        let gate = Gate()
        let body = Gzip.encode(LoopbackServer.pattern(count: 10_000))
        let server = try LoopbackServer { _ in
            let isFirst = gate.arrived == 0
            gate.wait()
            return LoopbackResponse(body: .data(isFirst ? body.dropLast(20) : body)).adding("Content-Encoding", "gzip")
        }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate, options: options())
        let tasks = try await start(5, server.url, in: session, delegate, at: gate)
        gate.open()
        var failures: [URLError.Code] = []
        for task in tasks {
            let record = try await delegate.completion(of: task)
            if let code = record.error?.code { failures.append(code) } else { #expect(record.data.count == 10_000) }
        }
        #expect(failures == [.cannotDecodeContentData])
    }

    @Test("Handlers, async callers and downloads share a transfer too, with decoded bodies and trailers")
    func kinds() async throws {
        let gate = Gate()
        let server = try LoopbackServer { request in
            gate.wait()
            return LoopbackResponse(
                headers: ["Content-Encoding": "identity"],
                body: .chunked([Data("one".utf8), Data("two".utf8)], trailers: ["X-Sum": "6"])
            )
        }
        let session = makeSession(options: options())
        async let first = session.data(from: server.url)
        try await eventually("the first request") { gate.arrived == 1 }
        async let second = session.data(from: server.url)
        async let file = session.download(from: server.url)
        let handled = Watched<[Data?]>([])
        session.dataTask(with: server.url) { data, _, _ in handled.append(data) }.resume()
        while await session.allTasks.filter({ $0.state == .running }).count < 4 {
            try await Task.sleep(for: .milliseconds(5))
        }
        try await session.overtake()
        gate.open()
        #expect(try await handled.first() == Data("onetwo".utf8))
        for (data, response) in try await [first, second] {
            #expect(data == Data("onetwo".utf8))
            #expect((response as? HTTPURLResponse)?.receivedTrailers.map(\.value) == ["6"])
        }
        let (url, _) = try await file
        #expect(try Data(contentsOf: url) == Data("onetwo".utf8))
        try FileManager.default.removeItem(at: url)
        #expect(server.requestCount == 1)
    }

    @Test("A stream does not wait for an identical one, which may stay open for any time")
    func streams() async throws {
        let server = try LoopbackServer { _ in .pattern(count: 200_000).faulted(.stall(afterBodyBytes: 1_000)) }
        let session = makeSession(options: options())
        let request = URLRequest(url: server.url, timeoutInterval: 10)
        let (first, _) = try await session.bytes(for: request)
        let (second, _) = try await session.bytes(for: request)
        for bytes in [first, second] {
            for try await byte in bytes {
                #expect(byte == LoopbackServer.pattern(count: 1).first)
                break
            }
        }
        #expect(server.requestCount == 2)
    }

    @Test("A redirect is shared as well, and each task asks its delegate about it")
    func redirects() async throws {
        let gate = Gate()
        let server = try LoopbackServer { request in
            if request.path == "/end" { return .text("end") }
            gate.wait()
            return .redirect(to: "/end")
        }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate, options: options())
        let tasks = try await start(20, server.url("/begin"), in: session, delegate, at: gate)
        gate.open()
        for task in tasks {
            let record = try await delegate.completion(of: task)
            #expect(record.text == "end")
            #expect(record.names.contains("redirect"))
        }
        #expect(server.requests.filter { $0.path == "/begin" }.count == 1)
        #expect(delegate.violations == [])
    }

    // MARK: - Separate transfers

    @Test("Requests that differ in anything are separate")
    func differences() async throws {
        let gate = Gate()
        let server = try LoopbackServer { _ in
            gate.wait()
            return .text("")
        }
        let session = makeSession(options: options { $0.maximumConnectionsPerHost = 30 })
        var requests = [
            URLRequest(url: server.url("/a")), URLRequest(url: server.url("/b")), URLRequest(url: server.url("/a?x")),
        ]
        for change: (inout URLRequest) -> Void in [
            { $0.setValue("text/plain", forHTTPHeaderField: "Accept") },
            { $0.setValue("Bearer one", forHTTPHeaderField: "Authorization") },
            { $0.setValue("Bearer two", forHTTPHeaderField: "Authorization") },
            { $0.setValue("a=b", forHTTPHeaderField: "Cookie") },
            { $0.setValue("bytes=0-1", forHTTPHeaderField: "Range") },
            { $0.cachePolicy = .reloadIgnoringLocalAndRemoteCacheData },
            { $0.timeoutInterval = 50 },
            { $0.httpMethod = "HEAD" },
            { $0.httpMethod = "OPTIONS" },
        ] {
            var request = URLRequest(url: server.url("/a"))
            change(&request)
            requests.append(request)
        }
        let tasks = requests.map { session.dataTask(with: $0) }
        for task in tasks { task.resume() }
        try await eventually("all requests") { gate.arrived == requests.count }
        gate.open()
    }

    @Test("Requests with bodies and without the option are never shared")
    func never() async throws {
        let gate = Gate()
        let server = try LoopbackServer { _ in
            gate.wait()
            return .text("")
        }
        let sharing = makeSession(options: options())
        var post = URLRequest(url: server.url)
        post.httpMethod = "POST"
        post.httpBody = Data("x".utf8)
        for _ in 0..<2 { sharing.dataTask(with: post).resume() }
        let plain = makeSession()
        for _ in 0..<2 { plain.dataTask(with: server.url).resume() }
        try await eventually("all requests") { gate.arrived == 4 }
        gate.open()
    }

    @Test("After a POST has begun or ended, no request waits for an earlier one")
    func unsafe() async throws {
        let gate = Gate()
        let server = try LoopbackServer { request in
            if request.path == "/gated" { gate.wait() }
            return .text("\(request.method)")
        }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate, options: options())
        let before = try await start(2, server.url("/gated"), in: session, delegate, at: gate)
        #expect(gate.arrived == 1)
        var post = URLRequest(url: server.url("/change"))
        post.httpMethod = "POST"
        _ = try await delegate.run(session.dataTask(with: post))
        let after = session.dataTask(with: server.url("/gated"))
        after.resume()
        try await eventually("the second request") { gate.arrived == 2 }
        gate.open()
        for task in before + [after] { #expect(try await delegate.completion(of: task).text == "GET") }
        #expect(server.requests.filter { $0.path == "/gated" }.count == 2)
    }

    @Test("A body of more than a mebibyte is requested by each task", arguments: [true, false])
    func largeBody(_ isAnnounced: Bool) async throws {
        let count = 1_048_577
        let gate = Gate()
        let server = try LoopbackServer { _ in
            gate.wait()
            let body = LoopbackServer.pattern(count: count)
            return isAnnounced ? .data(body) : LoopbackResponse(body: .chunked([body]))
        }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate, options: options())
        let tasks = try await start(3, server.url, in: session, delegate, at: gate)
        gate.open()
        for task in tasks { #expect(try await delegate.completion(of: task).data.count == count) }
        #expect(server.requestCount == 3)
        #expect(delegate.violations == [])
    }

    @Test("After a challenge each task has its own request and is asked for its own credential")
    func challenges() async throws {
        let gate = Gate()
        let server = try LoopbackServer { request in
            guard request.headers["Authorization"] != nil else {
                gate.wait()
                return .status(401, headers: ["WWW-Authenticate": "Basic realm=\"r\""])
            }
            return .text("in")
        }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate, options: options()) { $0.urlCredentialStorage = nil }
        let tasks = try await start(5, server.url, in: session, delegate, at: gate)
        gate.open()
        for task in tasks { #expect(try await delegate.completion(of: task).status == 401) }
        #expect(server.requestCount == 5)
    }

    @Test("After a POST that redirects, its GET does not wait for an earlier one")
    func unsafeRedirect() async throws {
        let gate = Gate()
        let server = try LoopbackServer { request in
            if request.method == "POST" { return .redirect(to: "/items", statusCode: 303) }
            let isFirst = gate.arrived == 0
            if isFirst { gate.wait() }
            return .text(isFirst ? "before" : "after")
        }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate, options: options())
        var post = URLRequest(url: server.url("/change"))
        post.httpMethod = "POST"
        let posting = session.dataTask(with: post)
        let early = session.dataTask(with: server.url("/items"))
        let hooked = try await start(1, server.url("/items"), in: session, delegate, at: gate)
        early.resume()
        posting.resume()
        #expect(try await delegate.completion(of: posting).text == "after")
        gate.open()
        for task in hooked + [early] { #expect(try await delegate.completion(of: task).text == "before") }
    }

    @Test("A redirect with a large body is not shared, so no task waits for another's decision")
    func largeRedirect() async throws {
        let (gate, asked) = (Gate(), Watched(0))
        let server = try LoopbackServer { request in
            if request.path == "/end" { return .text("end") }
            gate.wait()
            var response = LoopbackResponse.pattern(count: 200_000)
            response.statusCode = 302
            response.headers.add("Location", "/end")
            return response
        }
        var hooks = DelegateHooks()
        let never = Watched<[@Sendable (URLRequest?) -> Void]>([])
        hooks.onRedirect = { _, _, request, answer in
            let isFirst = asked.change { count in
                defer { count += 1 }
                return count == 0
            }
            if isFirst { never.change { $0.append(answer) } } else { answer(request) }
        }
        let delegate = RecordingDelegate(hooks)
        let session = makeSession(delegate, options: options())
        let tasks = try await start(2, server.url("/begin"), in: session, delegate, at: gate)
        gate.open()
        try await eventually("one of them") { tasks.contains { delegate[$0].completions == 1 } }
        never.current.first?(nil)
        for task in tasks { _ = try await delegate.completion(of: task) }
    }

    // MARK: - Failures and cancellation

    @Test("Cancelling any of the tasks, also the first, leaves the response to the others")
    func cancellation() async throws {
        let gate = Gate()
        let server = try LoopbackServer { _ in .gated(gate, first: 10, of: 20) }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate, options: options())
        let tasks = try await start(6, server.url, in: session, delegate, at: gate)
        tasks[3].cancel()
        #expect(try await delegate.completion(of: tasks[3]).error?.code == .cancelled)
        #expect(server.requestCount == 1)
        tasks[0].cancel()
        #expect(try await delegate.completion(of: tasks[0]).error?.code == .cancelled)
        try await eventually("the request of the next task") { gate.arrived == 2 }
        try await session.overtake()
        #expect(server.requestCount == 2)
        gate.open()
        for task in [1, 2, 4, 5].map({ tasks[$0] }) {
            #expect(try await delegate.completion(of: task).data == LoopbackServer.pattern(count: 20))
        }
        #expect(server.requestCount == 2)
        #expect(delegate.violations == [])
    }

    @Test("If the first task is suspended, the next one takes its place; a suspended one that waits hinders none")
    func suspension() async throws {
        let gate = Gate()
        let server = try LoopbackServer { _ in .gated(gate, first: 10, of: 20) }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate, options: options())
        let tasks = try await start(4, server.url, in: session, delegate, at: gate)
        tasks[2].suspend()
        tasks[0].suspend()
        try await eventually("the request of the next task") { gate.arrived == 2 }
        gate.open()
        for index in [1, 3] { #expect(try await delegate.completion(of: tasks[index]).data.count == 20) }
        for index in [0, 2] {
            #expect(delegate[tasks[index]].completions == 0)
            tasks[index].resume()
            #expect(try await delegate.completion(of: tasks[index]).data == LoopbackServer.pattern(count: 20))
        }
        #expect(delegate.violations == [])
    }

    @Test("A failure of the network is that of all tasks, and a retry policy retries each")
    func failure() async throws {
        for hasPolicy in [false, true] {
            let (gate, count) = (Gate(), Watched(0))
            let server = try LoopbackServer { _ in
                gate.wait()
                let isFirst = count.change { count in
                    defer { count += 1 }
                    return count == 0
                }
                return isFirst ? LoopbackResponse.text("gone").faulted(.closeBeforeHead) : .text("back")
            }
            let delegate = RecordingDelegate()
            let session = makeSession(
                delegate,
                options: options {
                    $0.retryPolicy = hasPolicy ? .standard : nil
                    $0.retryPolicy?.backoff = .init(base: 0.01)
                }
            )
            var request = URLRequest(url: server.url)
            // libcurl itself repeats a request on a connection that was used before.
            request.setValue("close", forHTTPHeaderField: "Connection")
            let tasks = (0..<5).map { _ in session.dataTask(with: request) }
            for task in tasks { task.resume() }
            try await eventually("the first request") { gate.arrived > 0 }
            try await session.overtake()
            gate.open()
            for task in tasks {
                let record = try await delegate.completion(of: task)
                if hasPolicy {
                    #expect(record.text == "back")
                } else {
                    #expect(record.error?.code == .networkConnectionLost)
                }
            }
            #expect(delegate.violations == [])
            if !hasPolicy { #expect(server.requestCount == 1) }
        }
    }

    @Test("Tasks do not wait until the first one's delegate has taken its body")
    func slowDelegate() async throws {
        let gate = Gate()
        let count = 900_000
        let server = try LoopbackServer { _ in
            gate.wait()
            return .pattern(count: count)
        }
        let blocked = Gate()
        var hooks = DelegateHooks()
        hooks.onData = { _, _ in if !blocked.isOpen { blocked.wait() } }
        let delegate = RecordingDelegate(hooks)
        let session = makeSession(delegate, options: options())
        let tasks = try await start(2, server.url, in: session, delegate, at: gate)
        #expect(server.requestCount == 1)
        gate.open()
        // While the delegate queue is blocked.
        try await eventually("the response") { tasks[1].metrics?.transactions.last?.isShared == true }
        blocked.open()
        for task in tasks { #expect(try await delegate.completion(of: task).data.count == count) }
        #expect(server.requestCount == 1)
    }

    @Test("Storms of identical requests, cancels and suspensions complete each task once")
    func storm() async throws {
        let seed = SeededGenerator.seed()
        var random = SeededGenerator(seed)
        let count = Watched(0)
        let server = try LoopbackServer { _ in
            let number = count.change { count in
                count += 1
                return count
            }
            if number % 7 == 0 { return .text("").faulted(.closeBeforeHead) }
            return .pattern(count: 30_000).throttled(bytesPerSecond: 3_000_000)
        }
        let delegate = RecordingDelegate()
        let session = makeSession(
            delegate,
            options: options {
                $0.limits = RequestLimits(maximumInFlight: 5)
                $0.retryPolicy = .standard
                $0.retryPolicy?.backoff = .init(base: 0.001)
                $0.retryPolicy?.maximumRetries = 50
                $0.retryPolicy?.budget = nil
            }
        )
        var kept: [URLSessionDataTask] = []
        for _ in 0..<600 {
            let task = session.dataTask(with: server.url("/\(Int.random(in: 0..<3, using: &random))"))
            task.resume()
            switch Int.random(in: 0..<6, using: &random) {
            case 0: task.cancel()
            case 1:
                task.suspend()
                task.resume()
            case 2: try await Task.sleep(for: .milliseconds(1))
            default: break
            }
            kept.append(task)
        }
        for task in kept {
            let record = try await delegate.completion(of: task)
            #expect(record.completions == 1, "seed \(seed)")
            if record.error?.code != .cancelled {
                #expect(record.data == LoopbackServer.pattern(count: 30_000), "seed \(seed)")
            }
        }
        #expect(delegate.violations == [], "seed \(seed)")
        #expect(server.requestCount < 600, "seed \(seed)")
    }
}
