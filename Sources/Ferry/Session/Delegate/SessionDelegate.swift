import FerrySession

/// The delegate of one session: forwards events to the task's delegate, the hooks and the monitors.
///
/// It retains the manager's core and not the manager, so that a session does not retain its manager.
final class SessionDelegate: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate, CurlSessionTaskObserver,
    CurlSessionRetryDelegate
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

    private func key(_ task: URLSessionTask) -> TaskKey {
        TaskKey(generation: generation, identifier: task.taskIdentifier)
    }

    private func delegate(of task: URLSessionTask) -> TaskDelegate? { core.registry[key(task)] }

    // MARK: - CurlSessionTaskObserver

    func session(_ session: CurlSession, didResume task: URLSessionTask) { core.noteResumed(task) }

    func session(_ session: CurlSession, didSuspend task: URLSessionTask) { core.noteSuspended(task) }

    // MARK: - URLSessionTaskDelegate

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        let delegate = delegate(of: task)
        let next: URLRequest?
        if let hook = delegate?.hooks.willPerformRedirection {
            next = hook(response, request)
        } else if let hook = core.hookTable.hooks.taskWillPerformRedirection {
            next = hook(session, task, response, request)
        } else {
            next = request
        }
        core.monitor.task(task, didRedirectBy: response, to: next)
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
        core.monitor.task(task, didReceive: challenge)
        let answer = ChallengeAnswer(
            challenge,
            of: task,
            delegate: delegate(of: task),
            defaultHandlingHangs: session.isFoundationNetworking,
            completionHandler: completionHandler
        )
        answer.give(answer.outcome(hooks: core.hookTable.hooks, session: session))
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        if let stream = core.hookTable.hooks.taskNeedsNewBodyStream?(session, task) { return completionHandler(stream) }
        completionHandler(delegate(of: task)?.nextBodyStream(for: task))
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        let delegate = delegate(of: task)
        delegate?.didSend(total: totalBytesSent, expected: totalBytesExpectedToSend, of: task)
        let total = delegate?.uploadProgress.latest.totalByteCount
        core.hookTable.hooks.taskDidSendBodyData?(session, task, bytesSent, totalBytesSent, total)
        core.monitor.task(task, didSend: totalBytesSent, of: total)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        // Removed first, so that later callbacks find no delegate and the task completes only once.
        let delegate = core.registry.remove(key(task), error: error)
        if let delegate, let hook = core.hookTable.hooks.taskDidFinishCollectingMetrics {
            hook(session, task, delegate.measure(task))
        }
        core.hookTable.hooks.taskDidComplete?(session, task, error)
        core.monitor.task(task, didCompleteWith: error)
        delegate?.finish(task, error: error)
    }

    func urlSession(_ session: CurlSession, task: URLSessionTask, willRetry retry: TransferMetrics.Retry) {
        core.monitor.task(task, willRetry: retry)
    }

    // MARK: - URLSessionDataDelegate

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        // FoundationNetworking delivers interim responses too (RFC 9110, section 15.2).
        if let status = (response as? HTTPURLResponse)?.statusCode, (100..<200).contains(status), status != 101 {
            return completionHandler(.allow)
        }
        delegate(of: dataTask)?.didReceive(response, for: dataTask)
        core.monitor.task(dataTask, didReceive: response)
        var disposition = core.hookTable.hooks.dataTaskDidReceiveResponse?(session, dataTask, response) ?? .allow
        // FoundationNetworking deprecates `becomeDownload`.
        let becomeDownload = 2
        // A body that is passed on as it arrives cannot go to a file.
        if disposition.rawValue == becomeDownload, delegate(of: dataTask)?.streamsBody == true { disposition = .allow }
        completionHandler(disposition)
        if disposition == .cancel { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        delegate(of: dataTask)?.didReceive(data, for: dataTask)
        core.hookTable.hooks.dataTaskDidReceiveData?(session, dataTask, data)
        core.monitor.task(dataTask, didReceive: data)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didBecome downloadTask: URLSessionDownloadTask
    ) {
        let delegate = core.registry.move(from: key(dataTask), to: downloadTask, at: key(downloadTask))
        delegate?.attach(to: downloadTask)
        if delegate?.isRunning == true {
            // Observers identify a task by the object of its notifications.
            core.notifications.post(.networkingTaskDidSuspend, object: dataTask)
            core.notifications.post(.networkingTaskDidResume, object: downloadTask)
        }
        core.hookTable.hooks.dataTaskDidBecomeDownloadTask?(session, dataTask, downloadTask)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        if let hook = delegate(of: dataTask)?.hooks.willCacheResponse {
            completionHandler(hook(proposedResponse))
        } else if let hook = core.hookTable.hooks.dataTaskWillCacheResponse {
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
        let destination = core.hookTable.hooks.downloadTaskDidFinishDownloading?(session, downloadTask, location)
        delegate(of: downloadTask)?.didFinishDownloading(to: location, hookDestination: destination)
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
        delegate(of: downloadTask)?.didWrite(bytesWritten, total: total, expected: totalBytesExpectedToWrite)
        let expected = totalBytesExpectedToWrite >= 0 ? totalBytesExpectedToWrite : nil
        core.hookTable.hooks.downloadTaskDidWriteData?(session, downloadTask, bytesWritten, totalBytesWritten, expected)
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) {
        delegate(of: downloadTask)?.didResume(at: fileOffset, expected: expectedTotalBytes)
        let expected = expectedTotalBytes >= 0 ? expectedTotalBytes : nil
        core.hookTable.hooks.downloadTaskDidResume?(session, downloadTask, fileOffset, expected)
    }
}
