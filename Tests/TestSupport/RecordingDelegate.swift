import FerrySession

/// A delegate for all kinds of tasks that records every callback, and checks the invariants of each.
package final class RecordingDelegate: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate,
    CurlSessionDelegate, Sendable
{
    private struct State {
        var records: [Int: TaskRecord] = [:]
        var order: [(task: Int, name: String)] = []
        var violations: [String] = []
        var running = 0
        var invalidations = 0
        var endsOfEvents = 0
    }

    private let hooks: DelegateHooks
    private let isSerial: Bool
    private let state = Watched(State())

    /// Creates a delegate.
    ///
    /// - Parameters:
    ///   - hooks: The actions in addition to recording.
    ///   - isSerial: Whether callbacks that overlap are a violation.
    package init(_ hooks: DelegateHooks = DelegateHooks(), isSerial: Bool = true) {
        self.hooks = hooks
        self.isSerial = isSerial
    }

    /// The invariants that a callback violated; empty if the session is correct.
    package var violations: [String] { state.change { $0.violations } }

    package var invalidations: Int { state.change { $0.invalidations } }

    /// How often all tasks of an earlier process were complete.
    package var endsOfEvents: Int { state.change { $0.endsOfEvents } }

    package var completionCount: Int { state.change { $0.records.values.reduce(0) { $0 + $1.completions } } }

    package var records: [Int: TaskRecord] { state.change { $0.records } }

    /// The names of all callbacks in order, with `invalid` last.
    package var order: [String] { state.change { $0.order.map(\.name) } }

    package subscript(task: URLSessionTask) -> TaskRecord {
        state.change { $0.records[task.taskIdentifier] ?? TaskRecord() }
    }

    /// Waits until the task is complete.
    @discardableResult
    package func completion(of task: URLSessionTask, timeout: TimeInterval = 40) async throws -> TaskRecord {
        try await eventually("completion of task \(task.taskIdentifier)", timeout: timeout) {
            state.change { $0.records[task.taskIdentifier, default: TaskRecord()].completions > 0 }
        }
        return self[task]
    }

    /// Runs a task to its end; cancelling the test cancels it.
    package func run(_ task: URLSessionTask, timeout: TimeInterval = 120) async throws -> TaskRecord {
        task.resume()
        return try await withTaskCancellationHandler {
            try await completion(of: task, timeout: timeout)
        } onCancel: {
            task.cancel()
        }
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
        // The record is changed in place: a copy of a large one for each callback would be slow.
        func note(_ record: inout TaskRecord) {
            if record.completions > 0 { problems.append("\(event.name) after completion") }
            if !(0...1).contains(fraction) { problems.append("fraction \(fraction) in \(event.name)") }
            record.events.append(event)
            record.lastFraction = fraction
            if case .completed = event {
                record.completions += 1
                record.completedAt = .now
                record.response = record.response ?? task.response as? HTTPURLResponse
            }
            change(&record)
        }
        state.change { state in
            note(&state.records[task.taskIdentifier, default: TaskRecord()])
            state.order.append((task.taskIdentifier, event.name))
            state.running += 1
            if isSerial, state.running > 1 { problems.append("\(event.name) overlaps another callback") }
            state.violations += problems
        }
        act()
        state.change { $0.running -= 1 }
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

    package func urlSessionDidFinishEvents(_ session: CurlSession) { state.change { $0.endsOfEvents += 1 } }

    package func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        state.change { state in
            state.invalidations += 1
            state.order.append((0, "invalid"))
            if OperationQueue.current !== session.delegateQueue { state.violations.append("invalid: not on its queue") }
        }
        hooks.onInvalid?(session)
    }

    // MARK: - URLSessionTaskDelegate

    package func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        record(session, task, .redirect(response.statusCode, request.url)) {
            guard let hook = hooks.onRedirect else { return completionHandler(request) }
            hook(task, response, request, completionHandler)
        }
    }

    package func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        record(session, task, .needsBodyStream) {
            guard let hook = hooks.onBodyStream else { return completionHandler(nil) }
            hook(task, completionHandler)
        }
    }

    package func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        let event = TaskRecord.Event.sent(bytesSent, total: totalBytesSent, expected: totalBytesExpectedToSend)
        record(session, task, event) { hooks.onSent?(task, totalBytesSent) }
    }

    package func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let event = TaskRecord.Event.completed((error as? URLError)?.code)
        let known = error.map { $0 as? URLError ?? URLError(.unknown, userInfo: [NSUnderlyingErrorKey: $0]) }
        record(session, task, event, change: { $0.error = known }, act: { hooks.onCompleted?(task, error) })
    }

    // MARK: - URLSessionDataDelegate

    package func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let http = response as? HTTPURLResponse
        let change = { (record: inout TaskRecord) in record.response = http }
        record(session, dataTask, .response(http?.statusCode ?? 0), change: change) {
            guard let hook = hooks.onResponse else { return completionHandler(.allow) }
            hook(dataTask, response, completionHandler)
        }
    }

    package func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let change = { (record: inout TaskRecord) in
            record.received += Int64(data.count)
            if self.hooks.keepsData { record.data.append(data) }
        }
        record(session, dataTask, .data(data.count), change: change, act: { hooks.onData?(dataTask, data) })
    }

    package func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didBecome downloadTask: URLSessionDownloadTask
    ) {
        record(session, dataTask, .becameDownload) { hooks.onBecome?(dataTask, downloadTask) }
    }

    // MARK: - URLSessionDownloadDelegate

    package func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        let event = TaskRecord.Event.wrote(bytesWritten, total: totalBytesWritten, expected: totalBytesExpectedToWrite)
        let change = { (record: inout TaskRecord) in record.received = totalBytesWritten }
        record(session, downloadTask, event, change: change) {
            hooks.onWrote?(downloadTask, totalBytesWritten)
        }
    }

    package func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        let content = try? Data(contentsOf: location)
        let attributes = try? FileManager.default.attributesOfItem(atPath: location.path)
        let change = { (record: inout TaskRecord) in
            record.file = content
            record.permissions = (attributes?[.posixPermissions] as? NSNumber)?.intValue
            record.fileURL = location
        }
        record(session, downloadTask, .finishedDownload, change: change) {
            hooks.onFinishedDownload?(downloadTask, location)
        }
    }
}
