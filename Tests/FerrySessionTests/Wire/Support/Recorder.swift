import FerrySession

/// A delegate for data, uploads and downloads that records all its callbacks, in order.
final class Recorder: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate {
    enum Event: Equatable {
        case redirect(Int)
        case needsStream
        case sent(Int64, total: Int64, expected: Int64)
        case response(Int)
        case data(Int)
        case wrote(Int64, total: Int64, expected: Int64)
        case finishedDownloading
        case completed
    }

    /// The result of one task.
    struct Outcome {
        var events: [Event] = []
        var response: HTTPURLResponse?
        var data = Data()
        /// The content of a download's file in the callback, and its permissions.
        var file: Data?
        var permissions: Int?
        var fileURL: URL?
        var error: URLError?
        var completions = 0

        var text: String { String(decoding: data, as: UTF8.self) }
        var status: Int? { response?.statusCode }
        var underlying: CurlSessionError? { error?.userInfo[NSUnderlyingErrorKey] as? CurlSessionError }
        /// `totalBytesSent` as passed to the callbacks.
        var sentTotals: [Int64] {
            events.compactMap { if case .sent(_, let total, _) = $0 { total } else { nil } }
        }
    }

    /// What the delegate does instead of the default.
    struct Hooks: Sendable {
        var redirect:
            (
                @Sendable (URLSessionTask, HTTPURLResponse, URLRequest, @escaping @Sendable (URLRequest?) -> Void) ->
                    Void
            )?
        var bodyStream: (@Sendable (URLSessionTask, @escaping @Sendable (InputStream?) -> Void) -> Void)?
        var data: (@Sendable (URLSessionTask, Data) -> Void)?
        var file: (@Sendable (URL) -> Void)?
        var sent: (@Sendable (URLSessionTask) -> Void)?
        /// Whether bodies are kept; large ones are only counted.
        var keepsData = true
    }

    private struct State {
        var outcomes: [Int: Outcome] = [:]
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let hooks: Hooks
    private let state = Locked(State())

    init(_ hooks: Hooks = Hooks()) {
        self.hooks = hooks
    }

    /// Runs a task to its end; cancelling the test cancels it.
    func run(_ task: URLSessionTask) async -> Outcome {
        task.resume()
        return await outcome(of: task)
    }

    /// Waits for the end of a running task.
    func outcome(of task: URLSessionTask) async -> Outcome {
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let isComplete = state.withLock { state in
                    if state.outcomes[task.taskIdentifier, default: Outcome()].completions > 0 { return true }
                    state.waiters[task.taskIdentifier] = waiter
                    return false
                }
                if isComplete { waiter.resume() }
            }
        } onCancel: {
            task.cancel()
            state.withLock { $0.waiters.removeValue(forKey: task.taskIdentifier) }?.resume()
        }
        return snapshot(task)
    }

    /// Returns the current state of a task's result.
    func snapshot(_ task: URLSessionTask) -> Outcome {
        state.withLock { $0.outcomes[task.taskIdentifier, default: Outcome()] }
    }

    private func note(_ task: URLSessionTask, _ change: (inout Outcome) -> Void) {
        state.withLock { change(&$0.outcomes[task.taskIdentifier, default: Outcome()]) }
    }

    // MARK: - The delegate

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        note(task) { $0.events.append(.redirect(response.statusCode)) }
        guard let answer = hooks.redirect else { return completionHandler(request) }
        answer(task, response, request, completionHandler)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        note(task) { $0.events.append(.needsStream) }
        guard let answer = hooks.bodyStream else { return completionHandler(nil) }
        answer(task, completionHandler)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        note(task) { $0.events.append(.sent(bytesSent, total: totalBytesSent, expected: totalBytesExpectedToSend)) }
        hooks.sent?(task)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let waiter = state.withLock { state in
            var outcome = state.outcomes[task.taskIdentifier, default: Outcome()]
            outcome.events.append(.completed)
            outcome.completions += 1
            outcome.error = error as? URLError
            if outcome.response == nil { outcome.response = task.response as? HTTPURLResponse }
            state.outcomes[task.taskIdentifier] = outcome
            return state.waiters.removeValue(forKey: task.taskIdentifier)
        }
        waiter?.resume()
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        note(dataTask) {
            $0.response = response as? HTTPURLResponse
            $0.events.append(.response($0.status ?? 0))
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        note(dataTask) {
            $0.events.append(.data(data.count))
            if hooks.keepsData { $0.data.append(data) }
        }
        hooks.data?(dataTask, data)
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        note(downloadTask) {
            $0.events.append(.wrote(bytesWritten, total: totalBytesWritten, expected: totalBytesExpectedToWrite))
        }
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        let attributes = try? FileManager.default.attributesOfItem(atPath: location.path)
        note(downloadTask) {
            $0.events.append(.finishedDownloading)
            $0.file = try? Data(contentsOf: location)
            $0.permissions = (attributes?[.posixPermissions] as? NSNumber)?.intValue
            $0.fileURL = location
        }
        hooks.file?(location)
    }
}
