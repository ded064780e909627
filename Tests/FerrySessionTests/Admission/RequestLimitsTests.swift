import FerryTesting
import TestSupport
import Testing

@testable import FerrySession

/// The limits of a session on requests in flight and on their rate.
@Suite(.timeLimit(.minutes(5)))
struct RequestLimitsTests {
    private func session(_ limits: RequestLimits) -> CurlSession {
        var options = CurlSession.Options()
        options.limits = limits
        return Wire.session(options: options)
    }

    // MARK: - Requests in flight

    @Test("No more requests are in flight than allowed, to all servers together")
    func inFlight() async throws {
        let inFlight = Watched((now: 0, most: 0))
        let servers = try (0..<4).map { _ in
            try LoopbackServer { _ in
                .stream { stream in
                    inFlight.change {
                        $0.now += 1
                        $0.most = max($0.most, $0.now)
                    }
                    stream.write(Data("a".utf8))
                    usleep(2_000)
                    inFlight.change { $0.now -= 1 }
                    stream.write(Data("b".utf8))
                }
            }
        }
        let session = session(RequestLimits(maximumInFlight: 3))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<100 {
                let url = servers[index % 4].url
                group.addTask {
                    let data = try await session.data(from: url).0
                    #expect(data == Data("ab".utf8))
                }
            }
            try await group.waitForAll()
        }
        #expect(inFlight.change { $0.most } == 3)
    }

    @Test("A cancelled request that waits keeps nothing of its body", arguments: [true, false])
    func cancelledBody(hasLimits: Bool) async throws {
        let gate = Gate()
        defer { gate.open() }
        let server = try LoopbackServer { _ in .gated(gate, first: 1, of: 2) }
        var options = CurlSession.Options()
        if hasLimits { options.limits = RequestLimits(maximumInFlight: 1) }
        let session = makeSession(options: options) { if !hasLimits { $0.httpMaximumConnectionsPerHost = 1 } }
        let first = session.dataTask(with: server.url) { _, _, _ in }
        first.resume()
        try await server.waitForRequests(1, timeout: 40 * patience)
        let freed = Watched(0)
        let size = 100_000
        for _ in 0..<100 {
            let bytes = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 1)
            let body = Data(
                bytesNoCopy: bytes,
                count: size,
                deallocator: .custom { bytes, _ in
                    bytes.deallocate()
                    freed.change { $0 += 1 }
                }
            )
            var request = URLRequest(url: server.url)
            request.httpMethod = "POST"
            let task = session.uploadTask(with: request, from: body) { _, _, _ in }
            task.resume()
            task.cancel()
        }
        try await eventually("the bodies are freed") { freed.change { $0 } == 100 }
        #expect(server.requestCount == 1)
        #expect(first.state == .running)
        gate.open()
        try await eventually("the first task has ended") { first.state == .completed }
        #expect(server.requestCount == 1)
    }

    @Test("Requests wait by priority, and in order among those of the same")
    func priorities() async throws {
        let gate = Gate()
        let server = try LoopbackServer { request in
            request.path == "/first" ? .gated(gate, first: 1, of: 2) : .text("")
        }
        let other = try LoopbackServer { _ in .text("") }
        let delegate = RecordingDelegate()
        var options = CurlSession.Options()
        options.limits = RequestLimits(maximumInFlight: 1)
        let session = makeSession(delegate, options: options)
        let first = session.dataTask(with: server.url("/first"))
        first.resume()
        try await eventually("the first response") { delegate[first].data.count == 1 }
        let order: [(String, Float)] = [
            ("/low1", 0.1), ("/normal1", 0.5), ("/high1", 0.9), ("/low2", 0.1), ("/normal2", 0.5), ("/high2", 0.9),
        ]
        let tasks = order.map { path, priority in
            let task = session.dataTask(with: server.url(path))
            task.priority = priority
            task.resume()
            return task
        }
        // The last request is to another server, but behind these requests.
        let last = session.dataTask(with: other.url)
        last.priority = 0.1
        last.resume()
        gate.open()
        for task in tasks { _ = try await delegate.completion(of: task) }
        _ = try await delegate.completion(of: last)
        #expect(
            server.requests.map(\.path) == ["/first", "/high1", "/high2", "/normal1", "/normal2", "/low1", "/low2"]
        )
        #expect(delegate.violations == [])
    }

    @Test("A place goes to the first that waits, also if the next one of the origin waits for a connection")
    func placesBeforeConnections() async throws {
        let gate = Gate()
        let server = try LoopbackServer { request in
            request.path == "/1" ? .gated(gate, first: 1, of: 2) : .text("")
        }
        let other = try LoopbackServer { _ in .text("") }
        let delegate = RecordingDelegate()
        var options = CurlSession.Options()
        options.limits = RequestLimits(maximumInFlight: 1)
        options.maximumConnectionsPerHost = 2
        let session = makeSession(delegate, options: options)
        let tasks = (1...6).map { session.dataTask(with: server.url("/\($0)")) }
        tasks[0].resume()
        try await eventually("the first response") { delegate[tasks[0]].data.count == 1 }
        for task in tasks.dropFirst() { task.resume() }
        let urgent = session.dataTask(with: other.url)
        urgent.priority = 1
        urgent.resume()
        try await session.flushed()
        gate.open()
        for task in tasks + [urgent] { _ = try await delegate.completion(of: task) }
        #expect(server.requests.map(\.path) == ["/1", "/2", "/3", "/4", "/5", "/6"])
        let completions = delegate.order.filter { $0 == "completed" }.count
        #expect(completions == 7)
        let first = try #require(urgent.metrics?.transactions.first?.startDate)
        let second = try #require(tasks[1].metrics?.transactions.first?.startDate)
        #expect(first <= second)
    }

    @Test("A long queue of requests that fail as soon as they begin makes no deep stack")
    func failingQueue() async throws {
        let gate = Gate()
        let server = try LoopbackServer { _ in .gated(gate, first: 1, of: 2) }
        let delegate = RecordingDelegate()
        var options = CurlSession.Options()
        options.maximumConnectionsPerHost = 1
        let session = makeSession(delegate, options: options)
        let first = session.dataTask(with: server.url)
        first.resume()
        try await eventually("the first byte") { delegate[first].data.count == 1 }
        var request = URLRequest(url: server.url)
        request.httpMethod = "PUT"
        let file = try TemporaryFile(Data("x".utf8))
        let tasks = (0..<20_000).map { _ in session.uploadTask(with: request, fromFile: file.url) }
        for task in tasks { task.resume() }
        try FileManager.default.removeItem(at: file.url)
        gate.open()
        for task in tasks { #expect(try await delegate.completion(of: task).error != nil) }
        #expect(server.requestCount == 1)
    }

    @Test("A task that is suspended, waits for its retry or is cancelled leaves its place to others")
    func places() async throws {
        let gate = Gate()
        let server = try LoopbackServer { request in
            switch request.path {
            case "/gated": .gated(gate, first: 1, of: 2)
            case "/failing": .status(503, headers: ["Retry-After": "30"])
            default: .text("other")
            }
        }
        let delegate = RecordingDelegate()
        var options = CurlSession.Options()
        options.limits = RequestLimits(maximumInFlight: 1, honorsServerDelays: false)
        options.retryPolicy = .standard
        let session = makeSession(delegate, options: options)
        let suspended = session.dataTask(with: server.url("/gated"))
        suspended.resume()
        try await eventually("the first byte") { delegate[suspended].data.count == 1 }
        let waiting = session.dataTask(with: server.url("/other"))
        let cancelled = session.dataTask(with: server.url("/cancelled"))
        cancelled.resume()
        waiting.resume()
        cancelled.cancel()
        #expect(try await delegate.completion(of: cancelled).error?.code == .cancelled)
        #expect(delegate[waiting].completions == 0)
        suspended.suspend()
        #expect(try await delegate.completion(of: waiting).text == "other")
        let retrying = session.dataTask(with: server.url("/failing"))
        retrying.resume()
        try await eventually("the first attempt") { retrying.metrics?.retries.count == 1 }
        #expect(try await delegate.run(session.dataTask(with: server.url("/other"))).text == "other")
        retrying.cancel()
        gate.open()
        suspended.resume()
        #expect(try await delegate.completion(of: suspended).data.count == 2)
        #expect(!server.requests.contains { $0.path == "/cancelled" })
    }

    @Test("A task suspended while it waits for its place takes none, and runs once when it is resumed")
    func suspendedWhileWaiting() async throws {
        let gate = Gate()
        let server = try LoopbackServer { request in
            request.path == "/gated" ? .gated(gate, first: 1, of: 2) : .text(request.path)
        }
        let delegate = RecordingDelegate()
        var options = CurlSession.Options()
        options.limits = RequestLimits(maximumInFlight: 1)
        let session = makeSession(delegate, options: options)
        let first = session.dataTask(with: server.url("/gated"))
        first.resume()
        try await eventually("the first byte") { delegate[first].data.count == 1 }
        let suspended = session.dataTask(with: server.url("/suspended"))
        let last = session.dataTask(with: server.url("/last"))
        suspended.resume()
        last.resume()
        for _ in 0..<3 {
            suspended.suspend()
            suspended.resume()
        }
        suspended.suspend()
        gate.open()
        #expect(try await delegate.completion(of: last).text == "/last")
        suspended.resume()
        #expect(try await delegate.completion(of: suspended).text == "/suspended")
        #expect(server.requests.filter { $0.path == "/suspended" }.count == 1)
        #expect(delegate.violations == [])
    }

    // MARK: - Rates

    @Test("Requests to an origin keep to the rate, and those to another do not wait for them")
    func rate() async throws {
        let server = try LoopbackServer { _ in .text("") }
        let other = try LoopbackServer { _ in .text("") }
        let session = session(RequestLimits(rate: .init(5, per: 1, burst: 5)))
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<15 { group.addTask { _ = try await session.data(from: server.url) } }
            try await group.waitForAll()
        }
        // Ten of the requests have waited for a token; five tokens are issued in a second.
        #expect(ContinuousClock.now - start >= .milliseconds(1_990))
        #expect(server.requestCount == 15)
        // The sixth request would be sent after minutes.
        let slow = self.session(RequestLimits(rate: .init(5, per: 1_000, burst: 5)))
        server.reset()
        let tasks = (0..<15).map { _ in slow.dataTask(with: server.url) }
        for task in tasks { task.resume() }
        try await server.waitForRequests(5, timeout: 40 * patience)
        for _ in 0..<5 { _ = try await slow.data(from: other.url) }
        #expect(server.requestCount == 5)
        slow.invalidateAndCancel()
    }

    @Test("Waiting for the rate takes no processor time, and the tasks can be cancelled and invalidated")
    func waiting() async throws {
        let server = try LoopbackServer { _ in .text("") }
        let delegate = RecordingDelegate()
        var options = CurlSession.Options()
        options.limits = RequestLimits(rate: .init(1, per: 1_000))
        let session = makeSession(delegate, options: options)
        _ = try await delegate.run(session.dataTask(with: server.url))
        let tasks = (0..<100).map { _ in session.dataTask(with: server.url) }
        for task in tasks { task.resume() }
        tasks[0].cancel()
        #expect(try await delegate.completion(of: tasks[0]).error?.code == .cancelled)
        session.invalidateAndCancel()
        for task in tasks { #expect(try await delegate.completion(of: task).error?.code == .cancelled) }
        try await eventually("the invalidation") { delegate.invalidations == 1 }
        #expect(server.requestCount == 1)
        #expect(delegate.violations == [])
    }

    @Test("A session is released with requests that waited for the rate when it was invalidated")
    func released() async throws {
        let server = try LoopbackServer { _ in .text("") }
        let delegate = RecordingDelegate()
        var options = CurlSession.Options()
        options.limits = RequestLimits(maximumInFlight: 1, rate: .init(1, per: 1_000))
        var session: CurlSession? = makeSession(delegate, options: options)
        weak let engine = session?.engine
        #expect(engine != nil)
        var tasks = (0..<10).compactMap { _ in session?.dataTask(with: server.url) }
        for task in tasks { task.resume() }
        try await delegate.completion(of: tasks[0])
        session?.invalidateAndCancel()
        for task in tasks { try await delegate.completion(of: task) }
        (session, tasks) = (nil, [])
        try await eventually("the engine's end") { engine == nil }
    }

    @Test("The deadline of the call ends the wait")
    func deadline() async throws {
        let server = try LoopbackServer { _ in .text("") }
        let delegate = RecordingDelegate()
        var options = CurlSession.Options()
        options.limits = RequestLimits(rate: .init(1, per: 1_000))
        let session = makeSession(delegate, options: options)
        defer { session.invalidateAndCancel() }
        #expect(try await delegate.run(session.dataTask(with: server.url)).status == 200)
        let task = session.dataTask(with: server.url)
        task.deadline = 1
        let error = try await delegate.run(task).error
        #expect(error?.code == .timedOut)
        #expect(error?.ferryCode == .deadlineExceeded)
        #expect(server.requestCount == 1)
    }

    @Test("The requests behind cancelled ones begin when their time has come")
    func cancelled() async throws {
        let server = try LoopbackServer { _ in .text("") }
        let delegate = RecordingDelegate()
        var options = CurlSession.Options()
        options.limits = RequestLimits(rate: .init(1, per: 10, burst: 1))
        let session = makeSession(delegate, options: options)
        _ = try await delegate.run(session.dataTask(with: server.url))
        let tasks = (0..<10).map { _ in session.dataTask(with: server.url) }
        for task in tasks { task.resume() }
        for task in tasks { task.cancel() }
        for task in tasks { _ = try await delegate.completion(of: task) }
        #expect(try await delegate.run(session.dataTask(with: server.url)).status == 200)
        #expect(server.requestCount == 2)
    }

    // MARK: - Delays of servers

    @Test("One 503 among other responses delays only the request that it refuses") func single() async throws {
        let count = Watched(0)
        let server = try LoopbackServer { _ in
            let number = count.change { count in
                count += 1
                return count
            }
            // No two 503s follow each other.
            return number % 10 == 1 ? .status(503, headers: ["Retry-After": "60"]) : .text("yes")
        }
        let session = session(RequestLimits())
        var refused = 0
        for _ in 0..<50 {
            let response = try await session.data(from: server.url).1
            let status = (response as? HTTPURLResponse)?.statusCode
            refused += status == 503 ? 1 : 0
        }
        #expect(refused == 5)
        #expect(server.requestCount == 50)
    }

    @Test("Redirects to very many invented hosts do not end the delay of a server that a task names")
    func inventedHosts() async throws {
        let isHeld = Watched(false)
        let server = try LoopbackServer { _ in
            isHeld.change { isHeld in
                defer { isHeld = true }
                return isHeld ? .text("early") : .status(429, headers: ["Retry-After": "50"])
            }
        }
        // All hosts are behind the proxy, which also asks for long delays.
        let proxy = try LoopbackServer { request in
            let next = "http://h\(UUID().uuidString).invalid/"
            return .status(302, headers: ["Location": next, "Retry-After": "50"])
        }
        var options = CurlSession.Options()
        options.limits = RequestLimits(rate: .init(1, per: 1_000, burst: 1))
        options.maximumRedirects = 2_000
        options.proxy = .http("127.0.0.1", port: proxy.port, except: ["127.0.0.1"])
        let session = Wire.session(options: options)
        _ = try await session.data(from: server.url)
        let url = try #require(URL(string: "http://first.invalid/"))
        _ = await Wire.error { try await session.data(from: url) }
        let late = session.dataTask(with: server.url) { _, _, _ in }
        late.resume()
        // A request that is not held back would arrive before the responses to these requests.
        let other = try LoopbackServer { _ in .text("") }
        options.limits = nil
        for _ in 0..<5 { _ = try await Wire.session(options: options).data(from: other.url) }
        #expect(server.requestCount == 1)
        late.cancel()
    }

    @Test("Without limits, or if they say so, no other request waits for a server's delay")
    func noHold() async throws {
        let server = try LoopbackServer { _ in .status(429, headers: ["Retry-After": "50"]) }
        for limits in [nil, RequestLimits(honorsServerDelays: false), RequestLimits(maximumServerDelay: 49)] {
            var options = CurlSession.Options()
            options.limits = limits
            let session = Wire.session(options: options)
            for _ in 0..<3 { _ = try await session.data(from: server.url) }
        }
        #expect(server.requestCount == 9)
    }

    @Test("A retry waits together with the other requests, and only those in flight are refused")
    func holdAndRetry() async throws {
        let (start, refusals) = (Watched<ContinuousClock.Instant?>(nil), Watched(0))
        let server = try LoopbackServer { _ in
            let now = ContinuousClock.now
            let first = start.change { start in
                let first = start ?? now
                start = first
                return first
            }
            guard now - first < .seconds(1) else { return .text("yes") }
            refusals.change { $0 += 1 }
            return .status(429, headers: ["Retry-After": "2"])
        }
        var options = CurlSession.Options()
        options.limits = RequestLimits(maximumInFlight: 4)
        options.retryPolicy = .standard
        options.retryPolicy?.budget = nil
        let session = Wire.session(options: options)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    let data = try await session.data(from: server.url).0
                    #expect(data == Data("yes".utf8))
                }
            }
            try await group.waitForAll()
        }
        // Only requests that were in flight have been refused.
        #expect((1...4).contains(refusals.current))
        #expect(server.requestCount == 50 + refusals.current)
    }
}
