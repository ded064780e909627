import FerryTesting
import Testing

@testable import FerrySession

@Suite(.serialized, .timeLimit(.minutes(5)))
struct InvalidationTests {
    @Test("Finishing lets tasks finish; then the delegate is called once, as the last callback, and released")
    func finish() async throws {
        let gate = Gate()
        let server = try LoopbackServer { _ in .gated(gate, first: 10, of: 20) }
        var delegate: RecordingDelegate? = RecordingDelegate()
        weak let gone = delegate
        let session = makeSession(delegate)
        let tasks = (0..<5).map { _ in session.dataTask(with: server.url) }
        for task in tasks { task.resume() }
        try await server.waitForRequests(5, timeout: 40 * patience)
        session.finishTasksAndInvalidate()
        session.finishTasksAndInvalidate()
        #expect(delegate?.invalidations == 0)
        gate.open()
        try await eventually("invalidity") { gone?.invalidations == 1 }
        // No other event follows: a second call has a moment to come.
        try await Task.sleep(for: .milliseconds(30))
        #expect(delegate?.invalidations == 1)
        #expect(delegate?.order.last == "invalid")
        #expect(delegate?.completionCount == 5)
        #expect(delegate?.records.values.allSatisfy { $0.error == nil } == true)
        #expect(delegate?.violations == [])
        #expect(session.delegate == nil)
        delegate = nil
        try await eventually("the delegate's end") { gone == nil }
    }

    @Test("The connections of a session that is invalid end, even if it is retained") func connections() async throws {
        let server = try LoopbackServer()
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        session.dataTask(with: server.url("/bytes/10")).resume()
        try await eventually("completion") { delegate.completionCount == 1 }
        #expect(server.openConnectionCount == 1)
        session.finishTasksAndInvalidate()
        try await server.waitForOpenConnections(atMost: 0)
        withExtendedLifetime(session) {}
    }

    @Test("Cancelling all tasks completes each once with -999, then the delegate is called")
    func cancel() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse().faulted(.stallBeforeHead) }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate) { $0.httpMaximumConnectionsPerHost = 2 }
        let tasks = (0..<10).map { _ in session.dataTask(with: server.url) }
        for task in tasks.prefix(8) { task.resume() }
        try await server.waitForRequests(2, timeout: 40 * patience)
        let start = ContinuousClock.now
        session.invalidateAndCancel()
        session.invalidateAndCancel()
        session.finishTasksAndInvalidate()
        try await eventually("invalidity") { delegate.invalidations == 1 }
        let last = try #require(delegate.records.values.compactMap(\.completedAt).max())
        // The requests' own timeout is longer.
        #expect(last - start < .seconds(30))
        #expect(delegate.order == Array(repeating: "completed", count: 10) + ["invalid"])
        #expect(delegate.records.values.allSatisfy { $0.error?.code == .cancelled && $0.completions == 1 })
        #expect(delegate.violations == [])
    }

    @Test("An idle session is invalid immediately, with or without a delegate", arguments: [true, false])
    func idle(_ isCancelling: Bool) async throws {
        let delegate = RecordingDelegate()
        let server = try LoopbackServer()
        for session in [makeSession(delegate), makeSession()] {
            isCancelling ? session.invalidateAndCancel() : session.finishTasksAndInvalidate()
            let error = await #expect(throws: URLError.self) { try await session.data(from: server.url) }
            #expect(error?.ferryCode == .sessionInvalidated)
        }
        try await eventually("invalidity") { delegate.invalidations == 1 }
        #expect(server.connectionCount == 0)
    }

    @Test("A task made in an invalid session fails with a typed error, with every kind of delivery")
    func madeAfterwards() async throws {
        let server = try LoopbackServer()
        let session = makeSession()
        session.invalidateAndCancel()
        let outcome = Watched<[Outcome<Data>]>([])
        session.dataTask(with: server.url) { outcome.append(Outcome($0, $1, $2)) }.resume()
        let error = try await outcome.first().error as? URLError
        #expect(error?.ferryCode == .sessionInvalidated)
        #expect(error?.failingURL == server.url)
        let download = Watched<[Outcome<URL>]>([])
        session.downloadTask(with: server.url) { download.append(Outcome($0, $1, $2)) }.resume()
        #expect((try await download.first().error as? URLError)?.ferryCode == .sessionInvalidated)
        let thrown = await #expect(throws: URLError.self) { try await session.data(from: server.url) }
        #expect(thrown?.ferryCode == .sessionInvalidated)
        await #expect(throws: URLError.self) { try await session.bytes(from: server.url) }
        await #expect(throws: URLError.self) {
            try await session.upload(for: URLRequest(url: server.url), from: Data("x".utf8))
        }
        let own = RecordingDelegate()
        let task = session.dataTask(with: server.url)
        task.delegate = own
        task.resume()
        #expect(try await own.completion(of: task).error?.ferryCode == .sessionInvalidated)
        #expect((task.error as? URLError)?.ferryCode == .sessionInvalidated)
        for task in [session.downloadTask(withResumeData: Data()), session.dataTask(with: server.url)] {
            task.resume()
            task.suspend()
            task.cancel()
            try await eventually("completion") { task.state == .completed }
        }
        #expect(server.connectionCount == 0)
    }

    @Test(
        "A session that finishes waits for tasks that were made before and are resumed later",
        arguments: [true, false]
    )
    func resumedAfterwards(_ isCancelled: Bool) async throws {
        let server = try LoopbackServer()
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        let task = session.dataTask(with: server.url)
        session.finishTasksAndInvalidate()
        try await session.flushed()
        #expect(delegate.invalidations == 0)
        isCancelled ? task.cancel() : task.resume()
        let completion = try await delegate.completion(of: task)
        #expect(completion.error?.code == (isCancelled ? .cancelled : nil))
        try await eventually("invalidity") { delegate.invalidations == 1 }
        #expect(delegate.order.last == "invalid")
        #expect(server.connectionCount == (isCancelled ? 0 : 1))
    }

    @Test("While an invalidated session finishes, new tasks fail and older ones may begin")
    func whileFinishing() async throws {
        let gate = Gate()
        let server = try LoopbackServer { request in
            request.path == "/gated" ? .gated(gate, first: 10, of: 20) : .text(request.path)
        }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        let running = session.dataTask(with: server.url("/gated"))
        let older = session.dataTask(with: server.url("/older"))
        running.resume()
        try await server.waitForRequests(1, timeout: 40 * patience)
        session.finishTasksAndInvalidate()
        let newer = session.dataTask(with: server.url("/newer"))
        newer.resume()
        older.resume()
        #expect(try await delegate.completion(of: newer).error?.ferryCode == .sessionInvalidated)
        #expect(try await delegate.completion(of: older).data == Data("/older".utf8))
        #expect(delegate.invalidations == 0)
        gate.open()
        try await eventually("invalidity") { delegate.invalidations == 1 }
        #expect(delegate.order.last == "invalid")
        #expect(delegate.violations == [])
    }

    @Test("A session that finishes does not wait for tasks that were released without being resumed")
    func neverResumed() async throws {
        let url = try #require(URL(string: "http://127.0.0.1:1/"))
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        var kept: URLSessionTask? = session.dataTask(with: url)
        _ = session.dataTask(with: url)
        session.finishTasksAndInvalidate()
        try await session.flushed()
        #expect(delegate.invalidations == 0)
        #expect(kept?.state == .suspended)
        kept = nil
        try await eventually("invalidity") { delegate.invalidations == 1 }
        #expect(delegate.completionCount == 0)
    }

    @Test(
        "Cancelling all tasks completes those that were never resumed, retained or released",
        arguments: [true, false]
    )
    func cancelsIdle(_ isHeld: Bool) async throws {
        let url = try #require(URL(string: "http://127.0.0.1:1/"))
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        let errors = Watched<[URLError.Code?]>([])
        let note: @Sendable ((any Error)?) -> Void = { error in
            errors.change { $0.append((error as? URLError)?.code) }
        }
        let tasks: [URLSessionTask] = [
            session.dataTask(with: url), session.dataTask(with: url) { _, _, error in note(error) },
            session.uploadTask(with: URLRequest(url: url), from: Data([1])) { _, _, error in note(error) },
            session.downloadTask(with: url) { _, _, error in note(error) },
        ]
        let held = isHeld ? tasks : []
        try await invalidateAfterRelease(of: tasks, session)
        try await eventually("invalidity") { delegate.invalidations == 1 }
        #expect(errors.current == [.cancelled, .cancelled, .cancelled])
        #expect(delegate.completionCount == 1 && delegate.order.last == "invalid")
        #expect(held.allSatisfy { $0.state == .completed })
    }

    private func invalidateAfterRelease(of tasks: consuming [URLSessionTask], _ session: CurlSession) async throws {
        #expect(await session.allTasks == [])
        _ = consume tasks
        session.invalidateAndCancel()
    }

    @Test("A session that is retained after its end keeps no thread") func thread() async throws {
        let server = try LoopbackServer()
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        _ = try await session.data(from: server.url)
        let isStopped: @Sendable () -> Bool? = { session.engine?.inbox.withLock { $0.isStopped } }
        #expect(isStopped() == false)
        session.finishTasksAndInvalidate()
        try await eventually("the end of the engine") { isStopped() == true }
        #expect(delegate.invalidations == 1)
    }

    @Test("Invalidation from every callback is safe", arguments: ["response", "data", "completed", "invalid"])
    func fromCallback(_ place: String) async throws {
        let server = try LoopbackServer()
        let box = Watched<CurlSession?>(nil)
        let invalidate: @Sendable () -> Void = { box.current?.invalidateAndCancel() }
        var hooks = DelegateHooks()
        hooks.onResponse = { _, _, answer in
            if place == "response" { invalidate() }
            answer(.allow)
        }
        hooks.onData = { _, _ in if place == "data" { invalidate() } }
        hooks.onCompleted = { _, _ in if place == "completed" { invalidate() } }
        hooks.onInvalid = { session in
            session.invalidateAndCancel()
            session.dataTask(with: server.url).resume()
        }
        let delegate = RecordingDelegate(hooks)
        let session = makeSession(delegate)
        box.change { $0 = session }
        let tasks = (0..<5).map { _ in session.dataTask(with: server.url("/bytes/10")) }
        for task in tasks { task.resume() }
        if place == "invalid" { session.finishTasksAndInvalidate() }
        try await eventually("invalidity") { delegate.invalidations == 1 }
        for task in tasks { #expect(delegate[task].completions == 1) }
        box.change { $0 = nil }
        #expect(delegate.violations == [])
    }

    @Test("Making, resuming and cancelling tasks during invalidation is safe") func race() async throws {
        let server = try LoopbackServer()
        for round in 0..<15 {
            let delegate = RecordingDelegate()
            let session = makeSession(delegate)
            let handled = Watched(0)
            let made = Watched(0)
            await onThreads(8) { worker in
                for _ in 0..<10 {
                    if worker == 0 {
                        usleep(UInt32(round * 30))
                        round % 2 == 0 ? session.finishTasksAndInvalidate() : session.invalidateAndCancel()
                    }
                    made.change { $0 += 1 }
                    let task = session.dataTask(with: server.url("/bytes/10")) { _, _, _ in
                        handled.change { $0 += 1 }
                    }
                    task.resume()
                    if worker == 1 { task.cancel() }
                }
            }
            try await eventually("all handlers") { handled.current == made.current }
            try await eventually("invalidity") { delegate.invalidations == 1 }
            try await Task.sleep(for: .milliseconds(5))
            #expect(handled.current == 80)
            #expect(delegate.invalidations == 1)
        }
    }
}
