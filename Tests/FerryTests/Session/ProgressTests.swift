import FerryTesting
import Foundation
import Testing

@testable import Ferry

@Suite("Progress", .timeLimit(.minutes(3)))
struct ProgressTests {
    @Test("Download progress has a total if the response has a length", arguments: TestTransport.all)
    func knownTotal(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .pattern(count: 2_000_000) }
        let updates = Watched<[ProgressUpdate]>([])
        let lastBefore = Watched<ProgressUpdate?>(nil)
        let done = Watched(false)
        transport.manager().dataTask(
            with: URLRequest(url: server.url),
            serializer: .data,
            downloadProgress: { update in updates.change { $0.append(update) } },
            completionHandler: { _ in
                lastBefore.change { $0 = updates.current.last }
                done.change { $0 = true }
            }
        ).resume()
        try await done.wait { $0 }
        #expect(lastBefore.current == ProgressUpdate(completedByteCount: 2_000_000, totalByteCount: 2_000_000))
        let counts = updates.current.map(\.completedByteCount)
        #expect(counts == counts.sorted())
        #expect(updates.current.allSatisfy { $0.totalByteCount == 2_000_000 })
    }

    @Test("Without a length the bytes are still counted", arguments: TestTransport.all)
    func unknownTotal(_ transport: TestTransport) async throws {
        // The server sends the second half after the first half has been counted.
        let gate = Gate()
        let server = try LoopbackServer { _ in
            .stream { stream in
                stream.write(Data(count: 1000))
                gate.wait()
                stream.write(Data(count: 1000))
            }
        }
        let updates = Watched<[ProgressUpdate]>([])
        let response = await transport.manager().response(
            for: URLRequest(url: server.url),
            serializer: .data,
            downloadProgress: { update in
                updates.change { $0.append(update) }
                if update.completedByteCount == 1000 { gate.open() }
            }
        )
        #expect(response.error == nil)
        #expect(updates.current.contains(ProgressUpdate(completedByteCount: 1000)))
        #expect(updates.current.last == ProgressUpdate(completedByteCount: 2000, totalByteCount: 2000))
    }

    @Test("Upload progress ends at the length of the body", arguments: TestTransport.all)
    func upload(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .text("") }
        var request = URLRequest(url: server.url)
        request.httpMethod = "POST"
        let updates = Watched<[ProgressUpdate]>([])
        let body = Data(count: 500_000)
        let response = await transport.manager().response(for: request, from: body, serializer: .data) { update in
            updates.change { $0.append(update) }
        }
        #expect(response.error == nil)
        #expect(updates.current.last == ProgressUpdate(completedByteCount: 500_000, totalByteCount: 500_000))
    }

    @Test("A streamed body's total is its Content-Length", arguments: TestTransport.all)
    func streamedUpload(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .text("") }
        var request = URLRequest(url: server.url)
        request.httpMethod = "POST"
        request.setValue("100000", forHTTPHeaderField: "Content-Length")
        request.httpBodyStream = InputStream(data: Data(count: 100_000))
        let updates = Watched<[ProgressUpdate]>([])
        let done = Watched<TaskResponse<Data>?>(nil)
        transport.manager().uploadTask(
            withStreamedRequest: request,
            serializer: .data,
            progress: { update in updates.change { $0.append(update) } },
            completionHandler: { response in done.change { $0 = response } }
        ).resume()
        try await done.wait { $0 != nil }
        #expect(done.current?.error == nil)
        #expect(updates.current.last == ProgressUpdate(completedByteCount: 100_000, totalByteCount: 100_000))
    }

    @Test(
        "Progress objects start with a total of -1, follow the task, and are removed before the handler runs",
        arguments: TestTransport.all
    )
    func objects(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .pattern(count: 100_000) }
        let manager = transport.manager()
        let holder = Watched<URLSessionTask?>(nil)
        let seen = Watched<Bool?>(nil)
        let task = manager.dataTask(with: URLRequest(url: server.url), serializer: .data) { _ in
            let task = holder.current
            seen.change { $0 = task.map { manager.downloadProgress(for: $0) == nil } }
        }
        holder.change { $0 = task }
        let progress = try #require(manager.downloadProgress(for: task))
        let upload = try #require(manager.uploadProgress(for: task))
        #expect(progress.totalUnitCount == -1)
        #expect(upload.totalUnitCount == -1)
        #expect(progress.isCancellable && progress.isPausable)
        task.resume()
        try await seen.wait { $0 == true }
        #expect(progress.totalUnitCount == 100_000)
        #expect(progress.completedUnitCount == 100_000)
        #expect(progress.isFinished)
        holder.change { $0 = nil }
    }

    @Test("Cancelling a Progress cancels its task", arguments: TestTransport.all)
    func cancels(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.text("").faulted(.stallBeforeHead) }
        let manager = transport.manager()
        let done = Watched<NetworkError?>(nil)
        let task = manager.dataTask(with: URLRequest(url: server.url)) { response in done.change { $0 = response.error }
        }
        task.resume()
        try await server.waitForRequests(1, timeout: 40 * patience)
        manager.downloadProgress(for: task)?.cancel()
        try await done.wait { $0?.isCancelled == true }
    }

    /// Returns a server that responds to `/wait` when the gate opens, and to other requests at once, and a manager.
    private func makeGated(_ transport: TestTransport, _ gate: Gate) throws -> (LoopbackServer, SessionManager) {
        let server = try LoopbackServer { request in
            if request.path == "/wait" { gate.wait() }
            return .text("x")
        }
        return (server, transport.manager())
    }

    /// Starts a task that waits for the gate, and returns it with its progress.
    private func start(on server: LoopbackServer, in manager: SessionManager) throws -> (URLSessionTask, Progress) {
        let task = manager.dataTask(with: URLRequest(url: server.url("/wait"))) { _ in }
        let progress = try #require(manager.downloadProgress(for: task))
        task.resume()
        return (task, progress)
    }

    @Test("A Progress suspends and resumes its task", arguments: TestTransport.able(to: .suspension))
    func pauses(_ transport: TestTransport) async throws {
        // The response does not come before the task is suspended.
        let gate = Gate()
        let (server, manager) = try makeGated(transport, gate)
        let (task, progress) = try start(on: server, in: manager)
        progress.pause()
        gate.open()
        try await eventually { task.state == .suspended }
        // A later request overtakes the suspended one.
        _ = await manager.response(for: URLRequest(url: server.url), serializer: .data)
        #expect(task.state == .suspended)
        progress.resume()
        try await eventually { task.state == .completed }
    }

    @Test("Repeated pauses of a Progress count once", arguments: TestTransport.able(to: .suspension))
    func repeatedPauses(_ transport: TestTransport) async throws {
        let gate = Gate()
        let (server, manager) = try makeGated(transport, gate)
        let (task, progress) = try start(on: server, in: manager)
        for _ in 0..<3 { progress.pause() }
        try await eventually { task.state == .suspended }
        // Progress calls its handlers on a queue of its own; requests take longer than the remaining ones.
        for _ in 0..<3 { _ = await manager.response(for: URLRequest(url: server.url), serializer: .data) }
        #expect(task.state == .suspended)
        progress.resume()
        gate.open()
        try await eventually { task.state == .completed }
    }

    @Test(
        "After quick pauses and resumes of a Progress, its task has the last state",
        arguments: TestTransport.able(to: .suspension)
    )
    func pauseRace(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .pattern(count: 100_000) }
        let manager = transport.manager()
        for _ in 0..<20 {
            let done = Watched<Int?>(nil)
            let task = manager.dataTask(with: URLRequest(url: server.url), serializer: .data) { response in
                done.change { $0 = response.value?.count ?? -1 }
            }
            let progress = try #require(manager.downloadProgress(for: task))
            task.resume()
            for _ in 0..<10 {
                progress.pause()
                progress.resume()
            }
            try await done.wait { $0 == 100_000 }
        }
    }

    @Test(
        "A retry whose body is empty leaves nothing of the first attempt, and completes the Progress",
        arguments: TestTransport.able(to: .suspension)
    )
    func emptyRetry(_ transport: TestTransport) async throws {
        let gate = Gate()
        var partial = LoopbackResponse.stream { stream in
            stream.write(Data(count: 50))
            gate.wait()
        }
        partial.headers.add("Content-Length", "100")
        let server = try LoopbackServer(handler: LoopbackServer.sequence([partial, .text("")]))
        let manager = transport.manager()
        manager.retryPolicy = RetryPolicy.standard
        manager.retryPolicy?.backoff = .init(base: 0.01, cap: 0.05)
        let done = Watched<TaskResponse<Data>?>(nil)
        let last = Watched<ProgressUpdate?>(nil)
        let task = manager.dataTask(
            with: URLRequest(url: server.url),
            serializer: .data,
            downloadProgress: { update in
                last.change { $0 = update }
                if update.completedByteCount == 50 { gate.open() }
            },
            completionHandler: { response in done.change { $0 = response } }
        )
        let progress = try #require(manager.downloadProgress(for: task))
        task.resume()
        try await done.wait { $0 != nil }
        #expect(done.current?.error == nil)
        #expect(server.requestCount == 2)
        #expect(last.current == ProgressUpdate(completedByteCount: 0, totalByteCount: 0))
        #expect(progress.totalUnitCount == 1)
        #expect(progress.completedUnitCount == 1)
    }

    @Test("A progress sequence ends with its task", arguments: TestTransport.all)
    func sequence(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .pattern(count: 1_000_000) }
        let manager = transport.manager()
        let task = manager.dataTask(with: URLRequest(url: server.url), serializer: .data) { _ in }
        let updates = manager.downloadProgressUpdates(for: task)
        task.resume()
        var last: ProgressUpdate?
        for await update in updates { last = update }
        #expect(last == ProgressUpdate(completedByteCount: 1_000_000, totalByteCount: 1_000_000))
        for await _ in manager.downloadProgressUpdates(for: task) { Issue.record("the task has ended") }
    }

    @Test("Progress runs on the chosen queue, and the handler after the last report", arguments: TestTransport.all)
    func queue(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .pattern(count: 500_000) }
        let manager = transport.manager()
        let queue = DispatchQueue(label: "progress")
        manager.progressQueue = queue
        let last = Watched<ProgressUpdate?>(nil)
        let response = await manager.response(
            for: URLRequest(url: server.url),
            serializer: .data,
            downloadProgress: { update in
                dispatchPrecondition(condition: .onQueue(queue))
                Thread.sleep(forTimeInterval: 0.02)
                last.change { $0 = update }
            }
        )
        #expect(response.error == nil)
        #expect(last.current == ProgressUpdate(completedByteCount: 500_000, totalByteCount: 500_000))
    }

    @Test("A million reports are coalesced, and the last one is delivered before the end")
    func coalescing() async {
        let queue = DispatchQueue(label: "slow")
        let calls = Watched<[Int64]>([])
        let reporter = ProgressReporter(
            handler: { update in
                Thread.sleep(forTimeInterval: 0.01)
                calls.change { $0.append(update.completedByteCount) }
            },
            queue: queue
        )
        var stream = reporter.updates().makeAsyncIterator()
        let atEnd = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                for count in 1...1_000_000 { reporter.report(completed: Int64(count), total: nil) }
                reporter.finish { continuation.resume(returning: calls.current.last) }
            }
        }
        #expect(atEnd == 1_000_000)
        #expect(calls.current.count < 10_000)
        #expect(calls.current == calls.current.sorted())
        #expect(await stream.next() == ProgressUpdate(completedByteCount: 1_000_000))
        #expect(await stream.next() == nil)
    }

    @Test("Nothing is reported after the end")
    func afterEnd() async {
        let calls = Watched(0)
        let reporter = ProgressReporter(handler: { _ in calls.change { $0 += 1 } }, queue: nil)
        reporter.report(completed: 1, total: 2)
        reporter.finish {}
        reporter.report(completed: 2, total: 2)
        #expect(calls.current == 1)
    }

    @Test(
        "The fraction stays between 0 and 1, and is unknown without a total",
        arguments: [(0, nil, nil), (5, 10, 0.5), (20, 10, 1), (0, 0, 1), (-5, 10, 0), (5, -1, nil)]
            as [(Int64, Int64?, Double?)]
    )
    func fraction(_ completed: Int64, _ total: Int64?, _ expected: Double?) {
        #expect(ProgressUpdate(completedByteCount: completed, totalByteCount: total).fractionCompleted == expected)
    }

    private var task: URLSessionTask { URLSession.shared.dataTask(with: URL(fileURLWithPath: "/")) }

    @Test("A body longer than announced keeps Progress consistent")
    func longerThanAnnounced() {
        let reporter = ProgressReporter(handler: nil, queue: nil)
        let parent = Progress(totalUnitCount: 10)
        parent.addChild(reporter.progress(of: task), withPendingUnitCount: 10)
        reporter.report(completed: 5, total: nil)
        reporter.report(completed: 50, total: 10)
        reporter.report(completed: 50, total: 100)
        #expect(reporter.progress(of: task).fractionCompleted == 0.5)
        #expect(parent.fractionCompleted == 0.5)
    }

    @Test(
        "A total that Foundation cannot compute with is unknown to the Progress",
        arguments: [0, -5, 1 << 53 + 1, .max] as [Int64]
    )
    func unusableTotal(_ total: Int64) {
        let reporter = ProgressReporter(handler: nil, queue: nil)
        let parent = Progress(totalUnitCount: 10)
        parent.addChild(reporter.progress(of: task), withPendingUnitCount: 10)
        reporter.report(completed: 50, total: 100)
        #expect(reporter.progress(of: task).fractionCompleted == 0.5)
        reporter.report(completed: 0, total: total)
        #expect(reporter.progress(of: task).totalUnitCount == -1)
        #expect(reporter.latest == ProgressUpdate(completedByteCount: 0, totalByteCount: total))
        reporter.report(completed: 25, total: 100)
        #expect(reporter.progress(of: task).fractionCompleted == 0.25)
        #expect(parent.fractionCompleted == 0.25)
        let other = ProgressReporter(handler: nil, queue: nil)
        other.report(completed: .max, total: total)
        #expect(other.progress(of: task).completedUnitCount == 1 << 53)
    }

    /// Calls a closure while a part of a progress is current, as Foundation's implicit composition does.
    private func make<Made>(under parent: Progress, units: Int64, _ body: () throws -> Made) rethrows -> Made {
        parent.becomeCurrent(withPendingUnitCount: units)
        defer { parent.resignCurrent() }
        return try body()
    }

    @Test("The upload of a task created under a current progress is part of it", arguments: TestTransport.all)
    func uploadUnderParent(_ transport: TestTransport) throws {
        let server = try LoopbackServer()
        let manager = transport.manager()
        let overall = Progress(totalUnitCount: 100)
        let task = make(under: overall, units: 80) {
            manager.uploadTask(with: URLRequest(url: server.url), from: Data([1])) { _ in }
        }
        #expect(overall.fractionCompleted == 0)
        let progress = try #require(manager.uploadProgress(for: task))
        progress.totalUnitCount = 1
        progress.completedUnitCount = 1
        #expect(abs(overall.fractionCompleted - 0.8) < 0.001)
        task.cancel()
    }

    @Test("The download of a task created under a current progress is part of it", arguments: TestTransport.all)
    func downloadUnderParent(_ transport: TestTransport) throws {
        let server = try LoopbackServer()
        let manager = transport.manager()
        let overall = Progress(totalUnitCount: 100)
        let task = make(under: overall, units: 80) {
            manager.downloadTask(with: URLRequest(url: server.url), destination: nil) { _ in }
        }
        #expect(overall.fractionCompleted == 0)
        let progress = try #require(manager.downloadProgress(for: task))
        progress.totalUnitCount = 1
        progress.completedUnitCount = 1
        #expect(abs(overall.fractionCompleted - 0.8) < 0.001)
        task.cancel()
    }

    @Test("A parent progress completes when its tasks do, with and without a body", arguments: TestTransport.all)
    func completeParent(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { request in
            switch request.path {
            case "/none": LoopbackResponse.status(204)
            case "/chunked": LoopbackResponse.pattern(count: 10_000).framed(.chunked)
            default: LoopbackResponse.pattern(count: 10_000)
            }
        }
        let manager = transport.manager(baseURL: server.url)
        let overall = Progress(totalUnitCount: 4)
        let done = Watched(0)
        let tasks = try make(under: overall, units: 1) {
            [try #require(manager.send(.get("known", serializer: .data)) { _ in done.change { $0 += 1 } })]
        }
        for path in ["chunked", "none"] {
            _ = try make(under: overall, units: 1) {
                try #require(manager.send(.get(path, serializer: .data)) { _ in done.change { $0 += 1 } })
            }
        }
        var request = URLRequest(url: server.url("/none"))
        request.httpMethod = "POST"
        make(under: overall, units: 1) {
            manager.uploadTask(with: request, from: Data(), serializer: .data) { _ in done.change { $0 += 1 } }
        }.resume()
        try await done.wait { $0 == 4 }
        try await eventually { overall.fractionCompleted == 1 }
        withExtendedLifetime(tasks) {}
    }

    @Test("A parent that a Progress is added to completes, with and without a body", arguments: TestTransport.all)
    func completeAddedParent(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { request in
            request.path == "/none" ? .status(204) : .pattern(count: 10_000)
        }
        let manager = transport.manager(baseURL: server.url)
        let overall = Progress(totalUnitCount: 4)
        let done = Watched(0)
        for path in ["none", "known"] {
            let url = server.url("/\(path)")
            let task = manager.dataTask(with: URLRequest(url: url), serializer: .data) { _ in done.change { $0 += 1 } }
            overall.addChild(try #require(manager.downloadProgress(for: task)), withPendingUnitCount: 1)
            overall.addChild(try #require(manager.uploadProgress(for: task)), withPendingUnitCount: 1)
            task.resume()
        }
        try await done.wait { $0 == 2 }
        #expect(overall.isFinished)
        #expect(overall.completedUnitCount == 4)
    }

    @Test("A Progress that is made after the last byte is complete") func lateProgress() {
        let reporter = ProgressReporter(handler: nil, queue: nil)
        reporter.reportEnd()
        #expect(reporter.progress(of: task).isFinished)
    }

    @Test("A cancelled parent progress cancels tasks created before and after", arguments: TestTransport.all)
    func cancelledParent(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.text("").faulted(.stallBeforeHead) }
        let manager = transport.manager(baseURL: server.url)
        let overall = Progress(totalUnitCount: 2)
        let errors = Watched<[NetworkError?]>([])
        make(under: overall, units: 1) {
            _ = manager.get("first") { response in errors.change { $0.append(response.error) } }
        }
        try await server.waitForRequests(1, timeout: 40 * patience)
        overall.cancel()
        try await errors.wait { $0.count == 1 }
        make(under: overall, units: 1) {
            _ = manager.get("second") { response in errors.change { $0.append(response.error) } }
        }
        try await errors.wait { $0.count == 2 }
        #expect(errors.current.allSatisfy { $0?.isCancelled == true })
    }
}
