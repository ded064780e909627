import FerryAssets
import FerryTesting
import Foundation
import Testing

@Suite("Asset downloads")
struct AssetDownloaderTests {
    /// A server that responds only once the test opens its gate.
    final class GatedServer: Sendable {
        let gate = Gate()
        let server: LoopbackServer

        init(isOpen: Bool = false) throws {
            if isOpen { gate.open() }
            let gate = gate
            server = try LoopbackServer { request in
                gate.wait()
                return LoopbackResponse(body: .data(Data(request.path.utf8)))
            }
        }

        func request(_ path: String) -> URLRequest { URLRequest(url: server.url.appendingPathComponent(path)) }

        var paths: [String] { server.requests.map(\.path) }
    }

    private func downloader(
        cache: AutoPurgingCache<Data>? = nil,
        _ prioritization: AssetDownloadPrioritization = .fifo,
        maximum: Int = 4
    ) -> AssetDownloader<Data> {
        AssetDownloader(
            manager: SessionManager(configuration: .ephemeral),
            serializer: HTTPDataResponseSerializer(),
            cache: cache,
            prioritization: prioritization,
            maximumActiveDownloads: maximum
        )
    }

    private typealias Log = Watched<[String]>

    private func note(_ log: Log, _ name: String) -> @Sendable (TaskResponse<Data>) -> Void {
        { response in
            let text =
                response.value.map { String(decoding: $0, as: UTF8.self) }
                ?? "\(response.error?.code.rawValue ?? "nothing")"
            log.change { $0.append("\(name) \(text)") }
        }
    }

    @Test("Requests with other credentials share neither a download nor a cached value")
    func credentials() async throws {
        let server = try LoopbackServer { .text($0.header("Authorization") ?? $0.header("Cookie") ?? "none") }
        let downloader = downloader(cache: AutoPurgingCache())
        func text(_ field: String?, _ value: String) async throws -> String {
            var request = URLRequest(url: server.url)
            if let field { request.setValue(value, forHTTPHeaderField: field) }
            return String(decoding: try await downloader.value(for: request), as: UTF8.self)
        }
        for _ in 0..<2 {
            async let first = text("Authorization", "A")
            async let second = text("Authorization", "B")
            let texts = try await [first, second, text("Cookie", "a=1"), text(nil, "")]
            #expect(texts == ["A", "B", "a=1", "none"])
        }
        #expect(server.requestCount == 4)
    }

    @Test("The default downloader is shared, accepts only images and caches them")
    func defaultDownloader() async throws {
        let server = try LoopbackServer { request in
            .data(Data(request.path.utf8), contentType: request.path == "/a.png" ? "image/png" : "text/html")
        }
        let downloader = AssetDownloader.default
        #expect(downloader === AssetDownloader<Data>.default)
        let request = URLRequest(url: server.url("/a.png"))
        #expect(try await downloader.value(for: request) == Data("/a.png".utf8))
        #expect(try await AssetDownloader.default.value(for: request) == Data("/a.png".utf8))
        #expect(server.requestCount == 1)
        await #expect(throws: NetworkError.self) { try await downloader.value(for: URLRequest(url: server.url("/b"))) }
        #expect(AssetDownloader.defaultConfiguration.urlCache?.memoryCapacity == 20_000_000)
        #expect(AssetDownloader.defaultConfiguration.urlCache?.diskCapacity == 0)
    }

    @Test("Requests for one URL share one download, and their handlers run in order of arrival")
    func joined() async throws {
        let server = try GatedServer()
        let downloader = downloader()
        let log = Log([])
        var receipts: [AssetDownloadReceipt] = []
        for index in 0..<5 {
            receipts.append(
                try #require(downloader.download(server.request("a"), completionHandler: note(log, "\(index)")))
            )
        }
        #expect(receipts.allSatisfy { $0.task === receipts[0].task })
        #expect(Set(receipts).count == 5)
        server.gate.open()
        try await log.wait { $0.count == 5 }
        #expect(log.current == (0..<5).map { "\($0) /a" })
        #expect(server.paths == ["/a"])
    }

    @Test(
        "No more downloads than the maximum run, in the order of the prioritization",
        arguments: [AssetDownloadPrioritization.fifo, .lifo]
    )
    func limit(prioritization: AssetDownloadPrioritization) async throws {
        let server = try GatedServer()
        let downloader = downloader(prioritization, maximum: 1)
        let log = Log([])
        for name in ["first", "a", "b", "c"] {
            downloader.download(server.request(name), completionHandler: note(log, ""))
        }
        #expect(downloader.activeDownloadCount == 1)
        server.gate.open()
        try await log.wait { $0.count == 4 }
        #expect(server.paths == ["/first"] + (prioritization == .fifo ? ["/a", "/b", "/c"] : ["/c", "/b", "/a"]))
        try await eventually { downloader.activeDownloadCount == 0 }
    }

    @Test("Cancelling one request affects it alone, and cancelling the last one cancels the download")
    func cancelling() async throws {
        let server = try GatedServer()
        let downloader = downloader()
        let log = Log([])
        let one = try #require(downloader.download(server.request("a"), completionHandler: note(log, "one")))
        let two = try #require(downloader.download(server.request("a"), completionHandler: note(log, "two")))
        downloader.cancel(one)
        downloader.cancel(one)
        try await log.wait { $0 == ["one cancelled"] }
        #expect(two.task.state == .running)
        downloader.cancel(two)
        try await log.wait { $0.count == 2 }
        try await eventually { downloader.activeDownloadCount == 0 }
        server.gate.open()
        downloader.cancel(two)
        #expect(log.current == ["one cancelled", "two cancelled"])
    }

    @Test("Cancelling a queued download frees no slot, and the request is never sent")
    func cancellingQueued() async throws {
        let server = try GatedServer()
        let downloader = downloader(maximum: 2)
        let log = Log([])
        var receipts: [AssetDownloadReceipt] = []
        for name in ["a", "b", "c", "d", "e"] {
            receipts.append(try #require(downloader.download(server.request(name), completionHandler: note(log, name))))
        }
        downloader.cancel(receipts[2])
        downloader.cancel(receipts[3])
        try await log.wait { $0.count == 2 }
        #expect(downloader.activeDownloadCount == 2)
        try await eventually { server.paths.count == 2 }
        server.gate.open()
        try await log.wait { $0.count == 5 }
        #expect(Set(server.paths) == ["/a", "/b", "/e"])
        #expect(Set(log.current) == ["c cancelled", "d cancelled", "a /a", "b /b", "e /e"])
    }

    @Test("A waiting download whose task was cancelled takes no place from the next download of its URL")
    func cancelledTask() async throws {
        let server = try GatedServer()
        let downloader = downloader(maximum: 1)
        let log = Log([])
        downloader.download(server.request("a"), completionHandler: note(log, "a"))
        let receipt = try #require(downloader.download(server.request("b"), completionHandler: note(log, "b")))
        receipt.task.cancel()
        try await log.wait { $0 == ["b cancelled"] }
        downloader.download(server.request("b"), completionHandler: note(log, "b"))
        server.gate.open()
        try await log.wait { $0 == ["b cancelled", "a /a", "b /b"] }
        try await eventually { downloader.activeDownloadCount == 0 }
    }

    @Test("A downloader without a cache keeps no value")
    func released() async throws {
        final class Asset: Sendable {}
        let server = try GatedServer(isOpen: true)
        let downloader = AssetDownloader(
            manager: SessionManager(configuration: .ephemeral),
            serializer: ImageDataResponseSerializer(validation: Validation()) { _ in Asset() },
            cache: nil
        )
        weak var asset: Asset?
        asset = try await downloader.value(for: server.request("a"))
        try await eventually { asset == nil }
    }

    @Test("A URL requested again after its cancellation gets a new download")
    func restarted() async throws {
        let server = try GatedServer()
        let downloader = downloader()
        let log = Log([])
        for round in 0..<20 {
            let receipt = try #require(
                downloader.download(server.request("a"), completionHandler: note(log, "\(round)"))
            )
            downloader.cancel(receipt)
        }
        downloader.download(server.request("a"), completionHandler: note(log, "last"))
        server.gate.open()
        try await log.wait { $0.count == 21 }
        #expect(log.current.filter { $0.hasSuffix("cancelled") }.count == 20)
        #expect(log.current.contains("last /a"))
    }

    @Test("A cached value is delivered without a receipt if the request's policy allows it")
    func cached() async throws {
        let server = try GatedServer(isOpen: true)
        let cache = AutoPurgingCache<Data>()
        let downloader = downloader(cache: cache)
        #expect(try await downloader.value(for: server.request("a")) == Data("/a".utf8))
        #expect(cache.value(for: server.request("a")) == Data("/a".utf8))
        let log = Log([])
        var request = server.request("a")
        for policy in [
            URLRequest.CachePolicy.useProtocolCachePolicy, .returnCacheDataElseLoad, .returnCacheDataDontLoad,
        ] {
            request.cachePolicy = policy
            #expect(downloader.download(request, completionHandler: note(log, "cache")) == nil)
        }
        try await log.wait { $0 == ["cache /a", "cache /a", "cache /a"] }
        #expect(server.paths.count == 1)
        request.cachePolicy = .reloadIgnoringLocalCacheData
        #expect(downloader.download(request, completionHandler: note(log, "loaded")) != nil)
        try await log.wait { $0.last == "loaded /a" }
        #expect(server.paths.count == 2)
    }

    @Test("Errors are reported and not cached, and the next download goes on")
    func failures() async throws {
        let server = try LoopbackServer { request in
            request.path == "/bad"
                ? LoopbackResponse(statusCode: 404) : LoopbackResponse(body: .data(Data("good".utf8)))
        }
        let cache = AutoPurgingCache<Data>()
        let downloader = downloader(cache: cache, maximum: 1)
        let bad = URLRequest(url: server.url.appendingPathComponent("bad"))
        for _ in 0..<3 {
            let error = await #expect(throws: NetworkError.self) { try await downloader.value(for: bad) }
            #expect(error?.statusCode == 404)
        }
        #expect(cache.memoryUsage == 0)
        let good = URLRequest(url: server.url.appendingPathComponent("good"))
        #expect(try await downloader.value(for: good) == Data("good".utf8))
    }

    /// A manager that returns refused tasks only after they have ended.
    ///
    /// `@unchecked Sendable` like its superclass; it has no state.
    private final class SlowManager: SessionManager, @unchecked Sendable {
        override func adapt(_ request: URLRequest) throws -> URLRequest {
            if request.url?.path == "/refused" { throw URLError(.dataNotAllowed) }
            return request
        }

        override func dataTask<Serializer: ResponseSerializer>(
            with request: URLRequest,
            serializer: Serializer,
            uploadProgress: ProgressHandler?,
            downloadProgress: ProgressHandler?,
            completionHandler: @escaping @Sendable (TaskResponse<Serializer.Output>) -> Void
        ) -> URLSessionDataTask {
            let ended = Gate()
            let task = super.dataTask(
                with: request,
                serializer: serializer,
                uploadProgress: uploadProgress,
                downloadProgress: downloadProgress
            ) { response in
                completionHandler(response)
                ended.open()
            }
            if request.url?.path == "/refused" { ended.wait() }
            return task
        }
    }

    @Test("A download whose task ends while it is made calls its handler, and keeps no place", .ownThreads)
    func endsEarly() async throws {
        let server = try GatedServer(isOpen: true)
        let downloader = AssetDownloader(
            manager: SlowManager(configuration: .ephemeral),
            serializer: HTTPDataResponseSerializer(),
            cache: nil,
            maximumActiveDownloads: 1
        )
        let log = Log([])
        for round in 1...3 {
            let receipt = downloader.download(server.request("refused"), completionHandler: note(log, "\(round)"))
            #expect(receipt == nil)
            try await log.wait { $0.count == round }
        }
        #expect(log.current.allSatisfy { !$0.contains("refused") })
        #expect(downloader.activeDownloadCount == 0)
        #expect(try await downloader.value(for: server.request("a")) == Data("/a".utf8))
        #expect(server.paths == ["/a"])
    }

    @Test("Receipts of a process that cannot open another file differ") func receiptsWithoutDescriptors() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            await Child.run {
                let server = try GatedServer()
                let downloader = AssetDownloader(serializer: HTTPDataResponseSerializer(), cache: nil)
                let download = { @Sendable in downloader.download(server.request("a")) { _ in }?.id }
                let first = download()
                try await eventually { server.paths.count == 1 }
                // The other receipts share the running download.
                let others = await Child.withoutDescriptors { [download(), download()] }
                let receipts = [first] + others
                try Child.expect(Set(receipts.compactMap(\.self)).count == 3, "\(receipts)")
            }
        }
        Child.check(result?.standardOutputContent)
    }

    @Test("A request without a URL fails with -1000")
    func noURL() async throws {
        var request = URLRequest(url: try #require(URL(string: "http://a")))
        request.url = nil
        let error = Watched<NetworkError?>(nil)
        #expect(downloader().download(request) { response in error.change { $0 = response.error } } == nil)
        try await error.wait { $0 != nil }
        #expect(error.current?.nsError.code == -1000)
    }

    @Test("Cancelling the Swift task cancels its request alone")
    func asynchronous() async throws {
        let server = try GatedServer()
        let downloader = downloader()
        let one = Task { try await downloader.value(for: server.request("a")) }
        let two = Task { try await downloader.value(for: server.request("a")) }
        try await eventually { server.paths.count == 1 }
        one.cancel()
        let error = await #expect(throws: NetworkError.self) { try await one.value }
        #expect(error?.code == .cancelled)
        server.gate.open()
        #expect(try await two.value == Data("/a".utf8))
    }
}
