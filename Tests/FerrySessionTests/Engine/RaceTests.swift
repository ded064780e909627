import FerrySession
import FerryTesting
import Testing

/// Many threads use sessions and tasks at the same time; also meant for the thread sanitizer.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct RaceTests {
    @Test("Concurrent suspend, resume and cancel end every task once, and completely if not cancelled") func storm()
        async throws
    {
        let server = try LoopbackServer()
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        var request = URLRequest(url: server.url("/upload"))
        request.httpMethod = "POST"
        let tasks: [URLSessionTask] = (0..<45).map { index in
            switch index % 3 {
            case 0: session.dataTask(with: server.url("/bytes/150000?rate=1500000"))
            case 1: session.downloadTask(with: server.url("/bytes/150000?rate=1500000"))
            default: session.uploadTask(with: request, from: LoopbackServer.pattern(count: 150_000))
            }
        }
        for task in tasks { task.resume() }
        let seed = SeededGenerator.seed()
        await onThreads(6) { worker in
            var random = SeededGenerator(seed &+ UInt64(worker))
            for _ in 0..<300 {
                guard let task = tasks.randomElement(using: &random) else { continue }
                task.suspend()
                if worker == 0, task.taskIdentifier % 4 == 0 { task.cancel() }
                task.resume()
                usleep(100)
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
            let isWhole =
                switch task {
                case is URLSessionUploadTask: task.countOfBytesSent == 150_000
                case is URLSessionDownloadTask: record.file == LoopbackServer.pattern(count: 150_000)
                default: record.data == LoopbackServer.pattern(count: 150_000)
                }
            #expect(isWhole, "\(task), FERRY_TEST_SEED=\(seed)")
        }
        #expect(delegate.violations == [], "FERRY_TEST_SEED=\(seed)")
    }

    @Test("Concurrent pairs of suspend and resume never leave a task suspended") func pairs() async throws {
        let server = try LoopbackServer()
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        for _ in 0..<30 {
            let task = session.dataTask(with: server.url("/bytes/30000"))
            await onThreads(4) { worker in
                if worker == 0 { task.resume() }
                for _ in 0..<50 {
                    task.suspend()
                    task.resume()
                }
            }
            // The first `resume()` may have undone the suspension of a pair instead of starting the task.
            if task.state == .suspended { task.resume() }
            #expect(try await delegate.completion(of: task).data.count == 30_000)
        }
        #expect(delegate.violations == [])
    }

    @Test("Properties can be read and set from any thread while a task runs") func properties() async throws {
        let server = try LoopbackServer()
        let session = makeSession()
        let own = RecordingDelegate(isSerial: false)
        for _ in 0..<5 {
            let task = session.dataTask(with: server.url("/bytes/500000"))
            task.resume()
            await onThreads(4) { worker in
                while task.state != .completed {
                    _ = (task.countOfBytesReceived, task.countOfBytesSent, task.response, task.error)
                    _ = (task.currentRequest, task.originalRequest, task.priority, task.taskIdentifier)
                    _ = (task.countOfBytesExpectedToReceive, task.countOfBytesExpectedToSend, task.delegate)
                    task.priority = Float(worker) / 4
                    if worker == 0 { task.delegate = own }
                    if worker == 1 { task.countOfBytesClientExpectsToReceive = 1 }
                }
            }
            #expect(task.error == nil)
        }
    }

    @Test("Tasks made by many threads in one session all return the right data") func manyThreads() async throws {
        let server = try LoopbackServer()
        let session = makeSession { $0.httpMaximumConnectionsPerHost = 4 }
        let done = Watched<[Int: Int]>([:])
        await onThreads(8) { worker in
            for index in 0..<25 {
                let size = worker * 1000 + index
                let task = session.dataTask(with: server.url("/bytes/\(size)")) { data, _, _ in
                    done.change { $0[size] = data?.count ?? -1 }
                }
                task.resume()
            }
        }
        try await eventually("all") { done.change { $0.count == 200 } }
        #expect(done.change { $0.allSatisfy { $0.key == $0.value } })
    }

    @Test("Byte streams that are dropped and cancelled at any moment end their transfers")
    func streams() async throws {
        let server = try LoopbackServer()
        let session = makeSession()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<40 {
                group.addTask {
                    let work = Task {
                        let (bytes, _) = try await session.bytes(from: server.url("/bytes/300000?rate=3000000"))
                        var count = 0
                        for try await chunk in bytes.chunks {
                            count += chunk.count
                            if index % 4 == 0, count > index * 2000 { return }
                        }
                        if count != 300_000 { Issue.record("\(count) bytes") }
                    }
                    if index % 2 == 1 {
                        try await Task.sleep(for: .milliseconds(index))
                        work.cancel()
                    }
                    _ = await work.result
                }
            }
            try await group.waitForAll()
        }
        // A cancelled task is removed once the engine has released its request.
        for _ in 0..<4000 where await !session.allTasks.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        #expect(await session.allTasks == [])
    }

    @Test("Sessions released at any moment of a request's end complete it, and close their connections")
    func endings() async throws {
        final class Gone: Sendable {
            weak let session: CurlSession?
            init(_ session: CurlSession?) { self.session = session }
        }
        let server = try LoopbackServer()
        let ended = Watched(0)
        let sessions = Watched<[Gone]>([])
        await onThreads(4) { worker in
            for round in 0..<50 {
                let done = DispatchSemaphore(value: 0)
                var session: CurlSession? = makeSession()
                let gone = Gone(session)
                sessions.change { $0.append(gone) }
                session?.dataTask(with: server.url("/bytes/\(round)")) { data, _, _ in
                    if data?.count == round { ended.change { $0 += 1 } }
                    done.signal()
                }.resume()
                switch (worker + round) % 4 {
                case 0: session?.finishTasksAndInvalidate()
                case 1: session = nil
                case 2:
                    done.wait()
                    session = nil
                    continue
                default: usleep(UInt32(round * 20))
                }
                session = nil
                done.wait()
            }
        }
        #expect(ended.current == 200)
        try await eventually("the sessions' end") {
            sessions.change { $0.count == 200 && $0.allSatisfy { $0.session == nil } }
        }
        try await server.waitForOpenConnections(atMost: 0, timeout: 40 * patience)
    }
}
