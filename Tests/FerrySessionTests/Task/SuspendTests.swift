import FerrySession
import FerryTesting
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct SuspendTests {
    @Test("Suspensions are counted, and need as many resumes") func nested() async throws {
        let gate = Gate()
        let server = try LoopbackServer { _ in .gated(gate, first: 10, of: 20) }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        let task = session.dataTask(with: server.url)
        task.resume()
        try await eventually("ten bytes") { delegate[task].data.count == 10 }
        task.suspend()
        task.suspend()
        task.suspend()
        let sent = server.sentByteCount
        gate.open()
        try await eventually("the rest") { server.sentByteCount > sent }
        for _ in 0..<2 {
            task.resume()
            #expect(task.state == .suspended)
        }
        try await session.overtake()
        #expect(delegate[task].data.count == 10)
        task.resume()
        #expect(try await delegate.completion(of: task).data == LoopbackServer.pattern(count: 20))
        #expect(delegate.violations == [])
    }

    @Test("A suspension before the first resume counts too, and nothing is sent") func beforeStart() async throws {
        let server = try LoopbackServer()
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        let task = session.dataTask(with: server.url("/bytes/10"))
        task.suspend()
        task.resume()
        #expect(task.state == .suspended)
        try await session.overtake()
        #expect(server.connectionCount == 0)
        task.resume()
        // The task may be complete already.
        #expect(task.state != .suspended)
        #expect(try await delegate.completion(of: task).data.count == 10)
    }

    @Test("More resumes than suspensions do no harm") func overResumed() async throws {
        let gate = Gate()
        let server = try LoopbackServer { _ in .gated(gate, first: 10, of: 20) }
        let delegate = RecordingDelegate()
        let task = makeSession(delegate).dataTask(with: server.url)
        for _ in 0..<5 { task.resume() }
        try await eventually("ten bytes") { delegate[task].data.count == 10 }
        task.suspend()
        #expect(task.state == .suspended)
        gate.open()
        task.resume()
        #expect(try await delegate.completion(of: task).data.count == 20)
        #expect(server.requestCount == 1)
    }

    @Test("A task suspended immediately after it was resumed has no callbacks until it is resumed again")
    func rightAfterStart() async throws {
        let gates = Watched<[Gate]>([])
        let server = try LoopbackServer { _ in
            gates.change { $0.last }?.wait()
            return .pattern(count: 100_000)
        }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        for _ in 0..<20 {
            let gate = Gate()
            gates.change { $0.append(gate) }
            let task = session.dataTask(with: server.url)
            task.resume()
            task.suspend()
            gate.open()
            try await Task.sleep(for: .milliseconds(10))
            #expect(delegate[task].events == [])
            #expect(task.state == .suspended)
            task.resume()
            let record = try await delegate.completion(of: task)
            #expect(record.data == LoopbackServer.pattern(count: 100_000))
            #expect(record.names == ["response", "data", "completed"])
        }
        #expect(server.requestCount == 20)
        #expect(delegate.violations == [])
    }

    @Test("A task suspended before its head arrives continues with the same exchange", arguments: ["data", "download"])
    func beforeHead(_ kind: String) async throws {
        let gate = Gate()
        let server = try LoopbackServer { _ in
            gate.wait()
            return .pattern(count: 100_000)
        }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        let task = kind == "data" ? session.dataTask(with: server.url) : session.downloadTask(with: server.url)
        task.resume()
        try await server.waitForRequests(1, timeout: 40 * patience)
        task.suspend()
        gate.open()
        try await eventually("the response") { server.sentByteCount > 0 }
        try await session.overtake()
        #expect(delegate[task].events == [])
        task.resume()
        let record = try await delegate.completion(of: task)
        #expect((kind == "data" ? record.data : record.file) == LoopbackServer.pattern(count: 100_000))
        #expect(server.requestCount == 1)
        #expect(delegate.violations == [])
    }

    @Test("A task may suspend itself in every callback") func fromCallbacks() async throws {
        let server = try LoopbackServer()
        let again: @Sendable (URLSessionTask) -> Void = { task in
            task.suspend()
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.005) { task.resume() }
        }
        var hooks = DelegateHooks()
        hooks.onData = { task, _ in again(task) }
        hooks.onWrote = { task, _ in again(task) }
        hooks.onSent = { task, _ in again(task) }
        hooks.onRedirect = { task, _, request, answer in
            again(task)
            answer(request)
        }
        hooks.onResponse = { task, _, answer in
            again(task)
            answer(.allow)
        }
        let delegate = RecordingDelegate(hooks)
        let session = makeSession(delegate)
        let data = session.dataTask(with: server.url("/redirect-to?url=/bytes/3000000"))
        let download = session.downloadTask(with: server.url("/redirect-to?url=/bytes/3000000"))
        var request = URLRequest(url: server.url("/upload"))
        request.httpMethod = "POST"
        let upload = session.uploadTask(with: request, from: LoopbackServer.pattern(count: 3_000_000))
        for task in [data, download, upload] { task.resume() }
        #expect(try await delegate.completion(of: data).data == LoopbackServer.pattern(count: 3_000_000))
        #expect(try await delegate.completion(of: download).file == LoopbackServer.pattern(count: 3_000_000))
        #expect(try await delegate.completion(of: upload).error == nil)
        #expect(server.requests.contains { $0.bodySHA256 == LoopbackServer.patternSHA256(count: 3_000_000) })
        #expect(delegate.violations == [])
    }

    @Test("A completed task ignores suspend and resume") func completed() async throws {
        let server = try LoopbackServer()
        let delegate = RecordingDelegate()
        let task = makeSession(delegate).dataTask(with: server.url("/bytes/10"))
        task.resume()
        try await delegate.completion(of: task)
        task.suspend()
        #expect(task.state == .completed)
        task.resume()
        #expect(task.state == .completed)
        #expect(server.requestCount == 1)
    }

    @Test("An observer is called once for each actual change") func observer() async throws {
        final class Observer: CurlSessionTaskObserver {
            let changes = Watched<[String]>([])
            func session(_ session: CurlSession, didResume task: URLSessionTask) {
                changes.change { $0.append("resumed") }
            }
            func session(_ session: CurlSession, didSuspend task: URLSessionTask) {
                changes.change { $0.append("suspended") }
            }
            func session(_: CurlSession, ownDelegateDidEnd _: URLSessionTask, error _: (any Error)?) {}
        }
        let gate = Gate()
        let server = try LoopbackServer { _ in .gated(gate, first: 1, of: 2) }
        let session = makeSession()
        let observer = Observer()
        session.taskObserver = observer
        let task = session.dataTask(with: server.url)
        task.suspend()
        task.resume()
        task.resume()
        task.resume()
        task.suspend()
        task.suspend()
        task.resume()
        task.resume()
        gate.open()
        try await eventually("completion") { task.state == .completed }
        task.resume()
        #expect(observer.changes.current == ["resumed", "suspended", "resumed"])
    }
}
