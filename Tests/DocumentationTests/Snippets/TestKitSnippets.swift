import Ferry
import FerryTesting
import Testing

/// The snippets of the article about tests that are themselves tests.
@Suite("Snippets of the test kit", .timeLimit(.minutes(1)))
struct TestKitSnippets {
    @Test func retriesUntilTheServerResponds() async throws {
        let script: FaultScript = [
            .reset, .close, .respond(statusCode: 503, retryAfter: 0),
        ]
        let server = try LoopbackServer(script: script) { _ in .text("at last") }
        let manager = HTTPSessionManager(baseURL: server.url)
        var policy = RetryPolicy.standard
        policy.backoff.base = 0.01
        manager.retryPolicy = policy
        #expect(try await manager.send(.get("", serializer: .string)) == "at last")
        #expect(script.counts == ["reset": 1, "close": 1, "503": 1, "pass": 1])
    }

    @Test func downloadsOverABrokenLink() async throws {
        let content = RangedContent(count: 500_000, resetsEvery: 200_000)
        let server = try LoopbackServer(handler: content.handler)
        var options = CurlSession.Options()
        options.retryPolicy = .standard
        options.retryPolicy?.backoff.base = 0.01
        let session = CurlSession(configuration: .ephemeral, options: options)
        let (file, _) = try await session.download(from: server.url)
        #expect(
            try Data(contentsOf: file)
                == LoopbackServer.pattern(count: content.count)
        )
        #expect(server.requestCount == 3)
        try FileManager.default.removeItem(at: file)
    }

    @Test func showsAUser() async throws {
        let transport = StubTransport()
        transport.on("GET", "/users/:id") { _, parameters in
            .json(#"{"id":\#(parameters["id"] ?? "0"),"name":"Ada"}"#)
        }
        transport.on("POST", "/users", times: 1) { request, _ in
            .data(request.httpBody ?? Data(), statusCode: 201)
        }
        let manager = HTTPSessionManager(
            baseURL: URL(string: "https://api.example.com/")
        )
        manager.interceptors = [transport]
        let user = try await manager.get("users/7", as: User.self)
        #expect(user.id == 7)
        #expect(
            transport.requests.map(\.description) == [
                "GET https://api.example.com/users/7"
            ]
        )
    }

    @Test func showsASlowAnswerAfterAMinute() async throws {
        let clock = VirtualClock()
        let transport = StubTransport(clock: clock)
        transport.on("GET", "/slow", delay: .seconds(60)) { _, _ in .text("done") }
        let manager = HTTPSessionManager(
            baseURL: URL(string: "https://api.example.com/")
        )
        manager.interceptors = [transport]
        async let text = manager.send(.get("slow", serializer: .string))
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(60))
        #expect(try await text == "done")
        #expect(clock.date == Date(timeIntervalSince1970: 60))
    }
}

struct ArchiveMonitor: EventMonitor {
    let recorder: HTTPArchiveRecorder

    func task(
        _ task: URLSessionTask,
        didFinishWith completion: TaskCompletion
    ) {
        guard let request = task.originalRequest else { return }
        recorder.record(
            request: request,
            response: completion.response.httpResponse,
            body: completion.response.data,
            metrics: task.metrics,
            error: completion.response.error?.underlyingError
        )
    }
}

/// The snippets of the article about tests that are compiled but not run.
enum ArchiveSnippets {
    static func randomFaults() throws {
        let script = FaultScript(seed: 7, share: 0.2, longestRun: 2)
        let server = try LoopbackServer(script: script)
        _ = server
    }

    static func stubbedSession(transport: StubTransport) {
        var options = CurlSession.Options()
        options.interceptors = [transport]
        let session = CurlSession(configuration: .ephemeral, options: options)
        _ = session
    }

    static func record(request: URLRequest, session: CurlSession, file: URL) async throws {
        let recorder = HTTPArchiveRecorder()
        let (data, response) = try await recorder.data(for: request, from: session)
        try recorder.archive.write(to: file)
        print(data.count, response)
    }

    static func replay(manager: HTTPSessionManager, file: URL) throws {
        let archive = try HTTPArchive(contentsOf: file)
        manager.interceptors = [ArchiveTransport(archive)]
    }
}
