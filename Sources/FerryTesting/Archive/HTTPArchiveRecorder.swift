/// A recorder that makes an ``HTTPArchive`` of the requests that are passed to it.
///
/// ```swift
/// let recorder = HTTPArchiveRecorder()
/// let (data, _) = try await recorder.data(for: request, from: session)
/// try recorder.archive.write(to: URL(fileURLWithPath: "session.har"))
/// ```
///
/// Credentials in header fields and URLs are not recorded; see ``ArchiveRedaction``. It can be used on any thread.
public final class HTTPArchiveRecorder: Sendable {
    /// The limits for what is recorded.
    public struct Limits: Sendable, Hashable {
        /// The greatest number of bytes of a body; only the size of a longer one is recorded.
        ///
        /// The default is one mebibyte.
        public var bodySize = 1 << 20
        /// The greatest number of entries; later ones are only counted.
        ///
        /// The default is 10,000.
        public var entries = 10_000
        /// The greatest number of bytes of all URLs, header fields and bodies.
        ///
        /// An entry that would exceed it is only counted. The default is 64 mebibytes.
        public var totalSize = 64 << 20

        /// Creates the default limits, which a closure may change.
        public init(configure: (inout Self) -> Void = { _ in }) { configure(&self) }
    }

    private struct State {
        var entries: [HTTPArchive.Entry] = []
        var size = 0
        var dropped = 0
    }

    private let redaction: ArchiveRedaction
    private let limits: Limits
    private let state = Mutex(State())

    /// Creates a recorder.
    ///
    /// - Parameters:
    ///   - redaction: The values to replace by `<redacted>`; by default those of credentials.
    ///   - limits: The limits for what is recorded.
    public init(redaction: ArchiveRedaction = ArchiveRedaction(), limits: Limits = Limits()) {
        self.redaction = redaction
        self.limits = limits
    }

    /// The archive of what has been recorded, in the order in which the requests were started.
    public var archive: HTTPArchive {
        let entries = state.withLock { $0.entries }
        return HTTPArchive(entries: entries.sorted { $0.startedDateTime < $1.startedDateTime })
    }

    /// The number of requests that were not recorded because of the limits.
    public var droppedCount: Int { state.withLock { $0.dropped } }

    /// Removes everything that has been recorded.
    public func reset() { state.withLock { $0 = State() } }

    /// Records a request that has ended.
    ///
    /// After redirects, the entry has the request's URL and the last response, so that a replay needs no redirects.
    ///
    /// - Parameters:
    ///   - request: The request. Its body is recorded if it is in memory.
    ///   - response: The response; nil if there was none.
    ///   - body: The decoded body of the response; nil if it is not known, as for a download to a file.
    ///   - metrics: The measurements, such as a task's `metrics`; without them the entry has no times.
    ///   - error: The error with which the request ended; the code of a `URLError` is recorded.
    public func record(
        request: URLRequest,
        response: HTTPURLResponse?,
        body: Data?,
        metrics: TaskMetrics? = nil,
        error: (any Error)? = nil
    ) {
        let entry = RecordedExchange(
            request: request,
            response: response,
            body: body,
            metrics: metrics,
            errorCode: (error as? URLError)?.code.rawValue,
            redaction: redaction,
            bodyLimit: limits.bodySize
        ).entry
        let size = entry.size
        state.withLock { state in
            guard state.entries.count < limits.entries, size <= limits.totalSize - state.size else {
                state.dropped += 1
                return
            }
            state.entries.append(entry)
            state.size += size
        }
    }

    /// Sends a request in a session, records it, and returns the response with its body.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - session: The session.
    /// - Returns: The body and the response.
    /// - Throws: The error of the session, after the request has been recorded.
    public func data(for request: URLRequest, from session: CurlSession) async throws -> (Data, URLResponse) {
        let observer = MetricsObserver()
        do {
            let (data, response) = try await session.data(for: request, delegate: observer)
            let answer = response as? HTTPURLResponse
            record(request: request, response: answer, body: data, metrics: observer.metrics)
            return (data, response)
        } catch {
            record(request: request, response: nil, body: nil, metrics: observer.metrics, error: error)
            throw error
        }
    }
}

/// A task delegate that keeps the metrics.
private final class MetricsObserver: NSObject, CurlSessionDelegate, Sendable {
    private let state = Mutex<TaskMetrics?>(nil)

    var metrics: TaskMetrics? { state.withLock { $0 } }

    func urlSession(_ session: CurlSession, task: URLSessionTask, didFinishCollecting metrics: TaskMetrics) {
        state.withLock { $0 = metrics }
    }
}

extension HTTPArchive.Entry {
    /// The approximate number of bytes that the entry takes.
    fileprivate var size: Int {
        let fields = request.headers + request.queryString + response.headers
        let texts = [request.url, request.postData?.text, response.content.text, response.redirectURL]
        return fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
            + texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
    }
}
