import FuzzSupport

@testable import FerryCore
@testable import FerrySession

/// A delegate that counts completions, and ends the process on a callback that must not come.
///
/// It makes tasks that use a delegate awaitable, like those with a completion handler.
final class WireDelegate: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate, Sendable {
    private struct State {
        var completed: Set<Int> = []
        var received: [Int: Int64] = [:]
        var waiters: [Int: DispatchSemaphore] = [:]
        var challenges = 0
    }

    private let state = FerryCore.Mutex(State())

    /// Returns a semaphore that is signalled at the task's end; must be called before the task is resumed.
    func watch(_ task: URLSessionTask) -> DispatchSemaphore {
        let semaphore = DispatchSemaphore(value: 0)
        state.withLock { $0.waiters[task.taskIdentifier] = semaphore }
        return semaphore
    }

    func forget() {
        state.withLock { $0 = State() }
    }

    private func check(_ task: URLSessionTask, _ name: String) {
        let isComplete = state.withLock { $0.completed.contains(task.taskIdentifier) }
        expect(!isComplete, "\(name) after the completion of task \(task.taskIdentifier)")
        let progress = task.progress.fractionCompleted
        expect((0...1).contains(progress), "the fraction \(progress) in \(name)")
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        check(task, "completion")
        if let error { expect(error is URLError, "an error of the wrong type: \(error)") }
        let waiter = state.withLock { state in
            state.completed.insert(task.taskIdentifier)
            return state.waiters.removeValue(forKey: task.taskIdentifier)
        }
        waiter?.signal()
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        check(dataTask, "response")
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        check(dataTask, "data")
        expect(dataTask.response != nil, "data before a response")
        expect(data != WireAnswer.unasked, "a response to no request")
        let count = state.withLock { state in
            state.received[dataTask.taskIdentifier, default: 0] += Int64(data.count)
            return state.received[dataTask.taskIdentifier] ?? 0
        }
        expect(
            dataTask.countOfBytesReceived >= 0,
            "\(dataTask.countOfBytesReceived) bytes received, \(count) delivered"
        )
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping (InputStream?) -> Void
    ) {
        check(task, "body stream")
        completionHandler(InputStream(data: Data(repeating: 0x62, count: 3_000)))
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping (URLRequest?) -> Void
    ) {
        check(task, "redirect")
        let scheme = request.url?.scheme?.lowercased()
        expect(scheme == "http" || scheme == "https", "a redirect to \(request)")
        completionHandler(request.url?.host() == "127.0.0.1" ? request : nil)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        check(task, "challenge")
        guard challenge.previousFailureCount == 0 else { return completionHandler(.performDefaultHandling, nil) }
        completionHandler(.useCredential, URLCredential(user: "ada", password: "s\"e\\c", persistence: .none))
    }

    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
        check(downloadTask, "download")
        let size = (try? FileManager.default.attributesOfItem(atPath: location.path)[.size]) as? Int
        expect(size != nil, "no file at \(location.path)")
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        check(downloadTask, "progress")
        expect(
            bytesWritten >= 0 && totalBytesWritten >= bytesWritten,
            "\(bytesWritten) of \(totalBytesWritten) written"
        )
    }
}
