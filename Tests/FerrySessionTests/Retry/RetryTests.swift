import FerrySession
import FerryTesting
import TestSupport
import Testing

/// Tasks that send their request again by themselves.
@Suite(.timeLimit(.minutes(5)))
struct RetryTests {
    /// The standard policy with delays that tests can wait for.
    private static var policy: RetryPolicy {
        var policy = RetryPolicy.standard
        policy.backoff = .init(base: 0.01, cap: 0.05)
        return policy
    }

    private func session(
        _ delegate: (any URLSessionDelegate)? = nil,
        deadline: TimeInterval? = nil,
        _ change: (inout RetryPolicy) -> Void = { _ in }
    ) -> CurlSession {
        var options = CurlSession.Options()
        var policy = Self.policy
        change(&policy)
        options.retryPolicy = policy
        options.deadline = deadline
        return Wire.session(delegate, options: options)
    }

    /// Returns a server whose handler also gets the number of requests before each.
    private func numbered(
        _ handler: @escaping @Sendable (LoopbackRequest, Int) -> LoopbackResponse
    ) throws -> LoopbackServer {
        let count = Watched(0)
        return try LoopbackServer { request in
            let index = count.change { count in
                defer { count += 1 }
                return count
            }
            return handler(request, index)
        }
    }

    // MARK: - Responses

    @Test(
        "A temporary status is retried, and its response is not delivered",
        arguments: [408, 425, 429, 500, 502, 503, 504]
    )
    func statuses(_ status: Int) async throws {
        let server = try LoopbackServer(
            handler: LoopbackServer.sequence([
                .text("no", statusCode: status), .text("no", statusCode: status), .text("yes"),
            ])
        )
        let recorder = RecordingDelegate()
        let task = session(recorder).dataTask(with: server.url)
        let record = try await recorder.run(task)
        #expect(record.text == "yes")
        #expect(record.completions == 1)
        #expect(recorder.violations == [])
        #expect(server.requests.count == 3)
        let retries = try #require(task.metrics?.retries)
        #expect(retries.map(\.statusCode) == [status, status])
        #expect(retries.map(\.attempt) == [1, 2])
        #expect(retries.map(\.origin) == [.policy, .policy])
        #expect(task.metrics?.transactions.map(\.statusCode) == [status, status, 200])
    }

    @Test("The last response is delivered with its body when the attempts are used up") func exhausted() async throws {
        let server = try LoopbackServer { request in .text("no \(request.method)", statusCode: 503) }
        let (data, response) = try await session().data(from: server.url)
        #expect((response as? HTTPURLResponse)?.statusCode == 503)
        #expect(String(decoding: data, as: UTF8.self) == "no GET")
        #expect(server.requests.count == 4)
    }

    @Test(
        "A response that is not retried in the end is delivered whole, also if it is large",
        arguments: [10, 65_536, 3_000_000]
    )
    func large(_ size: Int) async throws {
        let server = try LoopbackServer { _ in
            var response = LoopbackResponse.pattern(count: size)
            response.statusCode = 503
            return response
        }
        let recorder = RecordingDelegate()
        let task = session(recorder) { $0.maximumRetries = 1 }.dataTask(with: server.url)
        let record = try await recorder.run(task)
        #expect(record.data == LoopbackServer.pattern(count: size))
        #expect(server.requests.count == 2)
        #expect(recorder.violations == [])
    }

    @Test("A POST is not retried after a response, and one with an Idempotency-Key is") func post() async throws {
        let server = try numbered { request, index in
            request.header("Idempotency-Key") == nil || index > 2 ? .text("end", statusCode: 503) : .status(503)
        }
        let plain = Wire.request(server.url, "POST", body: Data("x".utf8))
        _ = try await session().data(for: plain)
        #expect(server.requests.count == 1)
        let keyed = Wire.request(server.url, "POST", headers: ["Idempotency-Key": "\"k\""], body: Data("x".utf8))
        _ = try await session().data(for: keyed)
        #expect(server.requests.count == 5)
    }

    @Test("The policy makes an Idempotency-Key, which is the same in all attempts") func key() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.sequence([.status(503), .status(503), .text("yes")]))
        let session = session { $0.addsIdempotencyKey = true }
        let request = Wire.request(server.url, "POST", body: Data("body".utf8))
        let (data, _) = try await session.data(for: request)
        #expect(String(decoding: data, as: UTF8.self) == "yes")
        let keys = server.requests.map { $0.header("Idempotency-Key") ?? "none" }
        #expect(keys.count == 3)
        #expect(Set(keys).count == 1)
        #expect(keys.first?.hasPrefix("\"") == true && (keys.first?.count ?? 0) > 20)
        #expect(server.requests.allSatisfy { $0.bodySHA256 == server.requests.first?.bodySHA256 && $0.bodyLength == 4 })
        _ = try await session.data(for: Wire.request(server.url, "PUT", body: Data("body".utf8)))
        #expect(server.requests.last?.header("Idempotency-Key") == nil)
        _ = try await session.data(for: request)
        #expect(server.requests.last?.header("Idempotency-Key") != keys.first)
    }

    @Test("A Retry-After that is too long is not waited for") func longRetryAfter() async throws {
        let session = session()
        let far = try LoopbackServer { _ in .status(503, headers: ["Retry-After": "61"]) }
        _ = try await session.data(from: far.url)
        #expect(far.requests.count == 1)
    }

    @Test(
        "The metrics say why a response was not followed by another attempt",
        arguments: [
            ("GET", 503, "61", "the server asks for a longer delay than maximumServerDelay"),
            ("GET", 503, "30", "there was no time left for another attempt"),
            ("POST", 503, "0", "a POST request is not sent again"), ("GET", 503, "0", nil), ("POST", 404, "0", nil),
        ] as [(String, Int, String, String?)]
    )
    func refusal(_ method: String, _ status: Int, _ delay: String, _ reason: String?) async throws {
        let server = try LoopbackServer { _ in .status(status, headers: ["Retry-After": delay]) }
        let recorder = RecordingDelegate()
        let task = session(recorder) { $0.maximumRetryTime = 20 }.dataTask(with: Wire.request(server.url, method))
        let record = try await recorder.run(task)
        #expect(record.response?.statusCode == status && record.error == nil)
        #expect(task.metrics?.retryRefusal == reason)
    }

    // MARK: - Errors

    @Test(
        "A connection that is lost before the response is retried",
        arguments: [LoopbackResponse.Fault.closeBeforeHead, .resetBeforeHead]
    )
    func lost(_ fault: LoopbackResponse.Fault) async throws {
        let server = try LoopbackServer(
            handler: LoopbackServer.sequence([.text("").faulted(fault), .text("").faulted(fault), .text("yes")])
        )
        let (data, _) = try await session().data(from: server.url)
        #expect(String(decoding: data, as: UTF8.self) == "yes")
        #expect(server.requests.count == 3)
    }

    @Test("A POST whose connection is lost after it was sent is not sent twice") func lostPost() async throws {
        let server = try LoopbackServer { _ in .text("").faulted(.resetBeforeHead) }
        let error = await Wire.error {
            try await session().data(for: Wire.request(server.url, "POST", body: Data("x".utf8)))
        }
        #expect(error?.code == .networkConnectionLost)
        #expect(server.requests.count == 1)
        #expect(error?.localizedDescription.contains("a POST request is not sent again") == true)
    }

    @Test("The error of a POST that is lost after another request says once that it is not sent again")
    func lostAfterAnother() async throws {
        let server = try LoopbackServer(
            handler: LoopbackServer.sequence([.text("kept"), .text("").faulted(.closeBeforeHead)])
        )
        let session = session()
        _ = try await session.data(from: server.url)
        let error = await Wire.error {
            try await session.data(for: Wire.request(server.url, "POST", body: Data("x".utf8)))
        }
        #expect(server.requests.count == 2)
        #expect(error?.localizedDescription.components(separatedBy: "a POST request is not sent again").count == 2)
    }

    @Test("A refused connection is retried for every method, and the error tells the number of attempts")
    func refused() async throws {
        let port = try ClosedPort()
        let error = await Wire.error {
            try await session().data(for: Wire.request(port.url, "POST", body: Data("x".utf8)))
        }
        #expect(error?.code == .cannotConnectToHost)
        #expect(
            error?.localizedDescription.contains("(after 4 attempts in ") == true,
            "\(error?.localizedDescription ?? "")"
        )
    }

    @Test("Garbage and a redirect loop are not retried") func lasting() async throws {
        let garbage = try LoopbackServer { _ in .text("").faulted(.garbage(Data("what?\r\n\r\n".utf8))) }
        #expect(await Wire.error { try await session().data(from: garbage.url) } != nil)
        #expect(garbage.requests.count == 1)
        let loop = try LoopbackServer { _ in .status(302, headers: ["Location": "/"]) }
        #expect(await Wire.error { try await session().data(from: loop.url) }?.code == .httpTooManyRedirects)
        #expect(loop.requests.count == 21)
    }

    // MARK: - Bodies

    @Test("A body that a handler waits for is fetched again after a truncation") func truncated() async throws {
        let server = try LoopbackServer(
            handler: LoopbackServer.sequence([
                .pattern(count: 300_000).faulted(.truncate(afterBodyBytes: 100_000)),
                .pattern(count: 200_000).faulted(.reset(afterBodyBytes: 150_000)),
                .pattern(count: 300_000),
            ])
        )
        let task = session().dataTask(with: server.url)
        #expect(task.metrics?.retries.isEmpty == true)
        let (data, _) = try await session().data(from: server.url)
        #expect(data == LoopbackServer.pattern(count: 300_000))
        #expect(server.requests.count == 3)
    }

    @Test("What a delegate has received is not delivered twice") func delivered() async throws {
        let server = try LoopbackServer { _ in .pattern(count: 300_000).faulted(.truncate(afterBodyBytes: 100_000)) }
        let recorder = RecordingDelegate()
        let record = try await recorder.run(session(recorder).dataTask(with: server.url))
        #expect(record.error?.code == .networkConnectionLost)
        #expect(server.requests.count == 1)
        #expect(recorder.violations == [])
    }

    @Test("The rest of a delegate's body is requested where it has a validator") func rest() async throws {
        let size = 1_000_000
        let server = try numbered { request, index in
            let whole = LoopbackResponse.resource(.pattern(count: size), etag: "v1", for: request)
            return index < 4 ? whole.faulted(.reset(afterBodyBytes: 200_000)) : whole
        }
        let recorder = RecordingDelegate()
        let task = session(recorder).dataTask(with: server.url)
        let record = try await recorder.run(task)
        #expect(record.error == nil)
        #expect(record.data == LoopbackServer.pattern(count: size))
        #expect(recorder.violations == [])
        #expect(task.metrics?.retries.allSatisfy(\.continuesBody) == true)
        let ranges = server.requests.dropFirst().map { $0.header("If-Range") }
        #expect(ranges.allSatisfy { $0 == "\"v1\"" })
    }

    @Test("A download continues as often as it makes progress") func download() async throws {
        let (size, piece) = (2_000_000, 100_000)
        let server = try LoopbackServer { request in
            .resource(.pattern(count: size), etag: "v1", for: request).faulted(.reset(afterBodyBytes: piece))
        }
        let recorder = RecordingDelegate()
        let task = session(recorder).downloadTask(with: server.url)
        let record = try await recorder.run(task)
        #expect(record.error == nil)
        #expect(record.file == LoopbackServer.pattern(count: size))
        #expect(recorder.violations == [])
        #expect(server.requests.count > 15)
    }

    @Test("A download whose entity changes starts again") func changed() async throws {
        let server = try numbered { request, index in
            index == 0
                ? LoopbackResponse.resource(.pattern(count: 500_000), etag: "v1", for: request)
                    .faulted(.reset(afterBodyBytes: 200_000))
                : LoopbackResponse.resource(.data(Data("new".utf8)), etag: "v2", for: request)
        }
        let recorder = RecordingDelegate()
        let record = try await recorder.run(session(recorder).downloadTask(with: server.url))
        #expect(record.file == Data("new".utf8))
    }

    @Test("A download that fails in the end has resume data") func resumable() async throws {
        let server = try numbered { request, index in
            index == 0
                ? LoopbackResponse.resource(.pattern(count: 500_000), etag: "v1", for: request)
                    .faulted(.reset(afterBodyBytes: 200_000))
                : LoopbackResponse.text("").faulted(.closeBeforeHead)
        }
        let recorder = RecordingDelegate()
        let record = try await recorder.run(session(recorder).downloadTask(with: server.url))
        let error = try #require(record.error)
        #expect(error.userInfo[URLSessionDownloadTaskResumeData] is Data)
        #expect(error.localizedDescription.contains("attempts"))
    }

    @Test("Uploads of data and of files are repeated from their first byte", arguments: [true, false])
    func uploads(_ isFile: Bool) async throws {
        let server = try numbered { request, index in
            index < 2 ? .status(503) : .text(request.bodySHA256)
        }
        let folder = try Wire.temporaryFolder()
        defer { Wire.remove(folder) }
        let file = folder.appendingPathComponent("body")
        let body = LoopbackServer.pattern(count: 500_000)
        try body.write(to: file)
        let request = Wire.request(server.url, "PUT")
        let recorder = RecordingDelegate()
        let session = session(recorder)
        let task =
            isFile ? session.uploadTask(with: request, fromFile: file) : session.uploadTask(with: request, from: body)
        let record = try await recorder.run(task)
        #expect(record.text == LoopbackServer.patternSHA256(count: 500_000))
        #expect(task.countOfBytesSent == 500_000)
    }

    @Test("A stream is asked for again, and without one the response is delivered", arguments: [true, false])
    func streams(_ hasAnother: Bool) async throws {
        let server = try numbered { request, index in
            index == 0 ? .text("busy", statusCode: 503) : .text(request.bodySHA256)
        }
        let body = LoopbackServer.pattern(count: 50_000)
        let asked = Watched(0)
        var hooks = DelegateHooks()
        hooks.onBodyStream = { _, answer in
            let count = asked.change { count in
                count += 1
                return count
            }
            answer(count == 1 || hasAnother ? InputStream(data: body) : nil)
        }
        let recorder = RecordingDelegate(hooks)
        let task = session(recorder).uploadTask(withStreamedRequest: Wire.request(server.url, "PUT"))
        let record = try await recorder.run(task)
        #expect(record.text == (hasAnother ? LoopbackServer.patternSHA256(count: 50_000) : "busy"))
        #expect(record.error == nil)
        #expect(server.requests.count == (hasAnother ? 2 : 1))
    }

    @Test("A stream that cannot be read again fails with the error of the connection, which says so")
    func oneStream() async throws {
        let server = try LoopbackServer { _ in .text("").faulted(.closeBeforeHead) }
        var request = Wire.request(server.url, "PUT")
        request.httpBodyStream = InputStream(data: Data("once".utf8))
        let error = await Wire.error { try await session().data(for: request) }
        #expect(error?.code == .networkConnectionLost)
        #expect(error?.localizedDescription.contains("cannot be read a second time") == true)
        #expect(server.requests.count == 1)
    }

    @Test("A collected body that is complete but for its end is delivered whole after a 416", arguments: [true, false])
    func unfinished(_ isCollected: Bool) async throws {
        let body = LoopbackServer.pattern(count: 100_000)
        let server = try numbered { request, index in
            if index > 0 { return .resource(.data(body), etag: "v1", for: request) }
            return LoopbackResponse(headers: ["ETag": "\"v1\""], body: .data(body)).framed(.chunked)
                .faulted(.truncate(afterBodyBytes: .max))
        }
        let recorder = RecordingDelegate()
        if isCollected {
            #expect(try await session().data(from: server.url).0 == body)
        } else {
            let record = try await recorder.run(session(recorder).dataTask(with: server.url))
            #expect(record.data == body)
            #expect(record.names.filter { $0 == "response" }.count == 1)
            #expect(recorder.violations == [])
        }
        #expect(server.requests.last?.header("Range") == "bytes=100000-")
    }

    @Test(
        "A collected body whose entity changes, or whose server has no ranges, starts again",
        arguments: [true, false]
    )
    func collected(_ hasChanged: Bool) async throws {
        let server = try numbered { request, index in
            let etag = hasChanged && index > 0 ? "v2" : "v1"
            let response = LoopbackResponse(headers: ["ETag": "\"\(etag)\""], body: .pattern(count: 300_000))
            return index == 0 ? response.faulted(.reset(afterBodyBytes: 200_000)) : response
        }
        #expect(try await session().data(from: server.url).0 == LoopbackServer.pattern(count: 300_000))
    }

    @Test("A connection that is not established in time is retried, and the time starts again") func connectTimeout()
        async throws
    {
        let connections = Watched(0)
        let server = try RawServer { connection in
            connections.change { $0 += 1 }
            connection.readAll()
        }
        var options = CurlSession.Options()
        options.connectTimeout = 3
        options.retryPolicy = Self.policy
        options.retryPolicy?.maximumRetries = 2
        options.retryPolicy?.backoff = .init(base: 0.5, hasJitter: false)
        let session = Wire.session(options: options)
        let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
        let start = ContinuousClock.now
        let error = await Wire.error { try await session.data(for: Wire.request(url, "POST", body: Data("x".utf8))) }
        #expect(error?.code == .timedOut)
        #expect(error?.localizedDescription.contains("after 3 attempts") == true)
        // Three times the limit, and two delays of 0.5 s and 1 s.
        #expect(ContinuousClock.now - start >= .seconds(10.4))
        try await eventually("three connections") { connections.current == 3 }
    }

    @Test("A 404 that interceptors have let pass removes what the cache has stored") func cache() async throws {
        let server = try numbered { request, index in
            index == 0
                ? LoopbackResponse(
                    headers: ["Cache-Control": "max-age=0", "ETag": "\"v1\""],
                    body: .data(Data("a".utf8))
                )
                : index == 1 ? .text("gone", statusCode: 404) : .text("new")
        }
        var options = CurlSession.Options()
        options.interceptors = [Indifferent()]
        let session = Wire.session(options: options) {
            $0.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
        }
        func text() async throws -> String {
            String(decoding: try await session.data(from: server.url).0, as: UTF8.self)
        }
        #expect(try await text() == "a")
        #expect(try await text() == "gone")
        #expect(try await text() == "new")
        #expect(server.requests.map { $0.header("If-None-Match") } == [nil, "\"v1\"", nil])
    }

    /// An interceptor that is asked about each failure, and does not decide.
    private struct Indifferent: RequestInterceptor {}

    // MARK: - Waiting

    private func slow(_ policy: inout RetryPolicy) {
        policy.backoff = .init(base: 600, cap: 600, hasJitter: false)
    }

    @Test("A task that waits for its next attempt can be cancelled") func cancel() async throws {
        let server = try LoopbackServer { _ in .status(503) }
        let recorder = RecordingDelegate()
        let task = session(recorder, slow).dataTask(with: server.url)
        task.resume()
        try await eventually("retry") { task.metrics?.retries.isEmpty == false }
        #expect(task.state == .running)
        task.cancel()
        let record = try await recorder.completion(of: task)
        #expect(record.error?.code == .cancelled)
        #expect(server.requests.count == 1)
    }

    @Test("A task that waits for its next attempt ends when its session is invalidated") func invalidate() async throws
    {
        let server = try LoopbackServer { _ in .status(503) }
        let recorder = RecordingDelegate()
        let session = session(recorder, slow)
        let task = session.dataTask(with: server.url)
        task.resume()
        try await eventually("retry") { task.metrics?.retries.isEmpty == false }
        session.invalidateAndCancel()
        #expect(try await recorder.completion(of: task).error?.code == .cancelled)
        try await eventually("invalidation") { recorder.invalidations == 1 }
    }

    @Test("A task that waits for its next attempt holds no connection slot") func slots() async throws {
        let server = try LoopbackServer { $0.path == "/busy" ? .status(503) : .text("yes") }
        var options = CurlSession.Options()
        options.maximumConnectionsPerHost = 1
        var policy = RetryPolicy.standard
        slow(&policy)
        options.retryPolicy = policy
        let session = Wire.session(options: options)
        let busy = (0..<5).map { _ in session.dataTask(with: server.url("/busy")) }
        for task in busy { task.resume() }
        try await eventually("retries") { busy.allSatisfy { $0.metrics?.retries.isEmpty == false } }
        #expect(String(decoding: try await session.data(from: server.url).0, as: UTF8.self) == "yes")
        for task in busy { task.cancel() }
    }

    @Test("A task's own policy replaces its session's, and nil turns retries off") func own() async throws {
        let server = try LoopbackServer { _ in .status(503) }
        let recorder = RecordingDelegate()
        let session = session(recorder)
        let off = session.dataTask(with: server.url)
        off.retryPolicy = nil
        _ = try await recorder.run(off)
        #expect(server.requests.count == 1)
        let other = RecordingDelegate()
        let on = Wire.session(other).dataTask(with: server.url)
        on.retryPolicy = Self.policy
        _ = try await other.run(on)
        #expect(server.requests.count == 5)
        #expect(on.retryPolicy == Self.policy)
        let foreign = URLSession.shared.dataTask(with: server.url)
        foreign.retryPolicy = .standard
        #expect(foreign.retryPolicy == nil)
    }

    @Test("The budget limits the retries of an origin") func budget() async throws {
        let server = try LoopbackServer { _ in .status(503) }
        let session = session { $0.budget = .init(share: 0.1, minimum: 5) }
        for _ in 0..<50 { _ = try await session.data(from: server.url) }
        // 50 requests and their retries: the minimum, a tenth, and the budget's growth while the test runs.
        #expect(server.requests.count >= 55)
        #expect(server.requests.count < 55 + 5 + 50)
    }

    // MARK: - The deadline of the call

    @Test("The deadline covers the wait for a connection") func queued() async throws {
        let server = try LoopbackServer { _ in .text("").faulted(.stallBeforeHead) }
        var options = CurlSession.Options()
        options.maximumConnectionsPerHost = 1
        let recorder = RecordingDelegate()
        let session = Wire.session(recorder, options: options)
        let first = session.dataTask(with: server.url)
        first.resume()
        try await eventually("first request") { server.requests.count == 1 }
        let second = session.dataTask(with: server.url)
        second.deadline = 0.2
        let record = try await recorder.run(second)
        let error = try #require(record.error)
        #expect(error.code == .timedOut)
        #expect((error.userInfo[NSUnderlyingErrorKey] as? CurlSessionError)?.code == .deadlineExceeded)
        first.cancel()
        _ = try await recorder.completion(of: first)
    }

    @Test(
        "A call without any time left fails before anything is sent",
        arguments: [0, -1, .nan, -.infinity] as [Double]
    )
    func over(_ seconds: Double) async throws {
        let server = try LoopbackServer { _ in .text("sent") }
        let recorder = RecordingDelegate()
        let task = session(recorder, deadline: 60).dataTask(with: server.url)
        task.deadline = seconds
        let record = try await recorder.run(task)
        let error = try #require(record.error)
        #expect(error.code == .timedOut)
        #expect((error.userInfo[NSUnderlyingErrorKey] as? CurlSessionError)?.code == .deadlineExceeded)
        #expect(record.completions == 1)
        #expect(server.requests.isEmpty)
    }

    @Test("A task without a limit may take longer than the deadline of its session") func unlimited() async throws {
        let server = try LoopbackServer { _ in .text("late").delayed(0.5) }
        let recorder = RecordingDelegate()
        let task = session(recorder, deadline: 0.1).dataTask(with: server.url)
        task.deadline = .infinity
        #expect(task.deadline == .infinity)
        #expect(try await recorder.run(task).text == "late")
    }

    @Test("The deadline ends a delay that would be too long before it begins") func noTime() async throws {
        let server = try LoopbackServer { _ in .text("busy", statusCode: 503) }
        let recorder = RecordingDelegate()
        let record = try await recorder.run(session(recorder, deadline: 60, slow).dataTask(with: server.url))
        #expect(record.text == "busy")
        #expect(server.requests.count == 1)
    }

    @Test("The deadline covers questions to the delegate") func questions() async throws {
        let server = try LoopbackServer { $0.path == "/" ? .status(302, headers: ["Location": "/2"]) : .text("2") }
        var hooks = DelegateHooks()
        hooks.onRedirect = { _, _, _, _ in }
        let recorder = RecordingDelegate(hooks)
        let task = session(recorder, deadline: 0.5).dataTask(with: server.url)
        let record = try await recorder.run(task)
        #expect(record.error?.code == .timedOut)
    }
}
