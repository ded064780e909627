import FerrySession

/// A delegate for all kinds of tasks that records every callback, and checks the invariants of each.
final class RecordingDelegate: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate, Sendable {
    private struct State {
        var records: [Int: TaskRecord] = [:]
        var order: [(task: Int, name: String)] = []
        var violations: [String] = []
        var running = 0
        var invalidations = 0
    }

    private let hooks: DelegateHooks
    private let isSerial: Bool
    private let state = Locked(State())

    /// Creates a delegate.
    ///
    /// - Parameters:
    ///   - hooks: What it does in addition to recording.
    ///   - isSerial: Whether callbacks that overlap are a violation.
    init(_ hooks: DelegateHooks = DelegateHooks(), isSerial: Bool = true) {
        self.hooks = hooks
        self.isSerial = isSerial
    }

    /// The invariants that a callback violated; empty if the session is correct.
    var violations: [String] { state.withLock { $0.violations } }

    var invalidations: Int { state.withLock { $0.invalidations } }

    var completionCount: Int { state.withLock { $0.records.values.reduce(0) { $0 + $1.completions } } }

    var records: [Int: TaskRecord] { state.withLock { $0.records } }

    /// The names of all callbacks in order, with `invalid` last.
    var order: [String] { state.withLock { $0.order.map(\.name) } }

    subscript(task: URLSessionTask) -> TaskRecord { state.withLock { $0.records[task.taskIdentifier] ?? TaskRecord() } }

    /// Waits until the task is complete.
    @discardableResult
    func completion(of task: URLSessionTask, timeout: TimeInterval = 20) async throws -> TaskRecord {
        let what = "completion of task \(task.taskIdentifier)"
        try await eventually(what, timeout: timeout) { self[task].completions > 0 }
        return self[task]
    }

    // MARK: - Recording

    private func record(
        _ session: URLSession,
        _ task: URLSessionTask,
        _ event: TaskRecord.Event,
        change: (inout TaskRecord) -> Void = { _ in },
        act: () -> Void
    ) {
        var problems = Self.problems(session, task, event)
        let fraction = task.progress.fractionCompleted
        state.withLock { state in
            var record = state.records[task.taskIdentifier] ?? TaskRecord()
            if record.completions > 0 { problems.append("\(event.name) after completion") }
            if !(0...1).contains(fraction) { problems.append("fraction \(fraction) in \(event.name)") }
            record.events.append(event)
            record.lastFraction = fraction
            if case .completed = event {
                record.completions += 1
                record.completedAt = .now
            }
            change(&record)
            state.records[task.taskIdentifier] = record
            state.order.append((task.taskIdentifier, event.name))
            state.running += 1
            if isSerial, state.running > 1 { problems.append("\(event.name) overlaps another callback") }
            state.violations += problems
        }
        act()
        state.withLock { $0.running -= 1 }
    }

    private static func problems(_ session: URLSession, _ task: URLSessionTask, _ event: TaskRecord.Event) -> [String] {
        var problems: [String] = []
        func expect(_ condition: Bool, _ text: String) {
            if !condition { problems.append("\(event.name): \(text)") }
        }
        expect(OperationQueue.current === session.delegateQueue, "not on the delegate queue")
        switch event {
        case .response(let status):
            expect((task.response as? HTTPURLResponse)?.statusCode == status, "task.response is not the response")
            expect(status >= 200, "an interim response was reported")
            expect(task.countOfBytesReceived == 0, "bytes received before the response")
        case .data, .wrote:
            expect(task.response != nil, "no response yet")
            expect(task.countOfBytesReceived > 0, "nothing received")
            let expected = task.countOfBytesExpectedToReceive
            expect(expected < 0 || task.countOfBytesReceived <= expected, "more received than expected")
        case .sent(let count, let total, let expected):
            expect(count > 0, "an empty piece was sent")
            expect(task.countOfBytesSent == total, "countOfBytesSent is \(task.countOfBytesSent), not \(total)")
            expect(expected < 0 || total <= expected, "\(total) of \(expected) sent")
            expect(task.countOfBytesExpectedToSend == expected, "countOfBytesExpectedToSend is not what was said")
        case .completed(let code):
            expect(task.state == .completed, "the state is \(task.state.rawValue)")
            expect((task.error as? URLError)?.code == code, "task.error is \(String(describing: task.error))")
            let isWhole = task.progress.fractionCompleted == 1
            expect(code != nil || isWhole, "the fraction is \(task.progress.fractionCompleted)")
        case .redirect, .needsBodyStream, .becameDownload, .finishedDownload:
            expect(task.state != .completed, "completed too early")
        }
        return problems
    }

    // MARK: - URLSessionDelegate

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        state.withLock { state in
            state.invalidations += 1
            state.order.append((0, "invalid"))
            if OperationQueue.current !== session.delegateQueue { state.violations.append("invalid: not on its queue") }
        }
        hooks.onInvalid?(session)
    }

    // MARK: - URLSessionTaskDelegate

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        record(session, task, .redirect(response.statusCode, request.url)) {
            guard let hook = hooks.onRedirect else { return completionHandler(request) }
            hook(task, request, completionHandler)
        }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        record(session, task, .needsBodyStream) {
            guard let hook = hooks.onBodyStream else { return completionHandler(nil) }
            hook(task, completionHandler)
        }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        let event = TaskRecord.Event.sent(bytesSent, total: totalBytesSent, expected: totalBytesExpectedToSend)
        record(session, task, event) { hooks.onSent?(task, totalBytesSent) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let event = TaskRecord.Event.completed((error as? URLError)?.code)
        record(session, task, event, change: { $0.error = error }, act: { hooks.onCompleted?(task, error) })
    }

    // MARK: - URLSessionDataDelegate

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        record(session, dataTask, .response((response as? HTTPURLResponse)?.statusCode ?? 0)) {
            guard let hook = hooks.onResponse else { return completionHandler(.allow) }
            hook(dataTask, response, completionHandler)
        }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let event = TaskRecord.Event.data(data.count)
        record(session, dataTask, event, change: { $0.data.append(data) }, act: { hooks.onData?(dataTask, data) })
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didBecome downloadTask: URLSessionDownloadTask)
    {
        record(session, dataTask, .becameDownload) { hooks.onBecome?(dataTask, downloadTask) }
    }

    // MARK: - URLSessionDownloadDelegate

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        let event = TaskRecord.Event.wrote(bytesWritten, total: totalBytesWritten, expected: totalBytesExpectedToWrite)
        record(session, downloadTask, event) { hooks.onWrote?(downloadTask, totalBytesWritten) }
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        let content = try? Data(contentsOf: location)
        record(
            session,
            downloadTask,
            .finishedDownload,
            change: { ($0.file, $0.fileURL) = (content, location) },
            act: { hooks.onFinishedDownload?(downloadTask, location) }
        )
    }
}
