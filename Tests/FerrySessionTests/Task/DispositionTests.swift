import FerrySession
import FerryTesting
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct DispositionTests {
    typealias Answer = @Sendable (URLSession.ResponseDisposition) -> Void

    private static let becomeDownload = URLSession.ResponseDisposition(rawValue: 2)

    /// Returns a delegate that decides about the response with `answer`, immediately or later on another thread.
    private func delegate(
        isLate: Bool,
        _ hooks: DelegateHooks = DelegateHooks(),
        _ answer: @escaping @Sendable (URLSessionDataTask, @escaping Answer) -> Void
    ) -> RecordingDelegate {
        var hooks = hooks
        hooks.onResponse = { task, _, completion in
            guard isLate else { return answer(task, completion) }
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.15) { answer(task, completion) }
        }
        return RecordingDelegate(hooks)
    }

    @Test("No data is delivered until the delegate has decided about the response", arguments: [false, true])
    func allow(_ isLate: Bool) async throws {
        let server = try LoopbackServer()
        let delegate = delegate(isLate: isLate) { task, answer in
            if isLate, task.countOfBytesReceived != 0 { Issue.record("Bytes were delivered before the decision") }
            answer(.allow)
        }
        let task = makeSession(delegate).dataTask(with: server.url("/bytes/500000"))
        task.resume()
        let record = try await delegate.completion(of: task)
        #expect(record.names == ["response", "data", "completed"])
        #expect(record.data == LoopbackServer.pattern(count: 500_000))
        #expect(delegate.violations == [])
    }

    @Test(
        "Cancelling in the response callback delivers no data, and completes with -999",
        arguments: [false, true],
        ["/bytes/500", "/bytes/9000000"]
    )
    func cancel(_ isLate: Bool, _ target: String) async throws {
        let server = try LoopbackServer()
        let delegate = delegate(isLate: isLate) { _, answer in answer(.cancel) }
        let task = makeSession(delegate).dataTask(with: server.url(target))
        task.resume()
        let record = try await delegate.completion(of: task)
        #expect(record.names == ["response", "completed"])
        #expect(record.error?.code == .cancelled)
        #expect(record.completions == 1)
        #expect(delegate.violations == [])
    }

    @Test("While the decision is pending, the server can send only a limited amount") func backPressure() async throws {
        let server = try LoopbackServer()
        let answers = Watched<[Answer]>([])
        let delegate = delegate(isLate: false) { _, answer in answers.append(answer) }
        let task = makeSession(delegate).dataTask(with: server.url("/bytes/64000000"))
        task.resume()
        let answer = try await answers.first()
        #expect(try await settled { server.sentByteCount } < 32_000_000)
        answer(.cancel)
        #expect(try await delegate.completion(of: task).error?.code == .cancelled)
    }

    @Test("A deadline ends a decision that is never made while the body comes", arguments: [false, true])
    func unanswered(isDeadline: Bool) async throws {
        let server = try LoopbackServer()
        let answers = Watched<[Answer]>([])
        let delegate = delegate(isLate: false) { _, answer in answers.append(answer) }
        let session = makeSession(delegate) { if !isDeadline { $0.timeoutIntervalForResource = 0.3 } }
        let task = session.dataTask(with: server.url("/bytes/64000000"))
        if isDeadline { task.deadline = 0.3 }
        task.resume()
        #expect(try await delegate.completion(of: task).error?.code == .timedOut)
        #expect(answers.current.count == 1)
    }

    @Test("A response becomes a download", arguments: [false, true], [0, 10, 70_000, 5_000_000])
    func becomesDownload(_ isLate: Bool, _ size: Int) async throws {
        let disposition = try #require(Self.becomeDownload)
        let server = try LoopbackServer()
        let downloads = Watched<[URLSessionDownloadTask]>([])
        var hooks = DelegateHooks()
        hooks.onBecome = { _, download in downloads.append(download) }
        let delegate = delegate(isLate: isLate, hooks) { _, answer in answer(disposition) }
        let task = makeSession(delegate).dataTask(with: server.url("/bytes/\(size)"))
        task.resume()
        let record = try await delegate.completion(of: task)
        let wrote = size > 0 ? ["wrote"] : []
        #expect(record.names == ["response", "becameDownload"] + wrote + ["finishedDownload", "completed"])
        #expect(record.file == LoopbackServer.pattern(count: size))
        #expect(record.error == nil)
        let download = try #require(downloads.current.first)
        #expect(download.taskIdentifier == task.taskIdentifier)
        #expect(download.state == .completed)
        #expect(download.countOfBytesReceived == size)
        #expect(download.progress.fractionCompleted == 1)
        #expect(delegate.violations == [])
    }

    @Test("A small response that completes concurrently always becomes a download")
    func becomesDownloadRace() async throws {
        let disposition = try #require(Self.becomeDownload)
        let server = try LoopbackServer()
        let delegate = RecordingDelegate(
            {
                var hooks = DelegateHooks()
                hooks.onResponse = { task, _, answer in
                    // Around the time at which the body is complete.
                    DispatchQueue.global().async {
                        usleep(UInt32(task.taskIdentifier % 20) * 20)
                        answer(disposition)
                    }
                }
                return hooks
            }()
        )
        let session = makeSession(delegate)
        for _ in 0..<300 {
            let task = session.dataTask(with: server.url("/drip?bytes=40&chunk=20&interval=0"))
            task.resume()
            let record = try await delegate.completion(of: task)
            #expect(record.names == ["response", "becameDownload", "wrote", "finishedDownload", "completed"])
        }
        #expect(delegate.violations == [])
    }

    @Test("A response that became a download can be cancelled, suspended and resumed")
    func becomesAndControls() async throws {
        let disposition = try #require(Self.becomeDownload)
        let server = try LoopbackServer()
        let downloads = Watched<[URLSessionDownloadTask]>([])
        var hooks = DelegateHooks()
        hooks.onBecome = { _, download in downloads.append(download) }
        let delegate = delegate(isLate: false, hooks) { _, answer in answer(disposition) }
        let task = makeSession(delegate).dataTask(with: server.url("/stall?bytes=100000&after=50000"))
        task.resume()
        let download = try await downloads.first()
        try await eventually("half of it") { download.countOfBytesReceived == 50_000 }
        #expect(download.progress.fractionCompleted == 0.5)
        download.suspend()
        #expect(download.state == .suspended)
        download.resume()
        #expect(download.state == .running)
        download.progress.cancel()
        let record = try await delegate.completion(of: task)
        #expect(record.error?.code == .cancelled)
        #expect(download.state == .completed)
        #expect(delegate.violations == [])
    }

    @Test(
        "A response that fails while it becomes a download ends with that error and no file",
        arguments: [false, true]
    )
    func becomesDownloadFailing(_ isLate: Bool) async throws {
        let disposition = try #require(Self.becomeDownload)
        let server = try LoopbackServer()
        let folder = try TemporaryFolder()
        var options = CurlSession.Options()
        options.temporaryDirectory = folder.url
        let delegate = delegate(isLate: isLate) { _, answer in answer(disposition) }
        let session = makeSession(delegate, options: options)
        let task = session.dataTask(with: server.url("/truncate?bytes=1000&after=500&ranges=0"))
        task.resume()
        let record = try await delegate.completion(of: task)
        #expect(record.error?.code == .networkConnectionLost)
        #expect(!record.names.contains("finishedDownload"))
        try await eventually("the file's end") { folder.names.isEmpty }
        #expect(delegate.violations == [])
    }

    @Test("A download that cannot write its file fails like a file that cannot be created")
    func unwritable() async throws {
        let disposition = try #require(Self.becomeDownload)
        let server = try LoopbackServer()
        var options = CurlSession.Options()
        options.temporaryDirectory = URL(fileURLWithPath: "/proc/nowhere")
        let delegate = delegate(isLate: false) { _, answer in answer(disposition) }
        let task = makeSession(delegate, options: options).dataTask(with: server.url("/bytes/100000"))
        task.resume()
        let record = try await delegate.completion(of: task)
        #expect(record.error?.code == .cannotCreateFile)
        #expect(!record.names.contains("finishedDownload"))
    }

    @Test("A second decision has no effect", arguments: [false, true]) func answeredTwice(_ isLate: Bool) async throws {
        let server = try LoopbackServer()
        let delegate = delegate(isLate: isLate) { _, answer in
            answer(.allow)
            answer(.cancel)
            answer(.allow)
        }
        let task = makeSession(delegate).dataTask(with: server.url("/bytes/1000"))
        task.resume()
        let record = try await delegate.completion(of: task)
        #expect(record.names == ["response", "data", "completed"])
        #expect(record.error == nil)
    }

    @Test("A decision after cancelling has no effect", arguments: [0, 1, 2])
    func answeredAfterCancel(_ raw: Int) async throws {
        let disposition = try #require(URLSession.ResponseDisposition(rawValue: raw))
        let server = try LoopbackServer()
        let answers = Watched<[Answer]>([])
        let delegate = delegate(isLate: false) { task, answer in
            answers.append(answer)
            task.cancel()
        }
        let session = makeSession(delegate)
        let task = session.dataTask(with: server.url("/bytes/1000"))
        task.resume()
        let record = try await delegate.completion(of: task)
        try await answers.first()(disposition)
        try await session.overtake()
        #expect(record.names == ["response", "completed"])
        #expect(delegate[task].events == record.events)
        #expect(record.error?.code == .cancelled)
    }

    @Test("A task with a pending decision can be cancelled") func neverAnswered() async throws {
        let server = try LoopbackServer()
        let delegate = delegate(isLate: false) { _, _ in }
        let task = makeSession(delegate).dataTask(with: server.url("/bytes/1000"))
        task.resume()
        try await eventually("the response") { delegate[task].names == ["response"] }
        task.cancel()
        #expect(try await delegate.completion(of: task).names == ["response", "completed"])
    }
}
