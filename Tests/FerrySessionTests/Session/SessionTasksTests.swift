import FerryTesting
import Testing

@testable import FerrySession

@Suite(.serialized, .timeLimit(.minutes(5)))
struct SessionTasksTests {
    @Test("A session that is made without a free descriptor works when there is one, with its policy and authorities")
    func withoutDescriptors() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            struct Anybody: ServerTrustPolicy {
                func verification(for host: String) -> TrustVerification { .full }
                func decide(_ trust: ServerTrust) -> TrustDecision { .accept }
            }
            await Child.run {
                let folder = try TemporaryFolder()
                let server = try LoopbackServer()
                _ = try await CurlSession(configuration: .ephemeral).data(from: server.url("/bytes/1"))
                var options = CurlSession.Options()
                let file = try folder.file("authorities.pem", Certificates.pem)
                options.tls.certificateAuthorities = .only([.pemFile(file)])
                let memory = ProcessUsage.residentBytes
                let (session, error) = await Child.withoutDescriptors { [options] in
                    let session = CurlSession(configuration: .ephemeral, options: options)
                    session.trustPolicy = Anybody()
                    // Each attempt must free what it has allocated.
                    for _ in 0..<10_000 { _ = try? session.core.requireEngine() }
                    do {
                        _ = try await session.data(from: server.url("/bytes/2"))
                        return (session, URLError?.none)
                    } catch {
                        return (session, error as? URLError)
                    }
                }
                try Child.expect(error?.ferryCode == .curlUnavailable, "\(String(describing: error))")
                let growth = ProcessUsage.residentBytes - memory
                try Child.expect(growth < 10_000_000, "The process grew by \(growth) bytes")
                let (data, _) = try await session.data(from: server.url("/bytes/3"))
                try Child.expect(data.count == 3, "\(data.count)")
                let engine = try #require(session.engine)
                _ = try engine.settings.tls.get()
                try Child.expect(engine.trust.current.policy is Anybody && session.trustPolicy is Anybody, "no policy")
            }
        }
        Child.check(result?.standardOutputContent)
    }

    @Test("Tasks are listed by kind from their first resume until they are cancelled or complete") func lists()
        async throws
    {
        let server = try LoopbackServer { _ in LoopbackResponse().faulted(.stallBeforeHead) }
        let session = makeSession()
        let data = session.dataTask(with: server.url)
        let upload = session.uploadTask(with: URLRequest(url: server.url), from: Data())
        let download = session.downloadTask(with: server.url)
        #expect(await session.allTasks == [])
        data.resume()
        upload.resume()
        download.resume()
        upload.suspend()
        let all = await session.allTasks
        #expect(all.map(\.taskIdentifier) == [data, upload, download].map(\.taskIdentifier))
        let listed = Watched<[[URLSessionTask]]>([])
        session.getAllTasks { listed.append($0) }
        #expect(try await listed.first() == [data, upload, download])
        let kinds = Watched<[[[URLSessionTask]]]>([])
        session.getTasksWithCompletionHandler { kinds.append([$0, $1, $2]) }
        #expect(try await kinds.first() == [[data], [upload], [download]])
        data.cancel()
        upload.cancel()
        download.cancel()
        try await eventually("completion") { data.state == .completed && upload.state == .completed }
        try await eventually("completion") { download.state == .completed }
        #expect(await session.allTasks == [])
    }

    @Test("The handlers of the lists run on the delegate queue") func queue() async throws {
        let session = makeSession()
        let places = Watched<[Bool]>([])
        session.getAllTasks { _ in places.append(OperationQueue.current === session.delegateQueue) }
        session.getTasksWithCompletionHandler { _, _, _ in
            places.append(OperationQueue.current === session.delegateQueue)
        }
        session.flush { places.append(OperationQueue.current === session.delegateQueue) }
        session.reset { places.append(OperationQueue.current === session.delegateQueue) }
        try await eventually("all four") { places.current.count == 4 }
        #expect(places.current.allSatisfy { $0 })
    }

    @Test("There is a shared session, which cannot be invalidated") func shared() async throws {
        let server = try LoopbackServer()
        let session: URLSession = CurlSession.shared
        #expect(session === CurlSession.shared && session is CurlSession)
        #expect(session.configuration.httpCookieStorage === HTTPCookieStorage.shared)
        #expect(session.configuration.urlCredentialStorage === URLCredentialStorage.shared)
        session.finishTasksAndInvalidate()
        session.invalidateAndCancel()
        #expect(try await CurlSession.shared.data(from: server.url("/bytes/10")).0.count == 10)
    }

    @Test("The current request has the session's additional headers, unless it has its own") func headers() async throws
    {
        let server = try LoopbackServer()
        let other = try LoopbackServer()
        let session = makeSession {
            $0.httpAdditionalHeaders = ["X-A": "session", "x-b": 1, "Authorization": "secret"]
        }
        var request = URLRequest(url: server.url("/redirect-to?url=\(other.url("/bytes/1").absoluteString)"))
        request.setValue("own", forHTTPHeaderField: "X-B")
        let done = Watched<[Bool]>([])
        let task = session.dataTask(with: request) { _, _, _ in done.append(true) }
        #expect(task.currentRequest?.allHTTPHeaderFields == ["X-B": "own"])
        task.resume()
        _ = try await done.first()
        #expect(task.originalRequest?.allHTTPHeaderFields == ["X-B": "own"])
        #expect(task.currentRequest?.url == other.url("/bytes/1"))
        #expect(task.currentRequest?.allHTTPHeaderFields == ["X-A": "session", "X-B": "own"])
        #expect(other.requests.first?.header("X-A") == "session")
    }

    @Test("A response that became a download is listed as a download") func becameDownload() async throws {
        let disposition = try #require(URLSession.ResponseDisposition(rawValue: 2))
        let server = try LoopbackServer()
        var hooks = DelegateHooks()
        hooks.onResponse = { _, _, answer in answer(disposition) }
        let delegate = RecordingDelegate(hooks)
        let session = makeSession(delegate)
        let task = session.dataTask(with: server.url("/stall?bytes=10&after=5"))
        task.resume()
        try await eventually("the download") { delegate[task].names.contains("becameDownload") }
        let all = await session.allTasks
        #expect(all.count == 1 && all.first is URLSessionDownloadTask)
        all.first?.cancel()
        try await delegate.completion(of: task)
        #expect(await session.allTasks == [])
    }

    @Test("Resetting deletes cookies, and the session remains usable") func reset() async throws {
        let server = try LoopbackServer()
        let session = makeSession()
        _ = try await session.data(from: server.url("/cookies/set?a=1"))
        let done = Watched<[Bool]>([])
        session.reset { done.append(true) }
        _ = try await done.first()
        #expect(session.configuration.httpCookieStorage?.cookies ?? [] == [])
        _ = try await session.data(from: server.url("/bytes/1"))
        #expect(server.requests.last?.header("Cookie") == nil)
    }

    @Test("The configuration is a copy, and changing either one later has no effect") func configuration() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 3
        let session = CurlSession(configuration: configuration, delegate: nil, delegateQueue: nil)
        configuration.httpMaximumConnectionsPerHost = 9
        #expect(session.configuration.httpMaximumConnectionsPerHost == 3)
        session.configuration.httpMaximumConnectionsPerHost = 7
        #expect(session.configuration.httpMaximumConnectionsPerHost == 3)
    }

    /// Returns the number of connections that 40 concurrent requests open, repeatedly.
    private func connections(_ session: CurlSession, bursts: Int = 1) async throws -> Int {
        let server = try LoopbackServer { _ in LoopbackResponse().delayed(0.2) }
        for _ in 0..<bursts {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<40 { group.addTask { _ = try await session.data(from: server.url) } }
                try await group.waitForAll()
            }
        }
        return server.connectionCount
    }

    @Test("Requests that follow a burst use its connections again") func bursts() async throws {
        let opened = try await connections(makeSession(), bursts: 4)
        #expect(opened <= 44)
    }

    @Test("An unchanged configuration allows 64 connections, otherwise the configuration or the options decide")
    func connectionsPerHost() async throws {
        #expect(try await connections(makeSession()) > 12)
        #expect(try await connections(makeSession { $0.httpMaximumConnectionsPerHost = 4 }) <= 4)
        var options = CurlSession.Options()
        options.maximumConnectionsPerHost = 6
        #expect(try await connections(makeSession(options: options) { $0.httpMaximumConnectionsPerHost = 30 }) <= 6)
    }

    @Test("The delegate of a task is the session's until it has its own, which is released on completion")
    func taskDelegate() async throws {
        let server = try LoopbackServer()
        let whole = RecordingDelegate()
        let session = makeSession(whole)
        let task = session.dataTask(with: server.url("/bytes/10"))
        #expect(task.delegate === whole)
        var own: RecordingDelegate? = RecordingDelegate()
        weak let gone = own
        task.delegate = own
        #expect(task.delegate === own)
        task.resume()
        if let own { #expect(try await own.completion(of: task).data.count == 10) }
        own = nil
        try await eventually("the delegate's end") { gone == nil }
        #expect(whole.order == [])
    }

    /// A delegate of one task that only meters what is sent.
    private final class Meter: NSObject, URLSessionTaskDelegate {
        let ended = Watched(0)

        func urlSession(_: URLSession, task _: URLSessionTask, didCompleteWithError _: (any Error)?) {
            ended.change { $0 += 1 }
        }
    }

    @Test("What a task does not tell its own delegate goes to the session's", arguments: [false, true], [false, true])
    func delegatesInARow(isDownload: Bool, isLate: Bool) async throws {
        let gate = Gate()
        let server = try LoopbackServer { _ in .gated(gate, first: 10, of: 20) }
        let whole = RecordingDelegate()
        let session = makeSession(whole)
        let task = isDownload ? session.downloadTask(with: server.url) : session.dataTask(with: server.url)
        let meter = Meter()
        if !isLate { task.delegate = meter }
        task.resume()
        try await eventually("ten bytes") { task.countOfBytesReceived == 10 }
        if isLate { task.delegate = meter }
        #expect(task.delegate === meter)
        gate.open()
        let record = try await whole.completion(of: task)
        #expect(isDownload ? record.file?.count == 20 : record.data.count == 20)
        try await meter.ended.wait { $0 == 1 }
    }

    @Test("A delegate that is both the session's and a task's is told of the end once") func sameDelegate() async throws
    {
        let server = try LoopbackServer()
        let meter = Meter()
        let session = makeSession(meter)
        for task in [session.dataTask(with: server.url), session.downloadTask(with: server.url)] {
            task.delegate = meter
            task.resume()
        }
        session.finishTasksAndInvalidate()
        try await eventually("the ends") { meter.ended.current >= 2 && session.delegate == nil }
        #expect(meter.ended.current == 2)
    }

    /// A delegate without a method of its own: FoundationNetworking's pass every call on to the session's delegate.
    private final class Silent: NSObject, URLSessionTaskDelegate {}

    @Test("The session's delegate is told once of the end of a task whose own delegate has no method for it")
    func silentDelegate() async throws {
        let server = try LoopbackServer()
        let meter = Meter()
        let session = makeSession(meter)
        for task in [session.dataTask(with: server.url), session.downloadTask(with: server.url)] {
            task.delegate = Silent()
            task.resume()
        }
        session.finishTasksAndInvalidate()
        try await eventually("the ends") { meter.ended.current >= 2 && session.delegate == nil }
        #expect(meter.ended.current == 2)
    }

    @Test("A session's delegate decides about redirects and streams that a task's own leaves to it")
    func questionsInARow() async throws {
        let server = try LoopbackServer { request in
            request.path == "/end" ? .text("\(request.body.count)") : .redirect(to: "/end", statusCode: 307)
        }
        var hooks = DelegateHooks()
        hooks.onRedirect = { task, _, next, answer in answer(task.taskDescription == "refuse" ? nil : next) }
        hooks.onBodyStream = { _, answer in answer(InputStream(data: Data(count: 5))) }
        let delegate = RecordingDelegate(hooks)
        let session = makeSession(delegate)
        for (name, status) in [("refuse", 307), ("follow", 200)] {
            let task = session.dataTask(with: server.url("/"))
            (task.taskDescription, task.delegate) = (name, Meter())
            task.resume()
            #expect(try await delegate.completion(of: task).response?.statusCode == status)
        }
        let task = session.uploadTask(withStreamedRequest: Wire.request(server.url("/end"), "POST"))
        task.delegate = Meter()
        task.resume()
        #expect(try await delegate.completion(of: task).data == Data("5".utf8))
    }

    @Test("A delegate set after the task was resumed is used, and nothing traps") func lateDelegate() async throws {
        let gate = Gate()
        let server = try LoopbackServer { _ in .gated(gate, first: 10, of: 20) }
        let session = makeSession()
        let task = session.dataTask(with: server.url)
        task.resume()
        try await eventually("ten bytes") { task.countOfBytesReceived == 10 }
        let delegate = RecordingDelegate()
        task.delegate = delegate
        gate.open()
        #expect(try await delegate.completion(of: task).error == nil)
    }
}
