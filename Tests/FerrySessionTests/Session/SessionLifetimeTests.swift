import FerrySession
import FerryTesting
import Testing

/// What happens to a session that is no longer retained.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct SessionLifetimeTests {
    @Test("A session dropped while idle is released together with its delegate", arguments: [true, false])
    func idle(_ wasUsed: Bool) async throws {
        let server = try LoopbackServer()
        var delegate: RecordingDelegate? = RecordingDelegate()
        var session: CurlSession? = makeSession(delegate)
        weak let goneSession = session
        weak let goneDelegate = delegate
        if wasUsed, let task = session?.dataTask(with: server.url("/bytes/10")) {
            task.resume()
            try await delegate?.completion(of: task)
            #expect(server.openConnectionCount == 1)
        }
        session = nil
        delegate = nil
        try await eventually("the session's end") { goneSession == nil && goneDelegate == nil }
        try await server.waitForOpenConnections(atMost: 0)
    }

    @Test("A session dropped while busy completes its tasks, then it is released") func busy() async throws {
        let gate = Gate()
        let server = try LoopbackServer { _ in .gated(gate, first: 10, of: 20) }
        let delegate = RecordingDelegate()
        var session: CurlSession? = makeSession(delegate)
        weak let gone = session
        var task = session?.dataTask(with: server.url)
        weak let goneTask = task
        task?.resume()
        task = nil
        session = nil
        try await server.waitForRequests(1)
        #expect(gone != nil)
        gate.open()
        try await eventually("completion") { delegate.completionCount == 1 }
        #expect(delegate.records.values.first?.data == LoopbackServer.pattern(count: 20))
        try await eventually("the session's end") { gone == nil && goneTask == nil }
        #expect(delegate.violations == [])
    }

    @Test("A session may be released in its own callback, on its own queue or on the engine's thread")
    func fromCallback()
        async throws
    {
        let server = try LoopbackServer()
        let box = Locked<CurlSession?>(nil)
        var hooks = DelegateHooks()
        hooks.onCompleted = { _, _ in
            let last = box.withLock { session in
                defer { session = nil }
                return session
            }
            withExtendedLifetime(last) {}
        }
        for _ in 0..<20 {
            let delegate = RecordingDelegate(hooks)
            weak var gone: CurlSession?
            do {
                let session = makeSession(delegate)
                gone = session
                box.withLock { $0 = session }
                session.dataTask(with: server.url("/bytes/10")).resume()
            }
            try await eventually("the session's end") { delegate.completionCount == 1 }
            try await eventually("the session's end") { box.withLock { $0 == nil } }
            let check = { [weak gone] in gone == nil }
            for _ in 0..<2000 where !check() { try await Task.sleep(for: .milliseconds(2)) }
            #expect(check())
        }
        // The last reference to an async call's session is released on the thread that ends the call.
        for _ in 0..<20 { _ = try await makeSession().data(from: server.url("/bytes/10")) }
        try await server.waitForOpenConnections(atMost: 0)
    }

    @Test("A task that is retained after completion retains neither session nor delegate")
    func keptTask() async throws {
        let server = try LoopbackServer()
        var delegate: RecordingDelegate? = RecordingDelegate()
        var session: CurlSession? = makeSession(delegate)
        weak let goneSession = session
        weak let goneDelegate = delegate
        let task = try #require(session?.dataTask(with: server.url("/bytes/10")))
        task.resume()
        try await delegate?.completion(of: task)
        (session, delegate) = (nil, nil)
        try await eventually("the session's end") { goneSession == nil && goneDelegate == nil }
        #expect(task.state == .completed)
        task.cancel()
        task.resume()
        task.suspend()
        #expect(task.delegate == nil)
    }

    @Test("A task that was never resumed is released when it is dropped, and releases its session")
    func neverResumed() async throws {
        let url = try #require(URL(string: "http://127.0.0.1:1/"))
        var session: CurlSession? = makeSession()
        weak let goneSession = session
        var tasks: [URLSessionTask]? = session.map { [$0.dataTask(with: url), $0.downloadTask(with: url)] }
        session = nil
        #expect(goneSession != nil)
        #expect(tasks?.count == 2)
        tasks = nil
        try await eventually("the session's end") { goneSession == nil }
    }
}
