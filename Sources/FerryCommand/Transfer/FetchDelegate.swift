import Ferry

/// The delegate of one task: follows redirects, provides body streams, and reports upload progress and metrics.
final class FetchDelegate: NSObject, CurlSessionMetricsDelegate {
    private let followsRedirects: Bool
    private let body: UploadBody
    private let collector: MetricsCollector
    private let didSend: @Sendable (_ total: Int64, _ expected: Int64) -> Void
    private let willRedirect: @Sendable (HTTPURLResponse, URLRequest) -> Void

    init(
        followsRedirects: Bool,
        body: UploadBody,
        collector: MetricsCollector,
        didSend: @escaping @Sendable (_ total: Int64, _ expected: Int64) -> Void,
        willRedirect: @escaping @Sendable (HTTPURLResponse, URLRequest) -> Void
    ) {
        self.followsRedirects = followsRedirects
        self.body = body
        self.collector = collector
        self.didSend = didSend
        self.willRedirect = willRedirect
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard followsRedirects else { return completionHandler(nil) }
        willRedirect(response, request)
        completionHandler(request)
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
        didSend(totalBytesSent, totalBytesExpectedToSend)
    }

    func urlSession(_ session: CurlSession, task: URLSessionTask, didFinishCollecting metrics: TransferMetrics) {
        collector.finish(metrics)
    }
}
