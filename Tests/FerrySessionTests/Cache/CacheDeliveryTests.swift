import FerrySession
import FerryTesting
import Testing

/// How responses are delivered from the cache, and stored from the network.
@Suite(.timeLimit(.minutes(5))) struct CacheDeliveryTests {
    static let body = LoopbackServer.pattern(count: 3_000_000)

    /// A server with one large response, and a cache that keeps it on disk.
    private func large(_ folder: TemporaryFolder, _ delegate: (any URLSessionDelegate)? = nil) throws -> CacheBench {
        let cache = HTTPCache(diskCapacity: 100_000_000, directory: folder.url)
        return try CacheBench(cache: cache, delegate: delegate) { _, _ in
            .data(Self.body).adding("Cache-Control", "max-age=600")
        }
    }

    private func run(
        _ session: CurlSession,
        _ request: URLRequest,
        _ delegate: RecordingDelegate
    ) async throws -> (
        TaskRecord, URLSessionTask
    ) {
        let task = session.dataTask(with: request)
        task.resume()
        return (try await delegate.completion(of: task), task)
    }

    @Test("A delegate is called for a stored response like for any other") func delegate() async throws {
        let delegate = RecordingDelegate()
        let bench = try CacheBench(delegate: delegate) { _, _ in .text("body").adding("Cache-Control", "max-age=60") }
        let (first, _) = try await run(bench.session, bench.request(), delegate)
        let (second, task) = try await run(bench.session, bench.request(), delegate)
        #expect(first.events == second.events)
        #expect(second.data == Data("body".utf8) && second.error == nil)
        #expect(delegate.violations == [] && bench.count == 1)
        let metrics = try #require(task.metrics)
        #expect(metrics.transactions.map(\.isFromCache) == [true])
        #expect(metrics.transactions.first?.statusCode == 200)
        #expect(task.countOfBytesReceived == 4 && task.countOfBytesExpectedToReceive == 4)
        #expect(task.progress.fractionCompleted == 1 && task.currentRequest?.url == bench.server.url("/"))
    }

    @Test("Handlers, async functions and byte streams receive stored responses, small and large")
    func faces() async throws {
        let folder = try TemporaryFolder()
        let bench = try large(folder)
        let url = bench.server.url("/")
        for _ in 0..<2 {
            #expect(try await bench.session.data(from: url).0 == Self.body)
            let outcome = Watched<[Data?]>([])
            bench.session.dataTask(with: url) { data, _, _ in outcome.append(data) }.resume()
            #expect(try await outcome.first() == Self.body)
            let (bytes, response) = try await bench.session.bytes(from: url)
            var data = Data()
            for try await chunk in bytes.chunks { data.append(chunk) }
            #expect(data == Self.body && response.expectedContentLength == Int64(Self.body.count))
        }
        #expect(bench.count == 1)
    }

    @Test("A stored body waits for a slow reader, and ends with a reader that stops") func backPressure() async throws {
        let folder = try TemporaryFolder()
        let bench = try large(folder)
        let url = bench.server.url("/")
        _ = try await bench.session.data(from: url)
        let (bytes, _) = try await bench.session.bytes(from: url)
        let task = bytes.task
        let received = try await settled { Int(task.countOfBytesReceived) }
        #expect(received > 0 && received < Self.body.count)
        var data = Data()
        for try await chunk in bytes.chunks { data.append(chunk) }
        #expect(data == Self.body)
        do {
            let (dropped, _) = try await bench.session.bytes(from: url)
            var chunks = dropped.chunks.makeAsyncIterator()
            #expect(try await chunks.next()?.isEmpty == false)
        }
        try await eventuallyAsync("the end") { await bench.session.allTasks.isEmpty }
        #expect(bench.count == 1)
    }

    @Test("Suspending pauses a stored response, resuming continues it, cancelling ends it")
    func suspension() async throws {
        let folder = try TemporaryFolder()
        let gate = Gate()
        var hooks = DelegateHooks()
        hooks.onData = { task, _ in if gate.isOpen { task.suspend() } }
        let delegate = RecordingDelegate(hooks)
        let bench = try large(folder, delegate)
        _ = try await run(bench.session, bench.request(), delegate)
        gate.open()
        let task = bench.session.dataTask(with: bench.request())
        task.resume()
        while delegate[task].completions == 0 {
            try await eventually("a suspension") { task.state != .running }
            task.resume()
        }
        #expect(delegate[task].data == Self.body && delegate[task].error == nil)
        let cancelled = bench.session.dataTask(with: bench.request())
        cancelled.resume()
        try await eventually("a suspension") { cancelled.state == .suspended }
        cancelled.cancel()
        #expect(try await delegate.completion(of: cancelled).error?.code == .cancelled)
        #expect(delegate[cancelled].data.count < Self.body.count)
        #expect(delegate.violations == [] && bench.count == 1)
    }

    @Test("A disposition applies to a stored response: cancel, or become a download") func disposition() async throws {
        let folder = try TemporaryFolder()
        let answer = Watched(URLSession.ResponseDisposition.allow)
        let files = Watched<[URLSessionDownloadTask]>([])
        var hooks = DelegateHooks()
        hooks.onResponse = { _, _, completion in completion(answer.current) }
        hooks.onBecome = { _, download in files.append(download) }
        let delegate = RecordingDelegate(hooks)
        let bench = try large(folder, delegate)
        _ = try await run(bench.session, bench.request(), delegate)
        answer.change { $0 = .cancel }
        let (cancelled, _) = try await run(bench.session, bench.request(), delegate)
        #expect(cancelled.error?.code == .cancelled && cancelled.data.isEmpty)
        let becomeDownload = try #require(URLSession.ResponseDisposition(rawValue: 2))
        answer.change { $0 = becomeDownload }
        bench.session.dataTask(with: bench.request()).resume()
        let download = try await files.first()
        #expect(try await delegate.completion(of: download).file == Self.body)
        #expect(bench.count == 1)
    }

    @Test("A stored response needs no connection slot") func slot() async throws {
        let gate = Gate()
        let bench = try CacheBench(connections: 1) { request, _ in
            if request.path == "/slow" { return .stream { gate.wait($0) } }
            return .text("fast").adding("Cache-Control", "max-age=60")
        }
        _ = try await bench.fetch("/fast")
        let slow = Task { try await bench.fetch("/slow") }
        try await eventually("the slow one") { gate.arrived == 1 }
        #expect(try await bench.fetch("/fast").text == "fast")
        #expect(!gate.isOpen)
        gate.open()
        _ = try await slow.value
    }

    // MARK: - What is stored

    @Test("A truncated, cancelled or too large body is not stored", arguments: ["cut", "cancelled", "too large"])
    func incomplete(_ what: String) async throws {
        let folder = try TemporaryFolder()
        let gate = Gate()
        let size = 500_000
        let cache = HTTPCache(
            memoryCapacity: 0,
            diskCapacity: what == "too large" ? 1_000_000 : 100_000_000,
            directory: folder.url
        )
        let bench = try CacheBench(cache: cache) { _, number in
            var response = LoopbackResponse.gated(gate, first: 300_000, of: size, closes: what == "cut" && number == 1)
            response.headers.add("Cache-Control", "max-age=60")
            return response
        }
        let task = bench.session.dataTask(with: bench.request()) { _, _, _ in }
        task.resume()
        try await eventually("the first part") { gate.arrived == 1 && task.countOfBytesReceived >= 300_000 }
        if what == "cancelled" {
            task.cancel()
            // Otherwise the rest could arrive before the engine cancels, and a complete body is stored.
            try await eventually("the cancellation") { task.state == .completed }
        }
        gate.open()
        try await eventually("the end") { task.state == .completed }
        try await eventually("no file") { CacheSamples.files(folder).isEmpty }
        #expect(try await bench.fetch().data == LoopbackServer.pattern(count: size))
        #expect(bench.count == 2)
    }

    @Test("A response that is too large removes the older one", arguments: [true, false])
    func outgrown(_ tellsLength: Bool) async throws {
        let bench = try CacheBench(cache: HTTPCache(memoryCapacity: 100_000)) { _, number in
            let body = LoopbackServer.pattern(count: number == 2 ? 50_000 : 10)
            let response = tellsLength ? LoopbackResponse.data(body) : .stream { $0.write(body) }
            return response.adding("Cache-Control", "max-age=60")
        }
        _ = try await bench.fetch()
        #expect(try await bench.fetch(policy: .reloadIgnoringLocalCacheData).data.count == 50_000)
        #expect(try await bench.fetch().data.count == 10)
        #expect(bench.count == 3)
    }

    @Test("A coded body is stored as it was delivered") func gzip() async throws {
        let server = try LoopbackServer(routes: [
            LoopbackRoute("GET", "/coded") { request in
                var gzip = request
                (gzip.path, gzip.target) = ("/gzip", "/gzip?bytes=100000")
                return LoopbackServer.standardRoutes(gzip).adding("Cache-Control", "max-age=60")
                    .adding("Vary", "Accept-Encoding")
            }
        ])
        let cache = HTTPCache()
        let session = CacheBench.session(cache)
        let (first, response) = try await session.data(from: server.url("/coded"))
        let (second, stored) = try await session.data(from: server.url("/coded"))
        #expect(first == LoopbackServer.pattern(count: 100_000) && second == first && server.requestCount == 1)
        for response in [response, stored] {
            #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Encoding") == "gzip")
            #expect(response.expectedContentLength == NSURLSessionTransferSizeUnknown)
        }
        // A session without decoding receives the coded bytes.
        var options = CurlSession.Options()
        options.cache = cache
        options.decodesContent = false
        let plain = makeSession(options: options) { $0.urlCache = nil }
        var request = URLRequest(url: server.url("/coded"))
        request.setValue(server.requests.last?.header("Accept-Encoding"), forHTTPHeaderField: "Accept-Encoding")
        let (coded, _) = try await plain.data(for: request)
        #expect(coded.starts(with: [0x1F, 0x8B]) && server.requestCount == 2)
    }

    // MARK: - Redirects

    @Test("A stored redirect is followed from the cache only if it is fresh", arguments: [301, 302])
    func redirection(_ status: Int) async throws {
        let delegate = RecordingDelegate()
        let bench = try CacheBench(delegate: delegate) { request, _ in
            if request.path == "/target" { return .text("target").adding("Cache-Control", "max-age=60") }
            let response = LoopbackResponse.redirect(to: "/target", statusCode: status)
            return status == 301 ? response.adding("Cache-Control", "max-age=60") : response
        }
        for _ in 0..<2 {
            let (record, task) = try await run(bench.session, bench.request("/start"), delegate)
            #expect(record.data == Data("target".utf8))
            #expect(record.events.first == .redirect(status, bench.server.url("/target")))
            #expect(task.metrics?.redirectCount == 1)
        }
        #expect(
            bench.server.requests.map(\.path)
                == (status == 301 ? ["/start", "/target"] : ["/start", "/target", "/start"])
        )
        #expect(delegate.violations == [])
    }

    @Test("A stored redirect that the delegate refuses is delivered with its body") func refused() async throws {
        let bench = try CacheBench { _, _ in
            var response = LoopbackResponse.text("moved", statusCode: 301)
            response.headers.add("Location", "/target")
            return response.adding("Cache-Control", "max-age=60")
        }
        var hooks = DelegateHooks()
        hooks.onRedirect = { _, _, _, completion in completion(nil) }
        let delegate = RecordingDelegate(hooks)
        let session = CacheBench.session(bench.cache, delegate)
        for _ in 0..<2 {
            let (record, _) = try await run(session, bench.request(), delegate)
            #expect(record.data == Data("moved".utf8) && record.events.contains(.response(301)))
        }
        #expect(bench.count == 1)
    }
}
