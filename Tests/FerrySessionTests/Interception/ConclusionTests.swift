import FerrySession
import FerryTesting
import TestSupport
import Testing

/// Interceptors around the whole call.
@Suite(.timeLimit(.minutes(2))) struct ConclusionTests {
    private let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    private func session(
        _ interceptors: [any RequestInterceptor],
        _ change: (inout CurlSession.Options) -> Void = { _ in }
    ) -> CurlSession {
        var options = CurlSession.Options()
        options.interceptors = interceptors
        change(&options)
        return CurlSession(configuration: .ephemeral, options: options)
    }

    private func text(_ session: CurlSession, _ url: URL) async throws -> (text: String, status: Int) {
        let (data, response) = try await session.data(from: url)
        return (String(decoding: data, as: UTF8.self), (response as? HTTPURLResponse)?.statusCode ?? 0)
    }

    @Test("A response takes the place of the error of the last attempt")
    func error() async throws {
        let ends = Watched<[AttemptOutcome]>([])
        let attempts = Watched<[Int]>([])
        let around = Around { attempt, end in
            attempts.append(attempt.number)
            ends.append(end)
            return InterceptedResponse(headers: ["X-From": "memory"], body: Data("kept".utf8))
        }
        let session = session([around]) { options in
            var retry = RetryPolicy.standard
            (retry.maximumRetries, retry.backoff) = (2, RetryPolicy.Backoff(base: 0))
            options.retryPolicy = retry
        }
        defer { session.invalidateAndCancel() }
        let url = try #require(URL(string: "http://127.0.0.1:1/"))
        #expect(try await text(session, url) == ("kept", 200))
        #expect(attempts.current == [3])
        #expect(ends.current.map(\.error?.code) == [.cannotConnectToHost])
        #expect(ends.current.first?.body == Data())
    }

    @Test("The response of a server is changed, for data, downloads and streams")
    func changed() async throws {
        let around = Around(statuses: Set(200...299)) { _, end in
            guard end.isBodyComplete, let response = end.response else { return nil }
            return InterceptedResponse(statusCode: response.statusCode, body: Data(end.body.reversed()))
        }
        let session = session([around])
        defer { session.invalidateAndCancel() }
        let expected = Data(LoopbackServer.pattern(count: 1_000).reversed())
        let url = server.url("/bytes/1000")
        #expect(try await session.data(from: url).0 == expected)
        let (file, _) = try await session.download(from: url)
        #expect(try Data(contentsOf: file) == expected)
        try FileManager.default.removeItem(at: file)
        var bytes = Data()
        for try await chunk in try await session.bytes(from: url).0.chunks { bytes += chunk }
        #expect(bytes == expected)
    }

    @Test(
        "A success that interceptors see is continued like any other, and asked about once it is complete or long",
        arguments: [(20_000, 10_000), (500_000, 200_000)]
    )
    func continued(bytes: Int, resetsEvery: Int) async throws {
        let count = Watched(0)
        let server = try LoopbackServer { request in
            let isFirst = count.change { count in
                count += 1
                return count == 1
            }
            return RangedContent(count: bytes, resetsEvery: isFirst ? resetsEvery : nil).response(to: request)
        }
        let statuses = Watched<[Int]>([])
        let around = Around(statuses: [200]) { _, end in
            statuses.append(end.response?.statusCode ?? 0)
            return nil
        }
        let session = session([around]) { options in
            var retry = RetryPolicy.standard
            retry.backoff = RetryPolicy.Backoff(base: 0)
            options.retryPolicy = retry
        }
        defer { session.invalidateAndCancel() }
        #expect(try await session.data(from: server.url).0 == LoopbackServer.pattern(count: bytes))
        // The beginning of a long response has been delivered, so its rest is requested.
        #expect(server.requests.map { $0.header("Range") != nil } == [false, bytes > 65_536])
        #expect(statuses.current == [200])
    }

    @Test("A HEAD request that an interceptor answers has no body") func head() async throws {
        struct Answer: RespondingInterceptor {
            func respond(to request: URLRequest, for attempt: RequestAttempt) async throws -> InterceptedResponse? {
                InterceptedResponse(statusCode: 404, body: Data("no such thing".utf8))
            }
        }
        let session = session([Answer()])
        defer { session.invalidateAndCancel() }
        let (data, response) = try await session.data(for: Wire.request(server.url, "HEAD"))
        #expect(data.isEmpty && (response as? HTTPURLResponse)?.statusCode == 404)
    }

    @Test("The body is held back up to the interceptor's limit", arguments: [200_000, 300_000])
    func limit(count: Int) async throws {
        let ends = Watched<[AttemptOutcome]>([])
        let around = Around(statuses: [200], limit: 250_000) { _, end in
            ends.append(end)
            return nil
        }
        let session = session([around])
        defer { session.invalidateAndCancel() }
        #expect(try await session.data(from: server.url("/bytes/\(count)")).0 == LoopbackServer.pattern(count: count))
        let end = try #require(ends.current.first)
        #expect(ends.current.count == 1)
        #expect(end.isBodyComplete == (count < 250_000))
        #expect(end.isBodyComplete ? end.body.count == count : end.body.count >= 250_000)
        #expect(LoopbackServer.pattern(count: count).starts(with: end.body))
    }

    @Test("Without a change the call ends as it would have ended, with its status or error")
    func unchanged() async throws {
        let asked = Watched(0)
        let around = Around { _, _ in
            asked.change { $0 += 1 }
            return nil
        }
        let session = session([around])
        defer { session.invalidateAndCancel() }
        #expect(try await text(session, server.url("/status/503")).status == 503)
        let error = await #expect(throws: URLError.self) {
            try await session.data(from: try #require(URL(string: "http://127.0.0.1:1/")))
        }
        #expect(error?.code == .cannotConnectToHost && asked.current == 2)
        // A success is not one of the interceptor's statuses.
        #expect(try await text(session, server.url("/bytes/3")).status == 200)
        #expect(asked.current == 2)
    }

    @Test("An error of the interceptor is the task's")
    func failure() async throws {
        struct Refusal: Error {}
        let session = session([Around { _, _ in throw Refusal() }])
        defer { session.invalidateAndCancel() }
        await #expect(throws: Refusal.self) { try await session.data(from: server.url("/status/500")) }
    }

    @Test("The response of the interceptor is final: its status is not retried, its redirect not followed")
    func final() async throws {
        let asked = Watched(0)
        for status in [302, 401, 503] {
            let around = Around { _, _ in
                asked.change { $0 += 1 }
                return InterceptedResponse(
                    statusCode: status,
                    headers: ["Location": "/bytes/1", "WWW-Authenticate": "Basic realm=\"a\""],
                    body: Data("end".utf8)
                )
            }
            let session = session([around]) { $0.retryPolicy = .standard }
            defer { session.invalidateAndCancel() }
            #expect(try await text(session, server.url("/status/404")) == ("end", status))
        }
        #expect(asked.current == 3)
    }

    @Test("A request that a circuit breaker refuses has the interceptor's response")
    func circuit() async throws {
        var rule = CircuitBreaker.Rule()
        (rule.failureShare, rule.minimumRequests, rule.openTime) = (0.01, 1, 600)
        let breaker = CircuitBreaker(rule)
        let causes = Watched<[String]>([])
        let around = Around { _, end in
            causes.append(end.error?.localizedDescription ?? "")
            return InterceptedResponse(body: Data("kept".utf8))
        }
        let session = session([around]) { $0.circuitBreaker = breaker }
        defer { session.invalidateAndCancel() }
        let url = try #require(URL(string: "http://127.0.0.1:1/"))
        for _ in 0..<2 { #expect(try await text(session, url) == ("kept", 200)) }
        #expect(breaker.state(of: url) != .closed)
        #expect(causes.current.count == 2 && causes.current[0] != causes.current[1])
    }

    @Test("After bytes that cannot be taken back, the interceptor is not asked")
    func delivered() async throws {
        let asked = Watched(0)
        let around = Around { _, _ in
            asked.change { $0 += 1 }
            return InterceptedResponse(body: Data("other".utf8))
        }
        let session = session([around])
        defer { session.invalidateAndCancel() }
        var received = 0
        await #expect(throws: URLError.self) {
            for try await chunk in try await session.bytes(from: server.url("/truncate?after=50000&bytes=100000")).0
                .chunks
            {
                received += chunk.count
            }
        }
        #expect(received > 0 && asked.current == 0)
        // A task that delivers its data at the end can still be answered by the interceptor.
        #expect(try await text(session, server.url("/truncate?after=50000&bytes=100000")).text == "other")
    }

    @Test("Cancellation and the deadline end the wait for an interceptor", arguments: [false, true])
    func ends(isCancelled: Bool) async throws {
        let isAsked = Watched(false)
        let around = Around { _, _ in
            isAsked.change { $0 = true }
            try await Task.sleep(for: .seconds(1_000))
            return nil
        }
        let session = session([around]) { if !isCancelled { $0.deadline = 4 + 4 * patience } }
        defer { session.invalidateAndCancel() }
        let task = Task { try await session.data(from: server.url("/status/500")) }
        try await isAsked.wait { $0 }
        if isCancelled { task.cancel() }
        let error = await #expect(throws: URLError.self) { try await task.value }
        #expect(error?.code == (isCancelled ? .cancelled : .timedOut))
    }
}

/// An interceptor around the whole call that is a closure.
private struct Around: ConcludingInterceptor {
    var failureStatusCodes: Set<Int>
    var heldBodyLimit: Int
    let body: @Sendable (RequestAttempt, AttemptOutcome) async throws -> InterceptedResponse?

    init(
        statuses: Set<Int> = Set(400...599),
        limit: Int = 65_536,
        _ body: @escaping @Sendable (RequestAttempt, AttemptOutcome) async throws -> InterceptedResponse?
    ) {
        (failureStatusCodes, heldBodyLimit, self.body) = (statuses, limit, body)
    }

    func conclude(_ attempt: RequestAttempt, with end: AttemptOutcome) async throws -> InterceptedResponse? {
        try await body(attempt, end)
    }
}
