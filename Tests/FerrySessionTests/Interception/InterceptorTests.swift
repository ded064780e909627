import FerrySession
import FerryTesting
import TestSupport
import Testing

/// Interceptors that change requests, respond to them, and decide about retries.
@Suite(.timeLimit(.minutes(5)))
struct InterceptorTests {
    /// An interceptor that is asked on the thread that resumes the task.
    private struct Immediate: ImmediateRequestInterceptor {
        var waits = false
        let calls = Watched<[String]>([])

        func adaptImmediately(_ request: inout AdaptedRequest, for attempt: RequestAttempt) throws -> Bool {
            calls.change { $0.append("immediately") }
            // If it waits, the change is discarded.
            request.setValue("\(attempt.number)", forHTTPHeaderField: "X-Attempt")
            return !waits
        }

        func adapt(_ request: URLRequest, for attempt: RequestAttempt) async throws -> URLRequest {
            calls.change { $0.append("later") }
            return try adapted(request, attempt)
        }

        private func adapted(_ request: URLRequest, _ attempt: RequestAttempt) throws -> URLRequest {
            var request = request
            request.addValue("\(attempt.number)", forHTTPHeaderField: "X-Attempt")
            return request
        }
    }

    private struct Responder: RespondingInterceptor {
        let answer: @Sendable (URLRequest, RequestAttempt) async throws -> InterceptedResponse?

        func respond(to request: URLRequest, for attempt: RequestAttempt) async throws -> InterceptedResponse? {
            try await answer(request, attempt)
        }
    }

    private struct Refusal: Error, Equatable { var reason = "no token" }

    private func session(
        _ interceptors: any RequestInterceptor...,
        delegate: (any URLSessionDelegate)? = nil,
        retry: RetryPolicy? = nil,
        deadline: TimeInterval? = nil
    ) -> CurlSession {
        var options = CurlSession.Options()
        options.interceptors = interceptors
        options.retryPolicy = retry
        options.deadline = deadline
        return Wire.session(delegate, options: options)
    }

    private var quick: RetryPolicy {
        var policy = RetryPolicy.standard
        policy.backoff = .init(base: 0.01)
        return policy
    }

    @Test("An interceptor is asked once about a response with a body that ends early")
    func decidedResponse() async throws {
        let body = Gzip.encode(LoopbackServer.pattern(count: 10_000)).dropLast(20)
        let server = try LoopbackServer { _ in
            LoopbackResponse(statusCode: 503, body: .data(body)).adding("Content-Encoding", "gzip")
        }
        let calls = Watched(0)
        let session = session(
            ClosureInterceptor(decide: { _, failure in
                calls.change { $0 += 1 }
                return failure.response == nil ? .retry : .doNotRetry
            })
        )
        let error = await Wire.error { try await session.data(from: server.url) }
        #expect(error?.code == .cannotDecodeContentData)
        #expect(calls.current == 1)
        #expect(server.requestCount == 1)
    }

    @Test("An interceptor decides about a body that ends early although its message is complete")
    func bodyEndsEarly() async throws {
        let count = Watched(0)
        let body = Gzip.encode(LoopbackServer.pattern(count: 10_000))
        let server = try LoopbackServer { _ in
            let isFirst = count.change { count -> Bool in
                count += 1
                return count == 1
            }
            return LoopbackResponse(body: .data(isFirst ? body.dropLast(20) : body)).adding("Content-Encoding", "gzip")
        }
        let session = session(
            ClosureInterceptor(decide: { _, failure in
                failure.error?.code == .cannotDecodeContentData ? .retry : .proceed
            })
        )
        let (data, _) = try await session.data(from: server.url)
        #expect(data == LoopbackServer.pattern(count: 10_000))
        #expect(server.requestCount == 2)
    }

    private func text(_ session: CurlSession, _ url: URL) async throws -> String {
        String(decoding: try await session.data(from: url).0, as: UTF8.self)
    }

    // MARK: - Adapting

    @Test("Interceptors change the request in their order, before each attempt, from the original request")
    func order() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.sequence([.status(503), .status(503), .text("yes")]))
        let first = ClosureInterceptor { request, attempt in
            request.addValue("first\(attempt.number)", forHTTPHeaderField: "X-Chain")
        }
        let second = ClosureInterceptor { request, attempt in
            await Task.yield()
            request.addValue("second\(attempt.number)", forHTTPHeaderField: "X-Chain")
        }
        #expect(try await text(session(first, second, retry: quick), server.url) == "yes")
        let chains = server.requests.map { $0.header("X-Chain") }
        #expect(chains == ["first1,second1", "first2,second2", "first3,second3"])
    }

    @Test("The error of an interceptor is the error of the task, and nothing is sent") func refusal() async throws {
        let server = try LoopbackServer { _ in .text("sent") }
        let session = session(ClosureInterceptor { _, _ in throw Refusal() })
        await #expect(throws: Refusal()) { try await session.data(from: server.url) }
        #expect(server.requests.isEmpty)
    }

    @Test("An interceptor that need not wait is asked where the task is resumed, and only once") func immediate()
        async throws
    {
        let server = try LoopbackServer(handler: LoopbackServer.sequence([.status(503), .text("yes")]))
        let interceptor = Immediate()
        #expect(try await text(session(interceptor, retry: quick), server.url) == "yes")
        #expect(interceptor.calls.current == ["immediately", "later"])
        #expect(server.requests.map { $0.header("X-Attempt") } == ["1", "2"])
        let waiting = Immediate(waits: true)
        #expect(try await text(session(waiting), server.url) == "yes")
        #expect(waiting.calls.current == ["immediately", "later"])
        #expect(server.requests.last?.header("X-Attempt") == "1")
    }

    @Test("A cancelled task cancels the interceptor that it waits for") func cancel() async throws {
        let server = try LoopbackServer { _ in .text("sent") }
        let state = Watched("")
        let waiting = ClosureInterceptor { _, _ in
            state.change { $0 = "waiting" }
            defer { state.change { $0 = "cancelled \(Task.isCancelled)" } }
            try await Task.sleep(for: .seconds(600))
        }
        let recorder = RecordingDelegate()
        let task = session(waiting, delegate: recorder).dataTask(with: server.url)
        task.resume()
        try await state.wait { $0 == "waiting" }
        task.cancel()
        #expect(try await recorder.completion(of: task).error?.code == .cancelled)
        try await state.wait { $0 == "cancelled true" }
        #expect(server.requests.isEmpty)
    }

    @Test("An interceptor that does not return ends at the deadline") func deadline() async throws {
        let server = try LoopbackServer { _ in .text("sent") }
        let waiting = ClosureInterceptor { _, _ in try await Task.sleep(for: .seconds(600)) }
        let error = await Wire.error { try await session(waiting, deadline: 0.3).data(from: server.url) }
        #expect(error?.code == .timedOut)
        #expect((error?.userInfo[NSUnderlyingErrorKey] as? CurlSessionError)?.code == .deadlineExceeded)
    }

    @Test("A waiting interceptor holds no connection slot") func slots() async throws {
        let server = try LoopbackServer { _ in .text("yes") }
        let gate = Watched(false)
        let waiting = ClosureInterceptor { request, _ in
            if request.url?.path == "/wait" { try await gate.wait { $0 } }
        }
        var options = CurlSession.Options()
        options.maximumConnectionsPerHost = 1
        options.interceptors = [waiting]
        let session = Wire.session(options: options)
        let recorder = RecordingDelegate()
        let task = session.dataTask(with: server.url("/wait"))
        task.delegate = recorder
        task.resume()
        #expect(try await text(session, server.url) == "yes")
        gate.change { $0 = true }
        #expect(try await recorder.completion(of: task).text == "yes")
    }

    @Test("A redirect is adapted again, and a credential is not sent to another origin") func redirects() async throws {
        let other = try LoopbackServer { _ in .text("other") }
        let server = try LoopbackServer { [url = other.url] request in
            switch request.path {
            case "/same": .status(302, headers: ["Location": "/end"])
            case "/other": .status(302, headers: ["Location": url.absoluteString])
            default: .text("end")
            }
        }
        let seen = Watched<[RequestAttempt]>([])
        let token = ClosureInterceptor { request, attempt in
            seen.change { $0.append(attempt) }
            request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
            request.addValue("x", forHTTPHeaderField: "X-Plain")
        }
        #expect(try await text(session(token), server.url("/same")) == "end")
        #expect(server.requests.map { $0.header("Authorization") } == ["Bearer secret", "Bearer secret"])
        #expect(server.requests.map { $0.header("X-Plain") } == ["x", "x"])
        #expect(seen.current.map(\.redirectCount) == [0, 1])
        #expect(seen.current.map(\.number) == [1, 1])
        #expect(try await text(session(token), server.url("/other")) == "other")
        #expect(other.requests.map { $0.header("Authorization") } == [nil])
        #expect(other.requests.map { $0.header("X-Plain") } == ["x"])
        #expect(seen.current.last?.hasLeftOrigin == true)
    }

    // MARK: - Retrying

    @Test("An interceptor causes another attempt for a response, whose body is not delivered") func retry() async throws
    {
        let server = try LoopbackServer { request in
            request.header("Authorization") == "new" ? .text("yes") : .text("expired", statusCode: 401)
        }
        let token = Watched("old")
        let interceptor = ClosureInterceptor(statuses: [401]) { request, _ in
            request.setValue(token.current, forHTTPHeaderField: "Authorization")
        } decide: { attempt, failure in
            #expect(failure.response?.statusCode == 401)
            #expect(failure.request.value(forHTTPHeaderField: "Authorization") == "old")
            token.change { $0 = "new" }
            return attempt.number == 1 ? .retry : .doNotRetry
        }
        let recorder = RecordingDelegate()
        let task = session(interceptor, delegate: recorder).uploadTask(
            with: Wire.request(server.url, "POST"),
            from: Data("body".utf8)
        )
        let record = try await recorder.run(task)
        #expect(record.text == "yes")
        #expect(recorder.violations == [])
        #expect(server.requests.map(\.bodyLength) == [4, 4])
        #expect(task.metrics?.retries.map(\.origin) == [.interceptor])
        #expect(task.currentRequest?.value(forHTTPHeaderField: "Authorization") == "new")
    }

    @Test("An interceptor finds the delay in the body of a failed response", arguments: ["identity", "gzip"])
    func delayInBody(_ coding: String) async throws {
        let answer = Data(#"{"parameters":{"retry_after":0.5}}"#.utf8)
        let body = coding == "gzip" ? Gzip.encode(answer) : answer
        let busy = LoopbackResponse(statusCode: 429, body: .data(body)).adding("Content-Encoding", coding)
        let server = try LoopbackServer(handler: LoopbackServer.sequence([busy, .text("yes")]))
        let interceptor = ClosureInterceptor(decide: { _, failure in
            #expect(failure.isBodyComplete && failure.body == answer)
            return .retryAfter(0.01)
        })
        #expect(try await text(session(interceptor), server.url) == "yes")
        #expect(server.requests.count == 2)
    }

    @Test(
        "An interceptor sees 64 KiB of the body of a failed response, of a server and of another interceptor",
        arguments: [0, 65_535, 65_537, 300_000],
        [true, false]
    )
    func beginningOfBody(_ count: Int, _ isServers: Bool) async throws {
        let body = LoopbackServer.pattern(count: count)
        let server = try LoopbackServer { _ in LoopbackResponse(statusCode: 503, body: .data(body)) }
        let failures = Watched<[AttemptOutcome]>([])
        let interceptor = ClosureInterceptor(decide: { _, failure in
            failures.append(failure)
            return .proceed
        })
        let responder = Responder { _, _ in isServers ? nil : InterceptedResponse(statusCode: 503, body: body) }
        #expect(try await session(interceptor, responder).data(from: server.url).0 == body)
        let failure = try #require(failures.current.first)
        #expect(failures.current.count == 1 && server.requests.count == (isServers ? 1 : 0))
        #expect(failure.isBodyComplete == (count <= 65_536))
        #expect(failure.body == body.prefix(65_536))
    }

    @Test("A 401 with a scheme that the session knows is put to the delegate first, then to interceptors")
    func challenge() async throws {
        let server = try LoopbackServer { request in
            request.header("X-Token") == nil
                ? LoopbackResponse(statusCode: 401, headers: ["WWW-Authenticate": "Basic realm=\"x\""]) : .text("yes")
        }
        let hasToken = Watched(false)
        let interceptor = ClosureInterceptor { request, _ in
            if hasToken.current { request.setValue("t", forHTTPHeaderField: "X-Token") }
        } decide: { _, _ in
            hasToken.change { $0 = true }
            return .retry
        }
        #expect(try await text(session(interceptor), server.url) == "yes")
        #expect(server.requests.count == 2)
    }

    @Test(
        "A delay of centuries is waited for, and is not none",
        arguments: TaskKind.allCases,
        [9e9, 1e10, 1e300, .greatestFiniteMagnitude] as [Double]
    )
    func longDelay(_ kind: TaskKind, _ seconds: Double) async throws {
        let server = try LoopbackServer { _ in .text("busy", statusCode: 503) }
        let decisions = Watched(0)
        let interceptor = ClosureInterceptor(decide: { _, _ in
            decisions.change { $0 += 1 }
            return .retryAfter(seconds)
        })
        var options = CurlSession.Options()
        options.interceptors = [interceptor]
        // Without a time limit, the delay exceeds no limit.
        let patient = Wire.session(options: options) { $0.timeoutIntervalForResource = .infinity }
        let waiting = Task { try await kind.send(Wire.request(server.url), in: patient) }
        try await eventually("decision") { decisions.current > 0 }
        // If there were attempts without a delay, the server would count them too.
        for _ in 0..<5 { _ = try await Wire.session().data(from: server.url) }
        patient.invalidateAndCancel()
        let error = await Wire.error { try await waiting.value }
        #expect(error?.code == .cancelled)
        #expect(decisions.current == 1 && server.requestCount == 6)
        // With a limit, there is no time for another attempt, and the response is delivered.
        options.deadline = 600
        let hasty = Wire.session(options: options)
        #expect(try await kind.send(Wire.request(server.url), in: hasty) == Data("busy".utf8))
        #expect(decisions.current == 2 && server.requestCount == 7)
    }

    @Test("Decisions: leave it, do not retry, retry after a delay, fail with another error") func decisions()
        async throws
    {
        let server = try LoopbackServer { _ in .text("busy", statusCode: 503) }
        func requests(_ decision: RetryDecision) async throws -> Int {
            let before = server.requests.count
            let interceptor = ClosureInterceptor(decide: { _, _ in decision })
            _ = try await session(interceptor, retry: quick).data(from: server.url)
            return server.requests.count - before
        }
        #expect(try await requests(.proceed) == 4)
        #expect(try await requests(.doNotRetry) == 1)
        // An interceptor that requests another attempt every time is limited.
        #expect(try await requests(.retryAfter(0.01)) == 20)
        #expect(try await requests(.retryAfter(-1)) == 20)
        #expect(try await requests(.retryAfter(.infinity)) == 1)
        #expect(try await requests(.retryAfter(.nan)) == 1)
        await #expect(throws: Refusal()) { try await requests(.fail(Refusal())) }
        let calls = Watched<[String]>([])
        let first = ClosureInterceptor(decide: { _, _ in
            calls.change { $0.append("first") }
            return .doNotRetry
        })
        let second = ClosureInterceptor(decide: { _, _ in
            calls.change { $0.append("second") }
            return .retry
        })
        _ = try await session(first, second).data(from: server.url)
        #expect(calls.current == ["first"])
    }

    @Test("Interceptors are asked about errors, and learn whether the request may be repeated") func errors()
        async throws
    {
        let server = try LoopbackServer(
            handler: LoopbackServer.sequence([.text("").faulted(.resetBeforeHead), .text("yes")])
        )
        let failures = Watched<[AttemptOutcome]>([])
        let interceptor = ClosureInterceptor(decide: { _, failure in
            failures.change { $0.append(failure) }
            return .retry
        })
        let request = Wire.request(server.url, "POST", body: Data("x".utf8))
        let (data, _) = try await session(interceptor).data(for: request)
        #expect(String(decoding: data, as: UTF8.self) == "yes")
        #expect(failures.current.map { $0.error?.code } == [.networkConnectionLost])
        #expect(failures.current.map(\.isRepeatable) == [false])
    }

    @Test("A large response waits for the decision and is delivered whole") func large() async throws {
        let size = 2_000_000
        let server = try LoopbackServer { _ in
            var response = LoopbackResponse.pattern(count: size)
            response.statusCode = 404
            return response
        }
        let interceptor = ClosureInterceptor(decide: { _, _ in
            try? await Task.sleep(for: .seconds(0.2))
            return .proceed
        })
        let (data, _) = try await session(interceptor).data(from: server.url)
        #expect(data == LoopbackServer.pattern(count: size))
    }

    @Test("A large response that is held back leaves its connection slot to the interceptor") func refresh()
        async throws
    {
        let server = try LoopbackServer { request in
            if request.path == "/token" { return .text("new") }
            guard request.header("X-Token") != "new" else { return .text("yes") }
            var response = LoopbackResponse.pattern(count: 500_000)
            response.statusCode = 401
            return response
        }
        let token = Watched("old")
        let session = Watched<CurlSession?>(nil)
        let interceptor = ClosureInterceptor(statuses: [401]) { request, _ in
            request.setValue(token.current, forHTTPHeaderField: "X-Token")
        } decide: { _, _ in
            guard let session = session.current else { return .doNotRetry }
            let data = try? await session.data(from: server.url("/token"), delegate: nil).0
            token.change { $0 = String(decoding: data ?? Data(), as: UTF8.self) }
            return .retry
        }
        var options = CurlSession.Options()
        options.maximumConnectionsPerHost = 1
        options.interceptors = [interceptor]
        options.deadline = 60
        let made = Wire.session(options: options)
        session.change { $0 = made }
        #expect(try await text(made, server.url) == "yes")
        session.change { $0 = nil }
        made.invalidateAndCancel()
    }

    @Test("The Idempotency-Key of a policy is the same in all attempts of an immediate interceptor") func key()
        async throws
    {
        let server = try LoopbackServer(handler: LoopbackServer.sequence([.status(503), .text("yes")]))
        var policy = quick
        policy.addsIdempotencyKey = true
        let request = Wire.request(server.url, "POST", body: Data("x".utf8))
        _ = try await session(Immediate(), retry: policy).data(for: request)
        let keys = server.requests.compactMap { $0.header("Idempotency-Key") }
        #expect(keys.count == 2 && Set(keys).count == 1, "\(keys)")
        #expect(server.requests.map { $0.header("X-Attempt") } == ["1", "2"])
    }

    @Test("A stored redirect leads to a request that is adapted too") func storedRedirect() async throws {
        let server = try LoopbackServer { request in
            request.path == "/from"
                ? .status(301, headers: ["Location": "/to", "Cache-Control": "max-age=600"])
                : .text(request.header("X-Token") ?? "none")
        }
        var options = CurlSession.Options()
        options.interceptors = [
            ClosureInterceptor { request, _ in request.setValue("t", forHTTPHeaderField: "X-Token") }
        ]
        let session = Wire.session(options: options) {
            $0.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
        }
        #expect(try await text(session, server.url("/from")) == "t")
        #expect(try await text(session, server.url("/from")) == "t")
        #expect(server.requests.filter { $0.path == "/from" }.count == 1)
    }

    @Test("A responder that takes over after a part was received replaces that part") func takesOver() async throws {
        let server = try LoopbackServer { request in
            .resource(.pattern(count: 300_000), etag: "v1", for: request).faulted(.reset(afterBodyBytes: 100_000))
        }
        let responder = Responder { _, attempt in
            attempt.number == 1 ? nil : InterceptedResponse(body: Data("fallback".utf8))
        }
        let recorder = RecordingDelegate()
        let session = session(responder, delegate: recorder, retry: quick)
        let download = try await recorder.run(session.downloadTask(with: server.url))
        #expect(download.file == Data("fallback".utf8))
        #expect(try await text(session, server.url) == "fallback")
        // The delegate has received the first part already.
        let data = try await recorder.run(session.dataTask(with: server.url))
        #expect(data.error?.code == .networkConnectionLost)
        #expect(recorder.violations == [])
    }

    @Test("A task's own interceptors replace its session's") func own() async throws {
        let server = try LoopbackServer { .text($0.header("X-Name") ?? "none") }
        let recorder = RecordingDelegate()
        let session = session(
            ClosureInterceptor { request, _ in request.setValue("session", forHTTPHeaderField: "X-Name") },
            delegate: recorder
        )
        let task = session.dataTask(with: server.url)
        task.interceptors = [
            ClosureInterceptor { request, _ in request.setValue("task", forHTTPHeaderField: "X-Name") }
        ]
        #expect(try await recorder.run(task).text == "task")
        let none = session.dataTask(with: server.url)
        none.interceptors = []
        #expect(try await recorder.run(none).text == "none")
        #expect(try await recorder.run(session.dataTask(with: server.url)).text == "session")
    }

    // MARK: - Responding

    @Test("An interceptor responds, and nothing is sent") func respond() async throws {
        let body = LoopbackServer.pattern(count: 300_000)
        let responder = Responder { request, _ in
            request.url?.path == "/stub" ? InterceptedResponse(headers: ["X-From": "stub"], body: body) : nil
        }
        let server = try LoopbackServer { _ in .text("server") }
        let recorder = RecordingDelegate()
        let session = session(responder, delegate: recorder)
        let record = try await recorder.run(session.dataTask(with: server.url("/stub")))
        #expect(record.data == body)
        #expect(record.status == 200)
        #expect(record.response?.value(forHTTPHeaderField: "x-from") == "stub")
        #expect(record.response?.expectedContentLength == 300_000)
        #expect(server.requests.isEmpty)
        let download = try await recorder.run(session.downloadTask(with: server.url("/stub")))
        #expect(download.file == body)
        #expect(try await recorder.run(session.dataTask(with: server.url)).text == "server")
        #expect(recorder.violations == [])
    }

    @Test("The cookies of an interceptor's responses and redirects are stored, each of several") func cookies()
        async throws
    {
        let responder = Responder { request, _ in
            guard request.url?.path != "/end" else { return nil }
            var response = InterceptedResponse(statusCode: 302, headers: ["Location": "/end", "Set-Cookie": "a=1"])
            response.additionalHeaders = [("Set-Cookie", "b=2; Path=/"), ("set-cookie", "c=3")]
            return response
        }
        let server = try LoopbackServer { _ in .text("server") }
        let session = session(responder, delegate: RecordingDelegate())
        _ = try await session.data(from: server.url("/stub"))
        let cookies = try #require(server.requests.first?.header("Cookie")).split(separator: "; ").sorted()
        #expect(cookies == ["a=1", "b=2", "c=3"])
    }

    @Test("The responses and errors of an interceptor are retried and redirected like a server's") func stubs()
        async throws
    {
        let policy = quick
        let numbers = Watched<[Int]>([])
        let responder = Responder { request, attempt in
            numbers.change { $0.append(attempt.number) }
            switch (request.url?.path, attempt.number) {
            case ("/end", 3): return InterceptedResponse(body: Data("end".utf8))
            case ("/end", 2): throw URLError(.networkConnectionLost)
            case ("/end", _): return InterceptedResponse(statusCode: 503)
            default: return InterceptedResponse(statusCode: 302, headers: ["Location": "/end"])
            }
        }
        let url = try #require(URL(string: "http://stub.invalid/"))
        #expect(try await text(session(responder, retry: policy), url) == "end")
        #expect(numbers.current == [1, 1, 2, 3])
        let failing = Responder { _, _ in throw URLError(.notConnectedToInternet) }
        #expect(await Wire.error { try await session(failing).data(from: url) }?.code == .notConnectedToInternet)
        let refusing = Responder { _, _ in throw Refusal() }
        await #expect(throws: Refusal()) { try await session(refusing).data(from: url) }
    }

    // MARK: - Races

    @Test("Cancellations, suspensions and retries at any time end each task once") func storm() async throws {
        let server = try LoopbackServer { request in
            request.bodyLength % 3 == 0 ? .status(503) : .text("yes")
        }
        var policy = quick
        policy.budget = nil
        let interceptor = ClosureInterceptor { request, _ in
            await Task.yield()
            request.setValue("t", forHTTPHeaderField: "X-Token")
        } decide: { attempt, _ in
            await Task.yield()
            return attempt.number % 2 == 0 ? .retry : .proceed
        }
        let recorder = RecordingDelegate()
        let session = session(interceptor, delegate: recorder, retry: policy)
        let seed = SeededGenerator.seed()
        var random = SeededGenerator(seed)
        var tasks: [URLSessionTask] = []
        for index in 0..<300 {
            let body = Data(repeating: 1, count: index % 7)
            let task = session.uploadTask(with: Wire.request(server.url, "PUT"), from: body)
            task.resume()
            tasks.append(task)
            let victim = tasks[Int.random(in: 0..<tasks.count, using: &random)]
            switch Int.random(in: 0..<6, using: &random) {
            case 0: victim.cancel()
            case 1:
                victim.suspend()
                victim.resume()
            case 2: try await Task.sleep(for: .milliseconds(1))
            default: break
            }
        }
        for task in tasks { try await recorder.completion(of: task) }
        #expect(recorder.violations == [])
        #expect(recorder.completionCount == 300, "FERRY_TEST_SEED=\(seed)")
    }
}
