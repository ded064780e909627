import FerrySession
import FerryTesting
import TestSupport
import Testing

/// The defects of FoundationNetworking's session on Linux.
///
/// Each body passes with `CurlSession`. The same body for FoundationNetworking's session, which fails it, runs only on
/// request. The numbers, which other suites use as well, stand for these gaps:
///
/// - 1: trailers of chunked responses
/// - 2: concurrent redirects
/// - 3: cancelling and late decisions during a redirect
/// - 4: suspending and resuming
/// - 5: delivering a 401 without a credential
/// - 6: credentials that are sent to another origin
/// - 7: sending a body again after a redirect
/// - 8: unusual heads, and truncated content codings
/// - 9: errors of the disk
/// - 10: requests on dead connections
/// - 11: blocked sessions, streams and calls from callbacks
/// - 12: blocked delegates, and refused responses
/// - 14: timeouts
/// - 15: calls that trap
@Suite(.serialized, .timeLimit(.minutes(5)), .ownThreads)
struct GapTests {
    typealias Make = @Sendable (URLSessionConfiguration, (any URLSessionDelegate)?) -> URLSession

    private static let curl: Make = { CurlSession(configuration: $0, delegate: $1, delegateQueue: BlockableQueue()) }
    private static let system: Make = { URLSession(configuration: $0, delegate: $1, delegateQueue: BlockableQueue()) }

    // MARK: - 1

    @Test("Gap 1: A chunked response with trailers is a response like any other") func gap1() async throws {
        try await trailers(Self.curl)
    }

    @Test("Gap 1 in FoundationNetworking", .foundationNetworking("the process dies"))
    func gap1System() async throws {
        try await trailers(Self.system)
    }

    private func trailers(_ make: Make) async throws {
        let server = try LoopbackServer()
        let delegate = RecordingDelegate()
        let task = make(.ephemeral, delegate).dataTask(with: server.url("/chunked?chunks=5&size=100&trailers=1"))
        task.resume()
        let record = try await delegate.completion(of: task)
        #expect(record.data == LoopbackServer.pattern(count: 500))
        #expect(record.error == nil)
        #expect(record.names == ["response", "data", "completed"])
        #expect((task.response as? HTTPURLResponse)?.value(forHTTPHeaderField: "X-Count") == nil)
    }

    // MARK: - 2

    @Test("Gap 2: Many concurrent redirects are followed on shared connections") func gap2() async throws {
        let server = try LoopbackServer()
        let delegate = RecordingDelegate()
        let session = Self.curl(.ephemeral, delegate)
        let tasks = (0..<50).map { session.dataTask(with: server.url("/redirect-to?url=/bytes/\($0)")) }
        for task in tasks { task.resume() }
        for (size, task) in tasks.enumerated() {
            #expect(try await delegate.completion(of: task).data == LoopbackServer.pattern(count: size))
        }
        #expect(delegate.violations == [])
    }

    // MARK: - 3

    @Test("Gap 3: Cancelling during a redirect, and responding to it late or twice, is safe") func gap3() async throws {
        try await cancelledRedirections(Self.curl)
    }

    @Test("Gap 3 in FoundationNetworking", .foundationNetworking("the process dies"))
    func gap3System() async throws {
        try await cancelledRedirections(Self.system)
    }

    private func cancelledRedirections(_ make: Make) async throws {
        let server = try LoopbackServer()
        var hooks = DelegateHooks()
        hooks.onRedirect = { task, _, request, answer in
            DispatchQueue.global().async { task.cancel() }
            DispatchQueue.global().async {
                answer(request)
                answer(nil)
            }
        }
        let delegate = RecordingDelegate(hooks)
        let session = make(.ephemeral, delegate)
        for _ in 0..<20 {
            let tasks = (0..<10).map { _ in session.dataTask(with: server.url("/redirect/1")) }
            for task in tasks { task.resume() }
            for task in tasks { #expect(try await delegate.completion(of: task).completions == 1) }
        }
    }

    // MARK: - 4

    @Test("Gap 4: Suspending and resuming does not change any byte", arguments: ["data", "upload", "download"])
    func gap4(_ kind: String) async throws {
        try await suspension(Self.curl, kind)
    }

    @Test(
        "Gap 4 in FoundationNetworking",
        .foundationNetworking("the body comes twice or the process dies"),
        arguments: ["data", "upload", "download"]
    )
    func gap4System(_ kind: String) async throws {
        try await suspension(Self.system, kind)
    }

    private func suspension(_ make: Make, _ kind: String) async throws {
        var configuration = LoopbackServer.Configuration()
        configuration.bodyReading = { _ in .paced(bytesPerSecond: 2_000_000) }
        let server = try LoopbackServer(configuration: configuration)
        let delegate = RecordingDelegate()
        let session = make(.ephemeral, delegate)
        let url = server.url("/bytes/320000?rate=2000000")
        var request = URLRequest(url: server.url("/upload"))
        request.httpMethod = "POST"
        let task: URLSessionTask =
            switch kind {
            case "data": session.dataTask(with: url)
            case "download": session.downloadTask(with: url)
            default: session.uploadTask(with: request, from: LoopbackServer.pattern(count: 320_000))
            }
        task.resume()
        // Spreads the suspensions over the transfer.
        for _ in 0..<10 {
            try await Task.sleep(for: .milliseconds(10))
            task.suspend()
            try await Task.sleep(for: .milliseconds(10))
            task.resume()
        }
        let record = try await delegate.completion(of: task)
        #expect(record.error == nil)
        #expect(record.names.filter { $0 == "response" }.count <= 1)
        if kind == "data" { #expect(record.data == LoopbackServer.pattern(count: 320_000)) }
        if kind == "download" { #expect(record.file == LoopbackServer.pattern(count: 320_000)) }
        #expect(server.requestCount == 1)
        if kind == "upload" {
            #expect(server.requests.first?.bodySHA256 == LoopbackServer.patternSHA256(count: 320_000))
        }
    }

    // MARK: - 9

    @Test(
        "Gap 9: Disk errors fail the download, and leave no temporary file",
        arguments: ["missing", "full", "cancel"]
    )
    func gap9(_ trouble: String) async throws {
        let server = try LoopbackServer()
        let folder = try TemporaryFolder()
        var options = CurlSession.Options()
        options.temporaryDirectory = trouble == "missing" ? folder.url.appendingPathComponent("missing") : folder.url
        let delegate = RecordingDelegate()
        let session = makeSession(delegate, options: options)
        let target = trouble == "cancel" ? "/stall?bytes=9000&after=4000" : "/bytes/9000"
        let task = session.downloadTask(with: server.url(target))
        if trouble == "full" {
            // A limit on file sizes is the closest a test can get to a full disk; it applies to the process, so a child
            // is used.
            await Self.fullDisk()
            return
        }
        task.resume()
        if trouble == "cancel" {
            try await eventually("a part") { task.countOfBytesReceived == 4000 }
            task.cancel()
        }
        let record = try await delegate.completion(of: task)
        #expect(record.error?.code == (trouble == "cancel" ? .cancelled : .cannotCreateFile))
        try await eventually("no file") { folder.names.isEmpty }
    }

    private static func fullDisk() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            await Child.run {
                signal(SIGXFSZ, SIG_IGN)
                let server = try LoopbackServer()
                let folder = try TemporaryFolder()
                var options = CurlSession.Options()
                options.temporaryDirectory = folder.url
                var limit = rlimit(rlim_cur: 50_000, rlim_max: 50_000)
                try Child.expect(setrlimit(__rlimit_resource_t(1), &limit) == 0, "no limit")
                do {
                    _ = try await makeSession(options: options).download(from: server.url("/bytes/90000"))
                    try Child.expect(false, "the file was written")
                } catch let error as URLError {
                    try Child.expect(error.code == .cannotWriteToFile, "\(error)")
                }
                try await eventually("no file") { folder.names.isEmpty }
            }
        }
        Child.check(result?.standardOutputContent)
    }

    // MARK: - 10

    @Test("Gap 10: A request sent on a dead connection is sent again") func gap10() async throws {
        try await deadConnection(Self.curl)
    }

    @Test("Gap 10 in FoundationNetworking", .foundationNetworking("the upload hangs"), .timeLimit(.minutes(1)))
    func gap10System() async throws {
        try await deadConnection(Self.system)
    }

    private func deadConnection(_ make: Make) async throws {
        let server = try LoopbackServer { request in
            request.connectionRequestIndex > 0 ? .empty : .text("got \(request.bodyLength)")
        }
        let delegate = RecordingDelegate()
        let session = make(.ephemeral, delegate)
        let first = session.dataTask(with: server.url)
        first.resume()
        try await delegate.completion(of: first)
        var request = URLRequest(url: server.url)
        request.httpMethod = "PUT"
        let task = session.uploadTask(with: request, from: LoopbackServer.pattern(count: 300_000))
        task.resume()
        let record = try await delegate.completion(of: task)
        #expect(record.error == nil)
        #expect(String(decoding: record.data, as: UTF8.self) == "got 300000")
    }

    // MARK: - 11

    @Test("Gap 11: A blocked session delays neither other sessions nor any call") func gap11() async throws {
        try await blockedBody(Self.curl)
    }

    @Test("Gap 11 in FoundationNetworking", .foundationNetworking("the other session waits as well"))
    func gap11System() async throws {
        try await blockedBody(Self.system)
    }

    private func blockedBody(_ make: Make) async throws {
        let server = try LoopbackServer()
        let gate = Gate()
        var hooks = DelegateHooks()
        hooks.onBodyStream = { _, answer in
            gate.wait()
            answer(InputStream(data: Data("x".utf8)))
        }
        let blocked = RecordingDelegate(hooks)
        let session = make(.ephemeral, blocked)
        var request = URLRequest(url: server.url("/upload"))
        request.httpMethod = "POST"
        let task = session.uploadTask(withStreamedRequest: request)
        task.resume()
        try await eventually("the block") { gate.arrived == 1 }
        let free = RecordingDelegate()
        let elsewhere = make(.ephemeral, free).dataTask(with: server.url("/bytes/10"))
        let start = ContinuousClock.now
        let other = session.dataTask(with: server.url("/bytes/10"))
        other.resume()
        other.suspend()
        other.cancel()
        elsewhere.resume()
        try await free.completion(of: elsewhere)
        #expect(ContinuousClock.now - start < .seconds(10 * patience))
        gate.open()
        #expect(try await blocked.completion(of: task).error == nil)
    }

    @Test("Gap 11: Calls from needNewBodyStream are safe") func gap11Reentrance() async throws {
        let server = try LoopbackServer()
        let box = Watched<URLSession?>(nil)
        var hooks = DelegateHooks()
        hooks.onBodyStream = { _, answer in
            let session = box.current
            let task = session?.dataTask(with: server.url("/bytes/10"))
            task?.resume()
            task?.suspend()
            task?.cancel()
            answer(InputStream(data: Data("x".utf8)))
        }
        let delegate = RecordingDelegate(hooks)
        let session = makeSession(delegate)
        box.change { $0 = session }
        var request = URLRequest(url: server.url("/upload"))
        request.httpMethod = "POST"
        let task = session.uploadTask(withStreamedRequest: request)
        task.resume()
        #expect(try await delegate.completion(of: task).error == nil)
        box.change { $0 = nil }
    }

    // MARK: - 12

    @Test("Gap 12: A blocked delegate pauses the server, and refusing a response delivers no byte")
    func gap12() async throws {
        try await blockedDelegate(Self.curl)
    }

    @Test("Gap 12 in FoundationNetworking", .foundationNetworking("all bytes are taken, and a refusal is ignored"))
    func gap12System() async throws {
        try await blockedDelegate(Self.system)
    }

    private func blockedDelegate(_ make: Make) async throws {
        let server = try LoopbackServer()
        let gate = Gate()
        var hooks = DelegateHooks()
        hooks.onData = { _, _ in if gate.arrived == 0 { gate.wait() } }
        hooks.onResponse = { task, _, answer in answer(task.taskIdentifier == 1 ? .allow : .cancel) }
        let delegate = RecordingDelegate(hooks)
        let session = make(.ephemeral, delegate)
        let task = session.dataTask(with: server.url("/bytes/60000000"))
        task.resume()
        try await eventually("the block") { gate.arrived == 1 }
        #expect(try await settled { server.sentByteCount } < 30_000_000)
        task.cancel()
        gate.open()
        let cancelled = try await delegate.completion(of: task)
        #expect(cancelled.error?.code == .cancelled)
        // One piece had been delivered; none follows the cancellation.
        #expect(cancelled.events.filter { $0.name == "data" }.count == 1)
        let refused = session.dataTask(with: server.url("/bytes/1000"))
        refused.resume()
        #expect(try await delegate.completion(of: refused).names == ["response", "completed"])
    }

    // MARK: - 14

    @Test("Gap 14: Timeouts with fractions of a second are respected", arguments: [0.5, 1.4])
    func gap14(_ seconds: Double) async throws {
        let server = try LoopbackServer()
        let session = makeSession()
        let url = server.url("/stall-before")
        var request = URLRequest(url: url)
        request.timeoutInterval = seconds
        let (start, meter) = (ContinuousClock.now, StallMeter())
        let error = await #expect(throws: URLError.self) { try await session.data(for: request) }
        let passed = (ContinuousClock.now - start) / .seconds(1)
        #expect(error?.code == .timedOut)
        #expect(error?.failingURL == url)
        #expect(error?.ferryCode == .inactivityTimeout)
        #expect(passed >= seconds * 0.95 && passed < seconds + meter.bound(5))
    }

    @Test(
        "Gap 14: Invalid timeouts set no deadline, and nothing traps",
        arguments: [0, -1, .infinity, .greatestFiniteMagnitude, .nan]
    )
    func gap14Odd(_ seconds: Double) async throws {
        let server = try LoopbackServer()
        var request = URLRequest(url: server.url("/delay/100"))
        request.timeoutInterval = seconds
        let (_, response) = try await makeSession { $0.timeoutIntervalForResource = seconds }.data(for: request)
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
    }

    @Test("Gap 14: The timeout of the whole exchange applies while bytes still arrive slowly")
    func gap14Resource() async throws {
        let server = try LoopbackServer()
        let session = makeSession { $0.timeoutIntervalForResource = 0.5 }
        let error = await #expect(throws: URLError.self) {
            try await session.data(from: server.url("/drip?bytes=1000&chunk=1&interval=20"))
        }
        #expect(error?.code == .timedOut)
        #expect(error?.ferryCode == .resourceTimeout)
    }

    // MARK: - 15

    @Test("Gap 15: Tasks made during or after the invalidation of a session fail, and nothing traps")
    func gap15() async throws {
        try await invalidated(Self.curl)
    }

    @Test("Gap 15 in FoundationNetworking", .foundationNetworking("the process dies")) func gap15System() async throws {
        try await invalidated(Self.system)
    }

    private func invalidated(_ make: Make) async throws {
        let server = try LoopbackServer()
        let session = make(.ephemeral, nil)
        session.finishTasksAndInvalidate()
        for _ in 0..<10 {
            let outcome = Watched<[Outcome<Data>]>([])
            session.dataTask(with: server.url) { outcome.append(Outcome($0, $1, $2)) }.resume()
            #expect(try await (outcome.first().error as? URLError)?.ferryCode == .sessionInvalidated)
        }
    }

    @Test("Gap 15: Additional headers of any printable type are sent") func gap15Headers() async throws {
        let server = try LoopbackServer()
        let session = makeSession {
            $0.httpAdditionalHeaders = ["X-Number": 42, "X-Text": "a,b".prefix(1), Substring("X-Name"): true]
        }
        var request = URLRequest(url: server.url("/echo"))
        request.setValue("mine", forHTTPHeaderField: "X-Own")
        _ = try await session.data(for: request)
        let sent = try #require(server.requests.first)
        #expect(sent.header("X-Number") == "42")
        #expect(sent.header("X-Text") == "a")
        #expect(sent.header("X-Name") == "true")
        #expect(sent.header("X-Own") == "mine")
    }

    @Test("Gap 15: An upload without data, and a delegate that is set late, do not trap")
    func gap15Traps() async throws {
        let server = try LoopbackServer()
        let session = makeSession()
        var request = URLRequest(url: server.url("/upload"))
        request.httpMethod = "POST"
        let outcome = Watched<[Outcome<Data>]>([])
        let task = session.uploadTask(with: request, from: nil) { outcome.append(Outcome($0, $1, $2)) }
        task.resume()
        task.delegate = RecordingDelegate()
        #expect(try await outcome.first().status == 200)
    }
}
