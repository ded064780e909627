import FerryTesting
import Testing

@testable import FerrySession

/// Sessions that are no longer retained.
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
        try await server.waitForOpenConnections(atMost: 0, timeout: 40 * patience)
    }

    @Test("A session that ends while a transfer waits for its limit releases its engine", arguments: [true, false])
    func limited(_ isInvalidated: Bool) async throws {
        let server = try LoopbackServer { _ in .pattern(count: 300_000) }
        var options = CurlSession.Options()
        options.downloadLimit = BandwidthLimit(bytesPerSecond: 20_000)
        var session: CurlSession? = CurlSession(configuration: .ephemeral, options: options)
        weak let engine = session?.engine
        #expect(engine != nil)
        let task = Task { [session] in try await session?.data(from: server.url) }
        try await server.waitForRequests(1, timeout: 40 * patience)
        // The task is then in the middle of the body, whose beginning alone has used the limit of a second.
        try await Task.sleep(for: .milliseconds(100))
        task.cancel()
        _ = await task.result
        if isInvalidated { session?.invalidateAndCancel() }
        session = nil
        try await eventually("the end of the engine") { engine == nil }
    }

    @Test("A task that is made too late, and suspended, does not keep its session")
    func lateAndSuspended() async throws {
        let gate = Gate()
        let server = try LoopbackServer { _ in .gated(gate, first: 10, of: 20) }
        var session: CurlSession? = makeSession(RecordingDelegate())
        weak let gone = session
        session?.dataTask(with: server.url).resume()
        try await server.waitForRequests(1, timeout: 40 * patience)
        session?.finishTasksAndInvalidate()
        session?.delegateQueue.isSuspended = true
        var late = session?.dataTask(with: server.url)
        late?.resume()
        late?.suspend()
        session?.delegateQueue.isSuspended = false
        session?.invalidateAndCancel()
        (late, session) = (nil, nil)
        try await eventually("the session's end") { gone == nil }
        gate.open()
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
        try await server.waitForRequests(1, timeout: 40 * patience)
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
        let box = Watched<CurlSession?>(nil)
        var hooks = DelegateHooks()
        hooks.onCompleted = { _, _ in
            let last = box.change { session in
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
                box.change { $0 = session }
                session.dataTask(with: server.url("/bytes/10")).resume()
            }
            try await eventually("the session's end") { delegate.completionCount == 1 }
            try await eventually("the session's end") { box.change { $0 == nil } }
            let check = { [weak gone] in gone == nil }
            for _ in 0..<2000 where !check() { try await Task.sleep(for: .milliseconds(2)) }
            #expect(check())
        }
        // The last reference to an async call's session is released on the thread that ends the call.
        for _ in 0..<20 { _ = try await makeSession().data(from: server.url("/bytes/10")) }
        try await server.waitForOpenConnections(atMost: 0, timeout: 40 * patience)
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

    @Test("A handler that retains its own task is released at the end of the task")
    func ownTask() async throws {
        typealias Holder = Watched<URLSessionTask?>
        let (server, session, done) = (try LoopbackServer(), makeSession(), Watched(0))
        let url = server.url("/bytes/10")
        func start(_ make: (Holder) -> URLSessionTask) -> Holder {
            let holder = Holder(nil)
            holder.change { $0 = make(holder) }
            holder.current?.resume()
            return holder
        }
        let note = { @Sendable (holder: Holder) in done.change { $0 += holder.current == nil ? 100 : 1 } }
        weak let data = start { holder in session.dataTask(with: url) { _, _, _ in note(holder) } }
        weak let download = start { holder in session.downloadTask(with: url) { _, _, _ in note(holder) } }
        try await done.wait { $0 == 2 }
        try await eventually("the release") { data == nil && download == nil }
    }

    // MARK: - Tasks that were not resumed yet

    /// Makes a task of each kind, with a handler or for the delegate; the handlers retain an object.
    private func makeTasks(_ session: CurlSession, _ url: URL, _ done: Watched<Int>) -> [URLSessionTask] {
        var request = URLRequest(url: url)
        request.httpMethod = "PUT"
        let note: @Sendable ((any Error)?) -> Void = { error in done.change { $0 += error == nil ? 1 : -1000 } }
        return [
            session.dataTask(with: url), session.dataTask(with: url) { note($2) },
            session.uploadTask(with: request, from: Data([1])),
            session.uploadTask(with: request, from: Data([1])) { note($2) },
            session.uploadTask(withStreamedRequest: request), session.downloadTask(with: url),
            session.downloadTask(with: url) { note($2) },
        ]
    }

    @Test("A session retains its tasks until they are resumed, so that a weak variable suffices")
    func weakTasks() async throws {
        let server = try LoopbackServer()
        var hooks = DelegateHooks()
        hooks.onBodyStream = { _, answer in answer(InputStream(data: Data([1]))) }
        let delegate = RecordingDelegate(hooks)
        let session = makeSession(delegate)
        let done = Watched(0)
        let count = makeTasks(session, server.url("/bytes/10"), done).count
        weak let data = session.dataTask(with: server.url("/bytes/10"))
        weak let upload = session.uploadTask(with: URLRequest(url: server.url), from: Data([1]))
        weak let download = session.downloadTask(with: server.url("/bytes/10"))
        #expect(data != nil && upload != nil && download != nil)
        for task in [data, upload, download] as [URLSessionTask?] { task?.resume() }
        try await eventually("the ends") { delegate.completionCount == 3 }
        try await eventually("the tasks' end") { data == nil && upload == nil && download == nil }
        for task in [delegate.records[count + 1], delegate.records[count + 2], delegate.records[count + 3]] {
            #expect(task?.error == nil)
        }
        #expect(done.current == 0 && delegate.violations == [])
    }

    @Test("Tasks that were never resumed are released with their session, and release it when they are dropped")
    func neverResumed() async throws {
        let url = try #require(URL(string: "http://127.0.0.1:1/"))
        var done: Watched<Int>? = Watched(0)
        weak let goneHandlers = done
        var delegate: RecordingDelegate? = RecordingDelegate()
        weak let goneDelegate = delegate
        var session: CurlSession? = makeSession(delegate)
        weak let goneSession = session
        weak let engine = session?.engine
        var tasks: [URLSessionTask]? = session.flatMap { session in done.map { makeTasks(session, url, $0) } }
        // Only the session retains these tasks.
        if let session, let done { _ = makeTasks(session, url, done) }
        (session, delegate, done) = (nil, nil, nil)
        #expect(goneSession == nil && goneDelegate != nil && goneHandlers != nil && engine != nil)
        #expect(tasks?.allSatisfy { $0.state == .suspended } == true)
        tasks = nil
        try await eventually("the end of all") { goneDelegate == nil && goneHandlers == nil && engine == nil }
    }

    @Test("A task that outlives the session object can still be resumed, and its callbacks receive a session")
    func outlives() async throws {
        let server = try LoopbackServer()
        let followed = Watched<[Int?]>([])
        var hooks = DelegateHooks()
        hooks.onBodyStream = { _, answer in answer(InputStream(data: Data([1]))) }
        hooks.onInvalid = { followed.append(($0 as? CurlSession)?.options.maximumBodySizeInMemory) }
        let delegate = RecordingDelegate(hooks)
        let done = Watched(0)
        var options = CurlSession.Options()
        options.maximumBodySizeInMemory = 12_345
        var session: CurlSession? = makeSession(delegate, options: options)
        weak let goneSession = session
        let tasks = session.map { makeTasks($0, server.url("/bytes/10"), done) } ?? []
        let cancelled = session?.dataTask(with: server.url)
        session?.finishTasksAndInvalidate()
        session = nil
        #expect(goneSession == nil)
        cancelled?.cancel()
        for task in tasks { task.resume() }
        try await eventually("the ends") { done.current == 3 && delegate.invalidations == 1 }
        #expect(delegate.completionCount == 5)
        #expect(followed.current == [12_345])
        #expect(tasks.allSatisfy { $0.state == .completed && $0.error == nil })
        #expect((cancelled?.error as? URLError)?.code == .cancelled)
        #expect(delegate.violations == [])
    }

    @Test("Tasks that are resumed at the same time, after the session object was released, get the same other one")
    func oneOther() async throws {
        let server = try LoopbackServer()
        for _ in 0..<10 {
            let delegate = SessionKeeper()
            var session: CurlSession? = makeSession(delegate)
            let tasks = (0..<4).compactMap { _ in session?.dataTask(with: server.url("/bytes/10")) }
            session = nil
            let (ready, gate) = (Watched(0), Gate())
            await onThreads(tasks.count) { worker in
                let isLast = ready.change { ready in
                    ready += 1
                    return ready == tasks.count
                }
                if isLast { gate.open() }
                gate.wait()
                tasks[worker].resume()
            }
            let sessions = try await delegate.sessions.wait { $0.count == tasks.count }
            #expect(Set(sessions.map { ObjectIdentifier($0) }).count == 1)
            delegate.sessions.change { $0 = [] }
        }
    }

    /// Keeps the session objects that it receives.
    private final class SessionKeeper: NSObject, URLSessionTaskDelegate, Sendable {
        let sessions = Watched<[URLSession]>([])

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            sessions.append(session)
        }
    }

    @Test("Resuming, cancelling and dropping tasks while their session is dropped is safe") func races() async throws {
        let server = try LoopbackServer()
        for _ in 0..<30 {
            let (made, done, resumed) = (Watched(0), Watched(0), Watched(0))
            let box = Watched<CurlSession?>(makeSession())
            await onThreads(4) { worker in
                for index in 0..<10 {
                    let task = box.current?.dataTask(with: server.url("/bytes/10")) { _, _, _ in
                        done.change { $0 += 1 }
                    }
                    guard let task else { break }
                    made.change { $0 += 1 }
                    if worker == 0, index == 5 { box.change { $0 = nil } }
                    if (worker + index).isMultiple(of: 3) { continue }
                    resumed.change { $0 += 1 }
                    index.isMultiple(of: 2) ? task.resume() : task.cancel()
                }
            }
            try await eventually("the ends") { done.current == resumed.current }
            #expect(done.current <= made.current)
        }
    }
}

/// Tasks that were never resumed leave no resources behind.
@Suite(.serialized, .timeLimit(.minutes(5)), .ownThreads)
struct UnresumedTaskLeakTests {
    @Test("Sessions with tasks that were never resumed leave no thread, descriptor or memory behind")
    func leaks() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            await Child.run {
                let url = try #require(URL(string: "http://127.0.0.1:1/"))
                func round() {
                    let session = makeSession()
                    for _ in 0..<200 {
                        session.dataTask(with: url) { _, _, _ in }.priority = 1
                        _ = session.uploadTask(with: URLRequest(url: url), from: Data(count: 1000))
                        _ = session.downloadTask(with: url)
                    }
                }
                for _ in 0..<5 { round() }
                let (descriptors, memory) = (ProcessUsage.descriptors, ProcessUsage.residentBytes)
                for _ in 0..<60 { round() }
                try await eventually("no thread") { ProcessUsage.ferryThreads == 0 }
                try await eventually("no descriptor") { ProcessUsage.descriptors <= descriptors }
                let growth = ProcessUsage.residentBytes - memory
                // 36,000 tasks would take more than 60 MB.
                try Child.expect(growth < 12_000_000, "The process grew by \(growth) bytes")
            }
        }
        Child.check(result?.standardOutputContent)
    }
}
