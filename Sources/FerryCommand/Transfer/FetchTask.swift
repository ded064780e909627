import Ferry

/// The delegate of one task of a transfer, which records its redirects, retries, response and metrics.
final class FetchTask: NSObject, CurlSessionDelegate {
    private struct State {
        var currentURL: URL
        var requestCount = 1
        var response: HTTPURLResponse?
    }

    /// The start of the task, in seconds since the start of the run.
    let wanted: Double
    private let context: RunContext
    /// The origin of the URL, the only one to which its credential is sent.
    private let origin: Origin
    private let index: Int
    private let body: UploadBody
    private let item: ProgressBoard.Item?
    private let state: Mutex<State>
    private let received = AsyncStream.makeStream(of: TaskMetrics.self)

    init(_ url: URL, index: Int, body: UploadBody, item: ProgressBoard.Item?, context: RunContext) {
        wanted = context.recorder.now
        self.context = context
        origin = Origin(url)
        self.index = index
        self.body = body
        self.item = item
        state = Mutex(State(currentURL: url))
    }

    var currentURL: URL { state.withLock { $0.currentURL } }
    /// The minimum number of requests sent: the first one, and one for each redirect that was followed.
    var requestCount: Int { state.withLock { $0.requestCount } }
    /// The final response, which is not a redirect that was followed.
    var response: HTTPURLResponse? { state.withLock { $0.response } }

    func note(_ response: HTTPURLResponse) {
        state.withLock { $0.response = response }
        context.heads?.write(response)
        context.log?.response(index, response)
        context.console.verbose(VerboseText.lines(of: response))
    }

    /// Waits for the metrics, which a task has when it ends; may be called only once; returns `nil` if they have not
    /// arrived within the time limit, so that a report is never awaited forever.
    func metrics(within limit: Duration = .seconds(5)) async -> TaskMetrics? {
        let timer = Task { [received] in
            // The sleep is cancelled when the metrics have arrived.
            try? await Task.sleep(for: limit)
            received.continuation.finish()
        }
        defer { timer.cancel() }
        // In a task of its own, since a cancelled transfer has metrics too.
        return await Task { [received] in await received.stream.first { _ in true } }.value
    }

    // MARK: - The delegate

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard context.options.followsRedirects else { return completionHandler(nil) }
        state.withLock { state in
            state.requestCount += 1
            if let url = request.url { state.currentURL = url }
        }
        context.log?.redirect(index, response, to: request)
        context.heads?.write(response)
        context.console.verbose(VerboseText.lines(of: response))
        var next = request
        if context.options.setsReferer { next.setValue(response.url?.referer, forHTTPHeaderField: "Referer") }
        completionHandler(next)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let (space, options) = (challenge.protectionSpace, context.options)
        guard options.usesDigest, case .basic(let user, let password)? = options.credential, !space.isProxy(),
            Origin(currentURL) == origin
        else { return completionHandler(.performDefaultHandling, nil) }
        guard space.authenticationMethod == NSURLAuthenticationMethodHTTPDigest else {
            return completionHandler(.rejectProtectionSpace, nil)
        }
        // A credential that was refused is not sent again.
        guard challenge.previousFailureCount == 0 else { return completionHandler(.performDefaultHandling, nil) }
        completionHandler(.useCredential, URLCredential(user: user, password: password, persistence: .none))
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        completionHandler(body.makeStream(isFirst: false))
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        let expected = totalBytesExpectedToSend
        item?.update(totalBytesSent, of: expected, isUpload: true)
        context.log?.progress(index, "up", totalBytesSent, of: expected < 0 ? nil : expected)
    }

    func urlSession(_ session: CurlSession, task: URLSessionTask, willRetry retry: TaskMetrics.Retry) {
        let reason = retry.statusCode.map(CommandFailure.text(ofStatus:)) ?? retry.message
        context.noteRetry(of: currentURL, index, reason, after: retry.delay, continues: retry.continuesBody)
    }

    func urlSession(_ session: CurlSession, task: URLSessionTask, didFinishCollecting metrics: TaskMetrics) {
        received.continuation.yield(metrics)
    }
}

extension URL {
    /// The value of `Referer` for the next request: without fragment and credentials (RFC 9110, section 10.1.3).
    fileprivate var referer: String {
        var parts = URLComponents(url: presentable, resolvingAgainstBaseURL: true)
        parts?.fragment = nil
        return parts?.string ?? ""
    }
}
