import FerrySession
import FerryTesting
import Testing

/// Classes that call back from several threads while their tasks are controlled from others.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ProtocolRaceTests {
    @Test("Concurrent callbacks, suspensions and cancellations end every task once, and completely if not cancelled")
    func storm() async throws {
        let server = try LoopbackServer()
        let engine = server.url("/bytes/20000")
        let last = ScriptedProtocol.script { loader in
            loader.respond()
            let box = Unchecked(loader)
            Thread.detachNewThread {
                for _ in 0..<20 {
                    box.value.client?.urlProtocol(box.value, didLoad: LoopbackServer.pattern(count: 1000))
                }
                box.value.finish()
                box.value.finish()
            }
        }
        let first = ScriptedProtocol.script { loader in
            let target = Bool.random() ? last : engine
            loader.redirect(to: target)
            loader.fail(URLError(.unknown))
        }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate) { $0.protocolClasses = [ScriptedProtocol.self] }
        let toClass = server.url("/redirect-to?url=\(last.absoluteString)")
        let tasks: [URLSessionTask] = (0..<60).map { index in
            let url = [first, last, toClass][index % 3]
            return index % 2 == 0 ? session.dataTask(with: url) : session.downloadTask(with: url)
        }
        for task in tasks { task.resume() }
        let seed = SeededGenerator.seed()
        await onThreads(4) { worker in
            var random = SeededGenerator(seed &+ UInt64(worker))
            for _ in 0..<200 {
                guard let task = tasks.randomElement(using: &random) else { continue }
                task.suspend()
                if worker == 0, task.taskIdentifier % 4 == 0 { task.cancel() }
                task.resume()
                usleep(50)
            }
        }
        for task in tasks {
            let record = try await delegate.completion(of: task)
            #expect(record.completions == 1, "FERRY_TEST_SEED=\(seed)")
            if record.error?.code == .cancelled {
                #expect(task.taskIdentifier % 4 == 0, "FERRY_TEST_SEED=\(seed)")
                continue
            }
            #expect(record.error == nil, "FERRY_TEST_SEED=\(seed)")
            let count = task is URLSessionDownloadTask ? record.file?.count : record.data.count
            #expect(count == 20_000, "FERRY_TEST_SEED=\(seed)")
        }
        #expect(delegate.violations == [], "FERRY_TEST_SEED=\(seed)")
        #expect(await session.allTasks == [])
    }

    @Test("A class that fails while its response becomes a download ends the task with the error")
    func failureDuringConversion() async throws {
        let becomeDownload = try #require(URLSession.ResponseDisposition(rawValue: 2))
        let turn = Watched(0)
        let count = 300
        let script = ScriptedProtocol.script { loader in
            let (box, next) = (Unchecked(loader), turn.current + 1)
            loader.respond()
            Thread.detachNewThread {
                while turn.current < next {}
                box.value.fail(URLError(.cannotParseResponse))
            }
        }
        var hooks = DelegateHooks()
        hooks.onResponse = { _, _, answer in
            turn.change { $0 += 1 }
            if turn.current.isMultiple(of: 2) { usleep(useconds_t.random(in: 0...30)) }
            answer(becomeDownload)
        }
        let delegate = RecordingDelegate(hooks)
        let session = makeSession(delegate) { $0.protocolClasses = [ScriptedProtocol.self] }
        for _ in 0..<count {
            let task = session.dataTask(with: script)
            task.resume()
            #expect(try await delegate.completion(of: task).error?.code == .cannotParseResponse)
        }
        #expect(turn.current == count)
        #expect(delegate.violations == [])
    }

    @Test("A session that is invalidated stops every class") func invalidation() async throws {
        let url = ScriptedProtocol.script { $0.respond() }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate) { $0.protocolClasses = [ScriptedProtocol.self] }
        let tasks = (0..<20).map { _ in session.dataTask(with: url) }
        for task in tasks { task.resume() }
        session.invalidateAndCancel()
        for task in tasks { #expect(try await delegate.completion(of: task).error?.code == .cancelled) }
        try await eventually("the end") { delegate.invalidations == 1 }
        try await eventually("the stops") { ScriptedProtocol.stops(url) == ScriptedProtocol.starts(url) }
    }
}
