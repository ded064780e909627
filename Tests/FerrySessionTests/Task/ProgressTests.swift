import FerryTesting
import Testing

@testable import FerrySession

@Suite(.serialized, .timeLimit(.minutes(5)))
struct ProgressTests {
    @Test("A download's fraction is the written part of the whole") func download() async throws {
        let server = try LoopbackServer()
        let wrong = Watched<[Double]>([])
        var hooks = DelegateHooks()
        hooks.onWrote = { task, total in
            let fraction = task.progress.fractionCompleted
            if fraction != Double(total) / 3_000_000 { wrong.change { $0.append(fraction) } }
        }
        let delegate = RecordingDelegate(hooks)
        let task = makeSession(delegate).downloadTask(with: server.url("/bytes/3000000"))
        #expect(task.progress.fractionCompleted == 0)
        task.resume()
        try await delegate.completion(of: task)
        #expect(wrong.current == [])
        #expect(task.progress.fractionCompleted == 1)
        #expect(task.progress.isFinished)
        #expect(delegate.violations == [])
    }

    @Test("An upload's fraction stays below one until the response arrives, and never decreases") func upload()
        async throws
    {
        let gate = Gate()
        let server = try LoopbackServer { _ in
            gate.wait()
            return .pattern(count: 1000)
        }
        let fractions = Watched<[Double]>([])
        var hooks = DelegateHooks()
        hooks.onSent = { task, _ in fractions.change { $0.append(task.progress.fractionCompleted) } }
        let delegate = RecordingDelegate(hooks)
        var request = URLRequest(url: server.url)
        request.httpMethod = "POST"
        let task = makeSession(delegate).uploadTask(with: request, from: Data(count: 2_000_000))
        task.resume()
        try await eventually("the upload") { task.countOfBytesSent == 2_000_000 }
        #expect(task.progress.fractionCompleted < 1)
        gate.open()
        try await delegate.completion(of: task)
        let seen = fractions.current
        #expect(seen == seen.sorted() && seen.allSatisfy { $0 < 1 } && !seen.isEmpty)
        #expect(task.progress.fractionCompleted == 1)
        #expect(delegate.violations == [])
    }

    @Test("Parents sum up their tasks, with handlers or delegates, of two sessions") func parents() async throws {
        let server = try LoopbackServer()
        let delegate = RecordingDelegate()
        let sessions = [makeSession(delegate), makeSession()]
        let parent = Progress(totalUnitCount: 60)
        let done = Watched(0)
        var tasks: [URLSessionTask] = []
        for index in 0..<60 {
            let url = server.url("/bytes/\(index * 5000)")
            let task: URLSessionTask =
                index % 3 == 0
                ? sessions[0].dataTask(with: url)
                : sessions[index % 2].dataTask(with: url) { _, _, _ in done.change { $0 += 1 } }
            parent.addChild(task.progress, withPendingUnitCount: 1)
            tasks.append(task)
        }
        for task in tasks { task.resume() }
        try await eventually("all") { done.change { $0 == 40 } && delegate.completionCount == 20 }
        #expect(abs(parent.fractionCompleted - 1) < 1e-9)
        #expect(parent.completedUnitCount == 60)
    }

    @Test("A parent loses no updates that its tasks make concurrently") func parentOfMany() async {
        let parent = Progress(totalUnitCount: 4)
        let children = (0..<4).map { _ in Progress(totalUnitCount: 1) }
        for child in children { parent.addChild(child, withPendingUnitCount: 1) }
        let tasks = children.map { child in
            let task = TaskProgress()
            task.attach(child) { _ in }
            return task
        }
        await onThreads(4) { index in
            for count in 1...5000 { tasks[index].update(completed: ByteCount(clamping: count), total: 8192) }
            tasks[index].finish(completed: 8192)
        }
        #expect(abs(parent.fractionCompleted - 1) < 1e-9)
        #expect(parent.completedUnitCount == 4)
        withExtendedLifetime(children) {}
    }

    @Test("The fraction is right after two different totals and an unknown one") func changingTotals() {
        let (task, progress) = (TaskProgress(), Progress(totalUnitCount: 0))
        task.attach(progress) { _ in }
        task.update(completed: 0, total: 500)
        task.update(completed: 2407, total: 5000)
        task.update(completed: 500, total: nil)
        task.finish(completed: 500)
        #expect(progress.fractionCompleted == 1)
    }

    @Test("Cancelling a parent cancels its tasks") func cancelParent() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse().faulted(.stallBeforeHead) }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        let parent = Progress(totalUnitCount: 5)
        let tasks = (0..<5).map { _ in session.downloadTask(with: server.url) }
        for task in tasks { parent.addChild(task.progress, withPendingUnitCount: 1) }
        for task in tasks.dropLast() { task.resume() }
        try await server.waitForRequests(4, timeout: 40 * patience)
        parent.cancel()
        for task in tasks { #expect(try await delegate.completion(of: task).error?.code == .cancelled) }
        #expect(parent.fractionCompleted < 1)
        #expect(delegate.violations == [])
    }

    @Test("A task made while a Progress is current is its child, even if its own progress is never accessed")
    func currentParent() async throws {
        func makeTask(under parent: Progress, _ make: () -> URLSessionDataTask) -> URLSessionDataTask {
            parent.becomeCurrent(withPendingUnitCount: 1)
            defer { parent.resignCurrent() }
            return make()
        }
        let server = try LoopbackServer { _ in LoopbackResponse().faulted(.stallBeforeHead) }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        let parent = Progress(totalUnitCount: 1)
        let task = makeTask(under: parent) { session.dataTask(with: server.url) }
        task.resume()
        parent.cancel()
        #expect(try await delegate.completion(of: task).error?.code == .cancelled)
    }

    @Test("Pausing suspends and resuming resumes; repeated pauses count once", arguments: [1, 3])
    func pause(_ times: Int) async throws {
        let gate = Gate()
        let server = try LoopbackServer { _ in .gated(gate, first: 10, of: 20) }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        let task = session.downloadTask(with: server.url)
        task.resume()
        try await eventually("ten bytes") { task.countOfBytesReceived == 10 }
        for _ in 0..<times { task.progress.pause() }
        #expect(task.progress.isPaused)
        // Progress calls its handlers on its own queue.
        try await eventually("suspension") { task.state == .suspended }
        try await session.overtake()
        let sent = server.sentByteCount
        gate.open()
        try await eventually("the rest") { server.sentByteCount > sent }
        try await session.overtake()
        #expect(task.countOfBytesReceived == 10)
        task.progress.resume()
        #expect(try await delegate.completion(of: task).error == nil)
    }

    @Test("After quick pauses and resumes, the task has the last state") func pauseRace() async throws {
        let server = try LoopbackServer()
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        for _ in 0..<20 {
            let task = session.downloadTask(with: server.url("/bytes/100000"))
            task.resume()
            for _ in 0..<10 {
                task.progress.pause()
                task.progress.resume()
            }
            #expect(try await delegate.completion(of: task).file?.count == 100_000)
        }
    }

    /// The orders in which Foundation may call the handlers of a pause and the resumption that follows.
    enum HandlerOrder: CaseIterable {
        case inTime, late, overtaken
    }

    @Test(
        "A pause and a resumption start a new task, and leave one suspended that the program has suspended",
        arguments: [true, false],
        HandlerOrder.allCases
    )
    func quickPause(isNew: Bool, order: HandlerOrder) async throws {
        let gate = Gate()
        let server = try LoopbackServer { _ in .gated(gate, first: 0, of: 10) }
        let delegate = RecordingDelegate()
        let task = makeSession(delegate).dataTask(with: server.url)
        let progress = task.progress
        let pause = try #require(progress.pausingHandler)
        let resume = try #require(progress.resumingHandler)
        if !isNew {
            task.resume()
            task.suspend()
        }
        progress.isPaused = order == .inTime
        if order != .overtaken { pause() }
        progress.isPaused = false
        resume()
        if order == .overtaken { pause() }
        #expect(task.state == (isNew ? .running : .suspended))
        if !isNew { task.resume() }
        gate.open()
        #expect(try await delegate.completion(of: task).data.count == 10)
    }

    @Test("A resumption during a pause is passed on after it") func resumeDuringPause() throws {
        let (control, progress) = (ProgressControl(), Progress(totalUnitCount: 1))
        let changes = Watched<[ProgressControl.Change]>([])
        control.follow(progress) { change in
            changes.append(change)
            guard change == .pause else { return }
            progress.isPaused = false
            progress.resumingHandler?()
        }
        progress.isPaused = true
        let pause = try #require(progress.pausingHandler)
        pause()
        #expect(changes.current == [.pause, .resume, .start])
    }

    @Test("Cancelling the progress of a task that never ran completes it") func cancelIdle() async throws {
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        let task = session.dataTask(with: try #require(URL(string: "http://127.0.0.1:1/")))
        task.progress.cancel()
        #expect(try await delegate.completion(of: task).error?.code == .cancelled)
    }

    @Test("Resuming the progress of a new task starts it") func resumeIdle() async throws {
        let server = try LoopbackServer()
        let delegate = RecordingDelegate()
        let task = makeSession(delegate).dataTask(with: server.url("/bytes/10"))
        task.progress.resume()
        #expect(try await delegate.completion(of: task).data.count == 10)
    }

    @Test("A task that fails does not appear finished") func failure() async throws {
        let server = try LoopbackServer()
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        for target in ["/truncate?bytes=1000&after=999", "/empty", "/reset?bytes=1000&after=500&chunked=1"] {
            let task = session.dataTask(with: server.url(target))
            task.resume()
            let record = try await delegate.completion(of: task)
            #expect(record.error != nil)
            #expect(task.progress.fractionCompleted < 1)
        }
        #expect(delegate.violations == [])
    }
}
