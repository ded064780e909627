import FerryTesting
import Testing

@testable import FerrySession

/// Timeouts in milliseconds, which count only while waiting for the network.
@Suite(.timeLimit(.minutes(5)))
struct TimeoutTests {
    private func expectTimeout(
        _ error: URLError?,
        _ code: CurlSessionError.Code,
        _ url: URL,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(error?.code == .timedOut, sourceLocation: sourceLocation)
        #expect(error?.curlSessionError?.code == code, sourceLocation: sourceLocation)
        #expect(error?.userInfo[NSURLErrorFailingURLErrorKey] as? URL == url, sourceLocation: sourceLocation)
        #expect(error?.localizedDescription.contains(url.absoluteString) == true, sourceLocation: sourceLocation)
    }

    private func expectAbout(
        _ seconds: Double,
        since start: ContinuousClock.Instant,
        _ meter: StallMeter,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let passed = Wire.seconds(since: start)
        let isAbout = passed >= seconds * 0.95 && passed < seconds * 5 + meter.bound(3)
        #expect(isAbout, "\(passed) s", sourceLocation: sourceLocation)
    }

    @Test("Gap 14: a silent server times out after 0.3 s, not 0 and not 1") func silent() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse().faulted(.stallBeforeHead) }
        let (start, meter) = (ContinuousClock.now, StallMeter())
        let error = await Wire.error { try await Wire.session().data(for: Wire.request(server.url, timeout: 0.3)) }
        expectTimeout(error, .inactivityTimeout, server.url)
        expectAbout(0.3, since: start, meter)
    }

    @Test(
        "Gap 14 on FoundationNetworking",
        .foundationNetworking("0.5 s fires at once, and without userInfo")
    )
    func silentOfFoundation() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse().faulted(.stallBeforeHead) }
        let (start, meter) = (ContinuousClock.now, StallMeter())
        let session = URLSession(configuration: .ephemeral)
        let error = await Wire.error { try await session.data(for: Wire.request(server.url, timeout: 0.5)) }
        #expect(error?.userInfo[NSURLErrorFailingURLErrorKey] as? URL == server.url)
        expectAbout(0.5, since: start, meter)
    }

    @Test("The session's timeout applies if the request has none") func fromConfiguration() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse().faulted(.stallBeforeHead) }
        let session = Wire.session { $0.timeoutIntervalForRequest = 0.2 }
        let (start, meter) = (ContinuousClock.now, StallMeter())
        expectTimeout(await Wire.error { try await session.data(from: server.url) }, .inactivityTimeout, server.url)
        expectAbout(0.2, since: start, meter)
    }

    @Test("A stall within the body times out, for every kind of task") func midBody() async throws {
        let server = try LoopbackServer { _ in
            LoopbackResponse.pattern(count: 100_000).faulted(.stall(afterBodyBytes: 50_000))
        }
        let recorder = RecordingDelegate()
        let session = Wire.session(recorder)
        let request = Wire.request(server.url, timeout: 0.3)
        let (start, meter) = (ContinuousClock.now, StallMeter())
        for task in [session.dataTask(with: request), session.downloadTask(with: request)] {
            let outcome = try await recorder.run(task)
            expectTimeout(outcome.error, .inactivityTimeout, server.url)
            #expect(outcome.completions == 1)
        }
        expectAbout(0.6, since: start, meter)
    }

    @Test("A server that does not read times out") func unread() async throws {
        var configuration = LoopbackServer.Configuration()
        configuration.receiveBufferSize = 4096
        configuration.bodyReading = { _ in .delayed(30) }
        let server = try LoopbackServer(configuration: configuration) { _ in .text("ok") }
        let request = Wire.request(server.url, "POST", timeout: 0.4)
        let error = await Wire.error { try await Wire.session().upload(for: request, from: Data(count: 30_000_000)) }
        expectTimeout(error, .inactivityTimeout, server.url)
    }

    @Test("The resource timeout applies while bytes arrive slowly") func resource() async throws {
        let server = try LoopbackServer { _ in
            LoopbackResponse(body: .dripped(Array(repeating: Data("x".utf8), count: 1000), interval: 0.02))
        }
        let session = Wire.session { $0.timeoutIntervalForResource = 0.4 }
        let (start, meter) = (ContinuousClock.now, StallMeter())
        expectTimeout(await Wire.error { try await session.data(from: server.url) }, .resourceTimeout, server.url)
        expectAbout(0.4, since: start, meter)
    }

    @Test("The resource timeout includes all redirects") func resourceAcrossRedirections() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.redirect(to: "/next").delayed(0.1) }
        let session = Wire.session { $0.timeoutIntervalForResource = 0.35 }
        let error = await Wire.error { try await session.data(from: server.url) }
        #expect(error?.code == .timedOut && error?.curlSessionError?.code == .resourceTimeout)
        #expect(server.requestCount < 10)
    }

    @Test("An interceptor's timeout replaces the request's, and so does that of the request that follows a redirect")
    func replaced() async throws {
        let server = try LoopbackServer { request in
            request.path == "/" ? .redirect(to: "/next") : LoopbackResponse().faulted(.stallBeforeHead)
        }
        var options = CurlSession.Options()
        options.interceptors = [ClosureInterceptor(change: { request, _ in request.timeoutInterval = 0.2 })]
        let adapted = await Wire.error {
            try await Wire.session(options: options).data(for: Wire.request(server.url("/a"), timeout: 30))
        }
        expectTimeout(adapted, .inactivityTimeout, server.url("/a"))
        var hooks = DelegateHooks()
        hooks.onRedirect = { _, _, request, follow in
            var next = request
            next.timeoutInterval = 0.2
            follow(next)
        }
        let recorder = RecordingDelegate(hooks)
        let session = Wire.session(recorder)
        let outcome = try await recorder.run(session.dataTask(with: Wire.request(server.url, timeout: 30)))
        expectTimeout(outcome.error, .inactivityTimeout, server.url("/next"))
    }

    @Test("The time of a decision about a redirect does not count, also if its body has not ended")
    func decision() async throws {
        let server = try LoopbackServer { request in
            if request.path == "/next" { return .text("ok") }
            var response = LoopbackResponse.redirect(to: "/next")
            response.body = .data(Data(count: 1_000_000))
            return response.faulted(.stall(afterBodyBytes: 500_000))
        }
        let limit = 3 + patience
        for follows in [true, false] {
            var hooks = DelegateHooks()
            hooks.onRedirect = { _, _, request, follow in
                Thread.sleep(forTimeInterval: 1.25 * limit)
                follow(follows ? request : nil)
            }
            let recorder = RecordingDelegate(hooks)
            let session = Wire.session(recorder) { $0.timeoutIntervalForResource = limit }
            let outcome = try await recorder.run(session.dataTask(with: server.url))
            if follows {
                #expect(outcome.error == nil && outcome.data == Data("ok".utf8))
            } else {
                // Afterwards the time counts again, and the rest of the body does not come.
                expectTimeout(outcome.error, .resourceTimeout, server.url)
            }
        }
    }

    @Test("A connection that is not established in time times out") func connect() async throws {
        // A listener whose queue is full completes no handshake.
        let listener = try UnansweringListener()
        let url = listener.url
        var options = CurlSession.Options()
        options.connectTimeout = 0.3
        let (start, meter) = (ContinuousClock.now, StallMeter())
        let error = await Wire.error { try await Wire.session(options: options).data(from: url) }
        expectTimeout(error, .connectTimeout, url)
        expectAbout(0.3, since: start, meter)
        let second = await Wire.error { try await Wire.session().data(for: Wire.request(url, timeout: 0.3)) }
        expectTimeout(second, .inactivityTimeout, url)
        withExtendedLifetime(listener) {}
    }

    @Test("Requests that wait for the connection of another one time out with it", arguments: [true, false])
    func connectTogether(hasConnectTimeout: Bool) async throws {
        // Connections are accepted by the system; the handshakes are never answered.
        let listener = try SilentListener()
        let count = 12
        let timeout = patience
        var options = CurlSession.Options()
        if hasConnectTimeout { options.connectTimeout = timeout }
        let session = Wire.session(options: options) { $0.httpMaximumConnectionsPerHost = count }
        let request = Wire.request(listener.url, timeout: hasConnectTimeout ? 60 : timeout)
        let (start, meter) = (ContinuousClock.now, StallMeter())
        let codes = await withTaskGroup(of: CurlSessionError.Code?.self) { group in
            for _ in 0..<count {
                group.addTask { await Wire.error { try await session.data(for: request) }?.curlSessionError?.code }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes == Array(repeating: hasConnectTimeout ? .connectTimeout : .inactivityTimeout, count: count))
        // One after another, the requests would take twelve times as long.
        expectAbout(timeout, since: start, meter)
    }

    @Test("After a timeout on an idle connection, no other one is used that has received nothing since")
    func lost() async throws {
        let (count, arrived) = (3, Watched(0))
        let server = try RawServer { connection in
            connection.readHead()
            arrived.change { $0 += 1 }
            // So that each of the first requests has a connection of its own.
            while arrived.current < count { usleep(1_000) }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            connection.readAll()
        }
        let session = Wire.session()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count { group.addTask { _ = try await session.data(from: server.url()) } }
            try await group.waitForAll()
        }
        let error = await Wire.error { try await session.data(for: Wire.request(server.url(), timeout: 0.3)) }
        expectTimeout(error, .inactivityTimeout, server.url())
        let (data, _) = try await session.data(for: Wire.request(server.url(), timeout: 10 * patience))
        #expect(data == Data("ok".utf8))
    }

    @Test("A body that was acknowledged at once does not double the timeout") func acknowledged() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse().faulted(.stallBeforeHead) }
        let session = Wire.session()
        let ends = Watched<[String]>([])
        // A request without a body, and with nearly twice the timeout, ends later.
        let requests = [
            Wire.request(server.url("/without"), timeout: 5.4 * patience),
            Wire.request(server.url("/with"), "POST", timeout: 3 * patience),
        ]
        await withTaskGroup(of: Void.self) { group in
            for request in requests {
                group.addTask {
                    let body = request.httpMethod == "POST" ? Data(count: 1000) : nil
                    let error = await Wire.error {
                        if let body { return try await session.upload(for: request, from: body) }
                        return try await session.data(for: request)
                    }
                    expectTimeout(error, .inactivityTimeout, server.url(body == nil ? "/without" : "/with"))
                    ends.append(body == nil ? "without" : "with")
                }
            }
        }
        #expect(ends.change { $0 } == ["with", "without"])
    }

    @Test(
        "Timeouts that mean no limit never trap, and never fire",
        arguments: [0, -1, .infinity, -.infinity, .nan, .greatestFiniteMagnitude, 1e18, .leastNormalMagnitude]
            as [Double]
    )
    func extremes(_ interval: Double) async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.text("ok").delayed(0.05) }
        var options = CurlSession.Options()
        options.connectTimeout = interval == .leastNormalMagnitude ? nil : interval
        let session = Wire.session(options: options) {
            $0.timeoutIntervalForRequest = interval
            $0.timeoutIntervalForResource = interval == .leastNormalMagnitude ? 0 : interval
        }
        do {
            let (data, _) = try await session.data(for: Wire.request(server.url, timeout: interval))
            #expect(data == Data("ok".utf8) && interval != .leastNormalMagnitude)
        } catch let error as URLError {
            // The smallest number is still a timeout, which has already passed.
            #expect(interval == .leastNormalMagnitude && error.code == .timedOut)
        }
    }

    @Test("Two hundred concurrent timeouts fire once each, for their own task") func many() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse().faulted(.stallBeforeHead) }
        let recorder = RecordingDelegate()
        let session = Wire.session(recorder) { $0.httpMaximumConnectionsPerHost = 200 }
        let tasks = (0..<200).map {
            session.dataTask(with: Wire.request(server.url("/\($0)"), timeout: 0.3 + Double($0) / 1000))
        }
        for task in tasks { task.resume() }
        for (index, task) in tasks.enumerated() {
            let outcome = try await recorder.completion(of: task)
            expectTimeout(outcome.error, .inactivityTimeout, server.url("/\(index)"))
            #expect(outcome.completions == 1)
        }
    }
}
