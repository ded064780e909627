/// The delegate of one session: forwards events to the task's delegate, the hooks and the monitors.
///
/// It retains the manager's core and not the manager, so that a session does not retain its manager.
final class SessionDelegate: NSObject, URLSessionDownloadDelegate, ReceivedResponseDelegate, CurlSessionTaskObserver,
    CurlSessionDelegate
{
    private let core: SessionCore
    private let generation: Int

    init(core: SessionCore, generation: Int) {
        self.core = core
        self.generation = generation
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        core.sessionDidBecomeInvalid(session, generation: generation, error: error)
    }

    func urlSessionDidFinishEvents(_ session: CurlSession) { core.observers.hooks.sessionDidFinishEvents?(session) }

    private func key(_ task: URLSessionTask) -> TaskKey {
        TaskKey(generation: generation, identifier: task.taskIdentifier)
    }

    /// Returns the delegate of a task, nil once it has ended, and the hooks and monitors as they are now.
    private func find(_ task: URLSessionTask) -> (delegate: TaskDelegate?, observers: Observers) {
        core.find(key(task))
    }

    // MARK: - CurlSessionTaskObserver

    func session(_ session: CurlSession, didResume task: URLSessionTask) {
        core.note(isRunning: true, task, at: key(task))
    }

    func session(_ session: CurlSession, didSuspend task: URLSessionTask) {
        core.note(isRunning: false, task, at: key(task))
    }

    func session(_ session: CurlSession, ownDelegateDidEnd task: URLSessionTask, error: (any Error)?) {
        // Every task of the manager completes, also one whose own delegate does not pass the end on.
        if find(task).delegate != nil { urlSession(session, task: task, didCompleteWithError: error) }
    }

    // MARK: - URLSessionTaskDelegate

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        let (delegate, observers) = find(task)
        let next: URLRequest?
        if let hook = delegate?.hooks().willPerformRedirection {
            next = hook(response, request)
        } else if let hook = observers.hooks.taskWillPerformRedirection {
            next = hook(session, task, response, request)
        } else {
            next = request
        }
        observers.notify { $0.task(task, didRedirectBy: response, to: next) }
        if next != nil {
            delegate?.noteRedirection()
        } else if session.isFoundationNetworking, task is URLSessionDownloadTask {
            // FoundationNetworking would end the process: the task is cancelled instead, without calling the handler.
            return task.cancel()
        }
        completionHandler(next)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let (delegate, observers) = find(task)
        observers.notify { $0.task(task, didReceive: challenge) }
        let answer = ChallengeAnswer(
            challenge,
            of: task,
            delegate: delegate,
            defaultHandlingHangs: session.isFoundationNetworking,
            completionHandler: completionHandler
        )
        answer.give(answer.outcome(hooks: observers.hooks, session: session))
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        let (delegate, observers) = find(task)
        if let stream = observers.hooks.taskNeedsNewBodyStream?(session, task) { return completionHandler(stream) }
        completionHandler(delegate?.nextBodyStream(for: task))
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        let (delegate, observers) = find(task)
        let total = delegate?.didSend(total: totalBytesSent, expected: totalBytesExpectedToSend, of: task)
        observers.hooks.taskDidSendBodyData?(session, task, bytesSent, totalBytesSent, total)
        observers.notify { $0.task(task, didSend: totalBytesSent, of: total) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        // Removed first, so that later callbacks find no delegate and the task completes only once.
        let (delegate, observers) = core.remove(key(task), error: error)
        if let delegate, let hook = observers.hooks.taskDidFinishCollectingMetrics {
            hook(session, task, delegate.measure(task))
        }
        observers.hooks.taskDidComplete?(session, task, error)
        observers.notify { $0.task(task, didCompleteWith: error) }
        delegate?.finish(task, error: error, observers)
    }

    func urlSession(_ session: CurlSession, task: URLSessionTask, willRetry retry: TaskMetrics.Retry) {
        core.observers.notify { $0.task(task, willRetry: retry) }
    }

    func urlSession(
        _ session: CurlSession,
        task: URLSessionTask,
        didReceiveInformationalResponse response: HTTPURLResponse
    ) {
        core.observers.notify { $0.task(task, didReceiveInformationalResponse: response) }
    }

    // MARK: - URLSessionDataDelegate

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let response = ReceivedResponse(response)
        urlSession(session, dataTask: dataTask, didReceive: response, completionHandler: completionHandler)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: ReceivedResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        // FoundationNetworking delivers interim responses too (RFC 9110, section 15.2).
        if let status = response.statusCode, (100..<200).contains(status), status != 101 {
            return completionHandler(.allow)
        }
        let (delegate, observers) = find(dataTask)
        delegate?.didReceive(response, for: dataTask)
        observers.notify { $0.task(dataTask, didReceive: response.value) }
        var disposition = observers.hooks.dataTaskDidReceiveResponse?(session, dataTask, response.value) ?? .allow
        // FoundationNetworking deprecates `becomeDownload`.
        let becomeDownload = 2
        // A body that is passed on as it arrives cannot go to a file.
        if disposition.rawValue == becomeDownload, delegate?.collectsBody == false { disposition = .allow }
        completionHandler(disposition)
        if disposition == .cancel { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let (delegate, observers) = find(dataTask)
        delegate?.didReceive(data, for: dataTask)
        observers.hooks.dataTaskDidReceiveData?(session, dataTask, data)
        observers.notify { $0.task(dataTask, didReceive: data) }
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didBecome downloadTask: URLSessionDownloadTask
    ) {
        let (delegate, observers) = core.move(from: key(dataTask), to: downloadTask, at: key(downloadTask))
        delegate?.attach(to: downloadTask)
        if delegate?.isRunning == true {
            // Observers identify a task by the object of its notifications.
            core.notifications.post(.networkingTaskDidSuspend, object: dataTask)
            core.notifications.post(.networkingTaskDidResume, object: downloadTask)
        }
        observers.hooks.dataTaskDidBecomeDownloadTask?(session, dataTask, downloadTask)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        let (delegate, observers) = find(dataTask)
        if let hook = delegate?.hooks().willCacheResponse {
            completionHandler(hook(proposedResponse))
        } else if let hook = observers.hooks.dataTaskWillCacheResponse {
            completionHandler(hook(session, dataTask, proposedResponse))
        } else {
            completionHandler(proposedResponse)
        }
    }

    // MARK: - URLSessionDownloadDelegate

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        let (delegate, observers) = find(downloadTask)
        let destination = observers.hooks.downloadTaskDidFinishDownloading?(session, downloadTask, location)
        delegate?.didFinishDownloading(downloadTask, to: location, hookDestination: destination)
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        // FoundationNetworking's total leaves out what an earlier task has written.
        let total = session is CurlSession ? totalBytesWritten : nil
        let (delegate, observers) = find(downloadTask)
        delegate?.didWrite(bytesWritten, total: total, expected: totalBytesExpectedToWrite)
        let expected = totalBytesExpectedToWrite >= 0 ? totalBytesExpectedToWrite : nil
        observers.hooks.downloadTaskDidWriteData?(session, downloadTask, bytesWritten, totalBytesWritten, expected)
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) {
        let (delegate, observers) = find(downloadTask)
        delegate?.didResume(at: fileOffset, expected: expectedTotalBytes)
        let expected = expectedTotalBytes >= 0 ? expectedTotalBytes : nil
        observers.hooks.downloadTaskDidResume?(session, downloadTask, fileOffset, expected)
    }
}
