import FerrySession
import FerryTesting
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct RedirectAnswerTests {
    typealias Answer = @Sendable (URLRequest?) -> Void

    private func server() throws -> LoopbackServer {
        try LoopbackServer { request in
            guard request.path == "/from" else { return .text(request.path) }
            var response = LoopbackResponse.redirect(to: "/to")
            response.body = .data(Data("moved".utf8))
            return response
        }
    }

    private func delegate(
        isLate: Bool = false,
        _ answer: @escaping @Sendable (URLSessionTask, URLRequest, @escaping Answer) -> Void
    ) -> RecordingDelegate {
        var hooks = DelegateHooks()
        hooks.onRedirect = { task, _, request, completion in
            guard isLate else { return answer(task, request, completion) }
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.1) { answer(task, request, completion) }
        }
        return RecordingDelegate(hooks)
    }

    @Test("A redirect is followed if the delegate agrees", arguments: [false, true])
    func followed(_ isLate: Bool) async throws {
        let server = try server()
        let delegate = delegate(isLate: isLate) { task, request, answer in
            if task.currentRequest?.url?.path != "/from" { Issue.record("currentRequest changed before the decision") }
            answer(request)
        }
        let task = makeSession(delegate).dataTask(with: server.url("/from"))
        task.resume()
        let record = try await delegate.completion(of: task)
        #expect(record.names == ["redirect", "response", "data", "completed"])
        #expect(record.data == Data("/to".utf8))
        #expect(task.currentRequest?.url?.path == "/to")
        #expect(task.originalRequest?.url?.path == "/from")
        #expect(delegate.violations == [])
    }

    @Test("nil delivers the redirect itself, including its body", arguments: [false, true])
    func refused(_ isLate: Bool) async throws {
        let server = try server()
        let delegate = delegate(isLate: isLate) { _, _, answer in answer(nil) }
        let task = makeSession(delegate).dataTask(with: server.url("/from"))
        task.resume()
        let record = try await delegate.completion(of: task)
        #expect(record.events.contains(.response(302)))
        #expect(record.names == ["redirect", "response", "data", "completed"])
        #expect(record.data == Data("moved".utf8))
        #expect(record.error == nil)
        #expect(server.requestCount == 1)
        #expect(delegate.violations == [])
    }

    @Test("nil also delivers a large redirect's body, with back-pressure") func refusedLarge() async throws {
        let server = try LoopbackServer { _ in
            LoopbackResponse(statusCode: 302, headers: ["Location": "/to"], body: .pattern(count: 3_000_000))
        }
        let delegate = delegate(isLate: true) { _, _, answer in answer(nil) }
        let task = makeSession(delegate).dataTask(with: server.url("/from"))
        task.resume()
        let record = try await delegate.completion(of: task)
        #expect(record.data == LoopbackServer.pattern(count: 3_000_000))
        #expect(delegate.violations == [])
    }

    @Test("nil stores the redirect's body as the download's file") func refusedDownload() async throws {
        let server = try server()
        let delegate = delegate { _, _, answer in answer(nil) }
        let task = makeSession(delegate).downloadTask(with: server.url("/from"))
        task.resume()
        let record = try await delegate.completion(of: task)
        #expect(record.names == ["redirect", "wrote", "finishedDownload", "completed"])
        #expect(record.file == Data("moved".utf8))
        #expect((task.response as? HTTPURLResponse)?.statusCode == 302)
    }

    @Test("The delegate may change the request, even its host") func changed() async throws {
        let server = try server()
        let delegate = delegate { _, request, answer in
            var request = request
            request.url = server.url("/elsewhere", host: "localhost")
            request.setValue("yes", forHTTPHeaderField: "X-Changed")
            answer(request)
        }
        let task = makeSession(delegate).dataTask(with: server.url("/from"))
        task.resume()
        #expect(try await delegate.completion(of: task).data == Data("/elsewhere".utf8))
        #expect(server.requests.last?.header("X-Changed") == "yes")
        #expect(task.currentRequest?.url?.host == "localhost")
    }

    @Test("A second decision has no effect") func answeredTwice() async throws {
        let server = try server()
        let delegate = delegate { _, request, answer in
            answer(request)
            answer(nil)
            answer(URLRequest(url: server.url("/other")))
        }
        let session = makeSession(delegate)
        let task = session.dataTask(with: server.url("/from"))
        task.resume()
        #expect(try await delegate.completion(of: task).data == Data("/to".utf8))
        try await session.overtake()
        #expect(server.requests.map(\.path) == ["/from", "/to"])
        #expect(delegate[task].completions == 1)
    }

    @Test("A decision after cancelling sends nothing") func answeredAfterCancel() async throws {
        let server = try server()
        let answers = Watched<[Answer]>([])
        let delegate = delegate { task, _, answer in
            answers.append(answer)
            task.cancel()
        }
        let session = makeSession(delegate)
        let task = session.dataTask(with: server.url("/from"))
        task.resume()
        let record = try await delegate.completion(of: task)
        try await answers.first()(URLRequest(url: server.url("/to")))
        try await session.overtake()
        #expect(record.names == ["redirect", "completed"])
        #expect(record.error?.code == .cancelled)
        #expect(server.requestCount == 1)
    }

    @Test("A task with a pending redirect can be cancelled, and holds no connection")
    func neverAnswered() async throws {
        let server = try server()
        let delegate = delegate { _, _, _ in }
        let session = makeSession(delegate) { $0.httpMaximumConnectionsPerHost = 1 }
        let task = session.dataTask(with: server.url("/from"))
        task.resume()
        try await eventually("the redirect") { delegate[task].names == ["redirect"] }
        let (data, _) = try await session.data(from: server.url("/other"))
        #expect(data == Data("/other".utf8))
        task.cancel()
        #expect(try await delegate.completion(of: task).error?.code == .cancelled)
    }

    @Test("Cancelling and deciding concurrently is safe") func race() async throws {
        let server = try server()
        var hooks = DelegateHooks()
        hooks.onRedirect = { task, _, request, answer in
            DispatchQueue.global().async { task.cancel() }
            DispatchQueue.global().async { answer(request) }
        }
        let delegate = RecordingDelegate(hooks)
        let session = makeSession(delegate)
        for _ in 0..<10 {
            let tasks = (0..<20).map { _ in session.dataTask(with: server.url("/from")) }
            for task in tasks { task.resume() }
            for task in tasks {
                let record = try await delegate.completion(of: task)
                #expect(record.completions == 1)
                #expect(record.error == nil || record.error?.code == .cancelled)
            }
        }
        #expect(delegate.violations == [])
    }
}
