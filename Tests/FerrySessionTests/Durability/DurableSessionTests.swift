import FerryTesting
import TestSupport
import Testing

@testable import FerrySession

/// Sessions whose process is killed, and the tasks that the next process finds.
@Suite(.timeLimit(.minutes(5)), .ownThreads)
struct DurableSessionTests {
    private let folder: TemporaryFolder
    private let content = RangedContent(count: 400_000)

    init() throws { folder = try TemporaryFolder() }

    /// The handler of a server that sends only a half of the content to a request without a range, so that no process
    /// is killed too late.
    private var halving: LoopbackServer.Handler {
        { [content] request in
            let response = content.response(to: request)
            return request.header("Range") == nil ? response.faulted(.stall(afterBodyBytes: 200_000)) : response
        }
    }

    /// A session of this process, with the tasks that killed processes have left.
    private func session(_ delegate: (any URLSessionDelegate)? = nil) -> CurlSession {
        makeSession(delegate, options: .durable(folder.url))
    }

    /// The names of the contents of the session's folder, apart from the journal.
    private var names: [String] {
        let path = folder.path("session")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.filter { $0 != "journal" && $0 != "lock" }.sorted()
    }

    /// Runs tasks in a process that is killed when the server has sent some of their bodies.
    private func killed(_ url: URL, _ kind: DurableKind, wait: Bool = true) async {
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [url = url as URL, place = folder.url as URL, kind = kind as DurableKind, wait = wait as Bool] in
            let delegate = RecordingDelegate()
            let session = CurlSession(configuration: .ephemeral, options: .durable(place), delegate: delegate)
            var request = URLRequest(url: url)
            request.setValue("planted", forHTTPHeaderField: "Authorization")
            request.setValue("kept", forHTTPHeaderField: "X-Own")
            let task: URLSessionTask
            if kind == .upload {
                request.httpMethod = "PUT"
                let file = place.appendingPathComponent("source")
                try Data(repeating: 7, count: 300_000).write(to: file)
                task = session.uploadTask(with: request, fromFile: file)
            } else {
                task = session.downloadTask(with: request)
            }
            task.taskDescription = "the first"
            task.priority = 0.75
            task.resume()
            if wait { try await eventually("a part") { task.countOfBytesReceived + task.countOfBytesSent > 100_000 } }
            if kind == .suspendedDownload { task.suspend() }
            kill(getpid(), SIGKILL)
        }
    }

    @Test("A download that was killed is found by the next process and goes on with its bytes")
    func download() async throws {
        let server = try LoopbackServer(handler: halving)
        await killed(server.url, .download)
        #expect(names.count == 1)

        let delegate = RecordingDelegate()
        let session = session(delegate)
        let task = try #require(session.earlierTasks.first as? URLSessionDownloadTask)
        #expect(await session.allTasks == [task])
        #expect(task.taskIdentifier == 1 && task.state == .suspended)
        #expect(task.taskDescription == "the first" && task.priority == 0.75)
        #expect(task.countOfBytesReceived == Int64(folder.data("session/\(names[0])")?.count ?? 0))
        #expect(task.originalRequest?.value(forHTTPHeaderField: "X-Own") == "kept")
        #expect(task.originalRequest?.value(forHTTPHeaderField: "Authorization") == nil)
        #expect(try !String(contentsOf: folder.file("session/journal"), encoding: .utf8).contains("planted"))
        session.continueEarlierTasks()
        let record = try await delegate.completion(of: task)
        #expect(record.error == nil)
        #expect(record.file == LoopbackServer.pattern(count: 400_000))
        try await eventually("the end of events") { delegate.endsOfEvents == 1 }
        let range = server.requests.last?.header("Range")
        #expect(range.flatMap { Int($0.dropFirst("bytes=".count).dropLast()) } ?? 0 > 100_000)
        // The next task has another identifier, and nothing is left of the first one.
        #expect(session.downloadTask(with: server.url).taskIdentifier == 2)
        #expect(names.isEmpty)
        #expect(session.earlierTasks.isEmpty)
    }

    @Test("A download that was killed begins again if its partial file cannot be opened")
    func missingFile() async throws {
        let isKilled = Watched(false)
        let server = try LoopbackServer { [content] request in
            let response = content.response(to: request)
            return isKilled.current ? response : response.faulted(.stall(afterBodyBytes: 200_000))
        }
        await killed(server.url, .download)
        isKilled.change { $0 = true }
        let delegate = RecordingDelegate()
        let session = session(delegate)
        let task = try #require(session.earlierTasks.first)
        for name in names { try FileManager.default.removeItem(at: folder.file("session/\(name)")) }
        task.resume()
        #expect(try await delegate.completion(of: task).file == LoopbackServer.pattern(count: 400_000))
        #expect(server.requests.map { $0.header("Range") } == [nil, nil])
        #expect(task.countOfBytesReceived == 400_000)
    }

    /// The resumption of a download of an earlier process.
    enum Sequel: CaseIterable, Sendable {
        case goesOn, beginsAgain, isLoadedByClass
    }

    @Test(
        "The bytes of an earlier process count before a download goes on, unless it begins again",
        arguments: Sequel.allCases
    )
    func counts(sequel: Sequel) async throws {
        let server = try LoopbackServer { [content] request in
            let response = content.response(to: request)
            return sequel == .goesOn ? response.faulted(.stall(afterBodyBytes: 50_000)) : response
        }
        let script = ScriptedProtocol.script { loader in
            loader.respond()
            loader.load("hello")
            loader.finish()
        }
        let url = sequel == .isLoadedByClass ? script : server.url
        do {
            let tasks = try DurableTasks(.directory(folder.url, identifier: "session"))
            let name = "ferry-\(UUID().uuidString).download"
            try LoopbackServer.pattern(count: 300_000).write(to: folder.file("session/\(name)"))
            try tasks.keep(1, URLRequest(url: url), upload: nil) { record in
                record.partial = .init(
                    name: name,
                    url: url,
                    validator: sequel == .beginsAgain ? "\"other\"" : "\"\(content.etag)\"",
                    total: 400_000,
                    boot: SystemBoot.number
                )
            }
        }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate, options: .durable(folder.url)) {
            $0.protocolClasses = [ScriptedProtocol.self]
        }
        let task = try #require(session.earlierTasks.first)
        #expect(task.countOfBytesReceived == 300_000 && task.countOfBytesExpectedToReceive == 400_000)
        #expect(abs(task.progress.fractionCompleted - 0.75) < 0.001)
        task.resume()
        if sequel == .goesOn {
            try await eventually("some of the rest") { task.countOfBytesReceived > 300_000 }
            #expect(task.countOfBytesReceived <= 350_000 && task.progress.fractionCompleted < 0.9)
            task.cancel()
            #expect(try await delegate.completion(of: task).error?.code == .cancelled)
        } else {
            #expect(try await delegate.completion(of: task).error == nil)
            #expect(task.countOfBytesReceived == (sequel == .beginsAgain ? 400_000 : 5))
            #expect(task.progress.isFinished)
        }
        #expect(delegate.violations == [])
    }

    @Test("A download that goes on is not finished when the length of its rest is known") func lengthOfRest() throws {
        let url = try #require(URL(string: "http://host/a"))
        let task = try #require(makeSession().downloadTask(with: url) as? CurlDownloadTask)
        let data = ResumeData(
            url: url,
            originalURL: url,
            headers: [:],
            file: folder.file("part"),
            offset: 300,
            expectedTotal: 400,
            validator: "\"a\""
        )
        task.core.continueEarlier(data)
        let rest = URLResponse(url: url, mimeType: nil, expectedContentLength: 100, textEncodingName: nil)
        let total = task.core.state.withLock { state in
            state.note(ReceivedResponse(rest))
            return state.counts.total
        }
        #expect(total == 400 && task.progress.completedUnitCount == 300)
    }

    @Test("A suspended download stays suspended until it is resumed")
    func suspended() async throws {
        let server = try LoopbackServer(handler: halving)
        await killed(server.url, .suspendedDownload)
        let delegate = RecordingDelegate()
        let session = session(delegate)
        session.continueEarlierTasks()
        let task = try #require(session.earlierTasks.first)
        #expect(task.state == .suspended)
        let count = server.requestCount
        try await session.overtake()
        #expect(server.requestCount == count)
        task.resume()
        #expect(try await delegate.completion(of: task).file == LoopbackServer.pattern(count: 400_000))
    }

    @Test("An upload that was killed is sent again")
    func upload() async throws {
        let gate = Gate()
        let bodies = Watched<[Int]>([])
        let server = try LoopbackServer { request in
            bodies.change { $0.append(request.body.count) }
            if !gate.isOpen { gate.wait() }
            return .text("thanks")
        }
        await killed(server.url, .upload)
        gate.open()
        let delegate = RecordingDelegate()
        let session = session(delegate)
        let task = try #require(session.earlierTasks.first as? URLSessionUploadTask)
        session.continueEarlierTasks()
        #expect(try await delegate.completion(of: task).status == 200)
        #expect(bodies.change { $0 }.last == 300_000)
        #expect(task.originalRequest?.httpMethod == "PUT")
        try await eventually("the end of events") { delegate.endsOfEvents == 1 }
    }

    @Test("A download is delivered again if its process was killed before the delegate was told")
    func complete() async throws {
        let server = try LoopbackServer(handler: content.handler)
        let url = server.url
        await #expect(processExitsWith: .signal(SIGKILL)) { [url = url as URL, place = folder.url as URL] in
            var hooks = DelegateHooks()
            hooks.onFinishedDownload = { _, _ in kill(getpid(), SIGKILL) }
            let delegate = RecordingDelegate(hooks)
            let session = CurlSession(configuration: .ephemeral, options: .durable(place), delegate: delegate)
            session.downloadTask(with: url).resume()
            try await eventually("the end") { delegate.completionCount == 1 }
        }
        let delegate = RecordingDelegate()
        let session = session(delegate)
        let task = try #require(session.earlierTasks.first)
        session.continueEarlierTasks()
        let record = try await delegate.completion(of: task)
        #expect(record.file == LoopbackServer.pattern(count: 400_000))
        #expect(server.requests.last?.header("Range") == "bytes=399999-")
    }

    @Test("A task that is complete, failed or cancelled is not found again, but the file of resume data stays")
    func ended() async throws {
        let server = try LoopbackServer { [content, halving] request in
            request.path == "/cancelled" ? halving(request) : content.response(to: request)
        }
        var resumeData: Data?
        do {
            let delegate = RecordingDelegate()
            let session = session(delegate)
            _ = try await delegate.run(session.downloadTask(with: server.url))
            let failing = session.downloadTask(with: try #require(URL(string: "http://127.0.0.1:1/")))
            #expect(try await delegate.run(failing).error != nil)
            let cancelled = session.downloadTask(with: server.url("/cancelled"))
            cancelled.resume()
            try await eventually("a part") { cancelled.countOfBytesReceived > 50_000 }
            resumeData = await cancelled.cancelByProducingResumeData()
            _ = try await delegate.completion(of: cancelled)
            #expect(names.count == 1)
            session.invalidateAndCancel()
        }
        let data = try #require(resumeData)
        try await eventually("the release of the folder") { session().durabilityError == nil }
        let delegate = RecordingDelegate()
        let second = session(delegate)
        try #require(second.durabilityError == nil)
        #expect(second.earlierTasks.isEmpty)
        #expect(names.count == 1)
        let record = try await delegate.run(second.downloadTask(withResumeData: data))
        #expect(record.file == LoopbackServer.pattern(count: 400_000))
        #expect(delegate.endsOfEvents == 0)
    }

    @Test("A second session with the identifier fails its tasks with a reason, and the first one goes on")
    func exclusion() async throws {
        let server = try LoopbackServer(handler: content.handler)
        let first = session()
        let second = session()
        #expect(second.durabilityError?.code == .durabilityUnavailable)
        let error = await #expect(throws: URLError.self) { try await second.download(from: server.url) }
        #expect((error?.userInfo[NSUnderlyingErrorKey] as? CurlSessionError)?.code == .durabilityUnavailable)
        #expect(server.requestCount == 0)
        _ = try await first.download(from: server.url)
        // Tasks that are not kept need no folder.
        _ = try await second.data(from: server.url)
    }

    @Test(
        "An identifier that is no name, and a folder that others can write, are errors",
        arguments: ["", "..", "a/b"]
    )
    func invalid(identifier: String) throws {
        var options = CurlSession.Options()
        options.durability = .directory(folder.url, identifier: identifier)
        #expect(makeSession(options: options).durabilityError?.code == .durabilityUnavailable)
        chmod(folder.url.path, 0o777)
        #expect(session().durabilityError?.code == .durabilityUnavailable)
    }

    @Test("Records with values that no session writes are left out")
    func records() throws {
        let request = URLRequest(url: try #require(URL(string: "http://host/a")))
        var record = try #require(DurableRecord(id: 1, request, upload: nil, keepsSecrets: false))
        record.partial = .init(
            name: "ferry-\(UUID().uuidString).download",
            url: try #require(URL(string: "http://host/b")),
            validator: "\"a\"",
            total: 5,
            boot: 0
        )
        #expect(DurableRecord(try record.data) == record)
        let changes: [(inout DurableRecord) -> Void] = [
            { $0.version = 2 }, { $0.id = 0 }, { $0.id = .max }, { $0.upload = "relative" },
            { $0.request.url = URL(fileURLWithPath: "/etc/passwd") }, { $0.partial?.name = "../../x" },
            { $0.partial?.validator = "W/\"weak\"" }, { $0.partial?.total = .min },
            { $0.partial?.url = URL(fileURLWithPath: "/etc/passwd") },
        ]
        for (index, change) in changes.enumerated() {
            var changed = record
            change(&changed)
            #expect(DurableRecord(try changed.data) == nil, "\(index)")
        }
    }

    @Test("A user in the URL is not in the journal, also not with the partial file")
    func users() async throws {
        let server = try LoopbackServer(handler: halving)
        var components = try #require(URLComponents(url: server.url, resolvingAgainstBaseURL: false))
        (components.user, components.password) = ("ada", "planted")
        let session = session()
        let task = session.downloadTask(with: try #require(components.url))
        task.resume()
        try await eventually("a part") { task.countOfBytesReceived > 50_000 }
        task.suspend()
        let journal = try String(contentsOf: folder.file("session/journal"), encoding: .utf8)
        #expect(journal.contains("validator") && !journal.contains("planted"))
        task.cancel()
    }

    @Test("A task that its observer cancels when it is resumed leaves no record")
    func cancelledByObserver() async throws {
        final class Observer: CurlSessionTaskObserver {
            func session(_ session: CurlSession, didResume task: URLSessionTask) {
                task.cancel()
                for _ in 0..<2_000 where task.state != .completed { usleep(1_000) }
            }
            func session(_ session: CurlSession, didSuspend task: URLSessionTask) {}
            func session(_: CurlSession, ownDelegateDidEnd _: URLSessionTask, error _: (any Error)?) {}
        }
        let server = try LoopbackServer(handler: content.handler)
        let delegate = RecordingDelegate()
        let session = session(delegate)
        // The session does not retain its observer.
        let observer = Observer()
        session.taskObserver = observer
        let task = session.downloadTask(with: server.url)
        task.resume()
        let error = try await delegate.completion(of: task).error
        #expect(error?.code == .cancelled, "\(String(describing: error))")
        try await eventually("the end of the record") {
            let journal = (try? String(contentsOf: folder.file("session/journal"), encoding: .utf8)) ?? ""
            return !journal.contains("http://") || journal.contains("\"hasEnded\":true")
        }
        withExtendedLifetime(observer) {}
    }

    @Test("A task that its observer suspends when it is resumed is suspended in its record too")
    func suspendedByObserver() throws {
        final class Observer: CurlSessionTaskObserver {
            func session(_ session: CurlSession, didResume task: URLSessionTask) { task.suspend() }
            func session(_ session: CurlSession, didSuspend task: URLSessionTask) {}
            func session(_: CurlSession, ownDelegateDidEnd _: URLSessionTask, error _: (any Error)?) {}
        }
        let server = try LoopbackServer(handler: content.handler)
        let session = session()
        let observer = Observer()
        session.taskObserver = observer
        let task = session.downloadTask(with: server.url)
        task.resume()
        #expect(task.state == .suspended)
        let journal = try String(contentsOf: folder.file("session/journal"), encoding: .utf8)
        #expect(journal.components(separatedBy: "\"isSuspended\":").last?.hasPrefix("true") == true)
        task.cancel()
        withExtendedLifetime(observer) {}
    }

    @Test("Damaged journals lose tasks at most, and files that belong to no task are deleted")
    func damage() async throws {
        let server = try LoopbackServer(handler: content.handler)
        await killed(server.url, .download, wait: false)
        let journal = folder.file("session/journal")
        let whole = try Data(contentsOf: journal)
        var generator = SeededGenerator(3)
        for round in 0..<300 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
                let index = bytes.indices.randomElement(using: &generator) ?? 0
                switch round % 3 {
                case 0: bytes[index] = .random(in: 0...255, using: &generator)
                case 1: bytes = bytes.prefix(index)
                default: bytes.insert(contentsOf: bytes.prefix(20), at: index)
                }
            }
            try bytes.write(to: journal)
            let stray = "session/ferry-\(UUID().uuidString).download"
            try Data("stray".utf8).write(to: folder.file(stray))
            let session = session()
            #expect(session.durabilityError == nil)
            #expect(session.earlierTasks.count <= 1)
            #expect(!FileManager.default.fileExists(atPath: folder.path(stray)))
        }
    }
}

/// The task of a process that is killed.
enum DurableKind: String, Codable, Sendable {
    case download, suspendedDownload, upload
}

extension CurlSession.Options {
    /// The options of a durable session in a folder.
    static func durable(_ folder: URL) -> Self {
        var options = Self()
        options.durability = .directory(folder, identifier: "session")
        return options
    }
}

extension URLSessionDownloadTask {
    fileprivate func cancelByProducingResumeData() async -> Data? {
        await withCheckedContinuation { continuation in
            cancel { continuation.resume(returning: $0) }
        }
    }

    @Test("What a task may not do, and timeouts without a limit, are kept", arguments: [Double.infinity, 0, 600])
    func requestOfRecord(timeout: Double) throws {
        let folder = try TemporaryFolder()
        var request = URLRequest(url: try #require(URL(string: "http://example.com/")), timeoutInterval: timeout)
        request.httpShouldHandleCookies = false
        var record = try #require(DurableRecord(id: 1, request, upload: nil, keepsSecrets: false))
        let name = "ferry-\(UUID().uuidString).download"
        try Data("part".utf8).write(to: folder.file(name))
        record.partial = .init(
            name: name,
            url: try #require(request.url),
            validator: "\"x\"",
            total: 10,
            boot: SystemBoot.number
        )
        let read = try #require(DurableRecord(try record.data))
        let resumed = try #require(read.resumeData(in: folder.path("")))
        for made in [read.request.value, resumed.request] {
            #expect(made.timeoutInterval == (timeout == 600 ? 600 : .infinity) && !made.httpShouldHandleCookies)
        }
    }
}
