import FerrySession
import Synchronization

extension SessionManager {
    /// The rule for a second request if the first one takes unusually long; nil, the default, for none.
    ///
    /// It is read when a request is sent.
    public var hedging: Hedging? {
        get { core.settings.withLock { $0.hedging } }
        set { withExtendedLifetime(core.settings.withLock { $0.replace(newValue) }) {} }
    }

    /// Makes a task and returns its response, or that of a second task for the same request to a URL.
    func hedgedCompletion<Value: Sendable>(
        of url: URL,
        by hedging: Hedging,
        _ makeTask: @escaping @Sendable (@escaping @Sendable (TaskResponse<Value>) -> Void) -> URLSessionTask?
    ) async -> TaskResponse<Value> {
        let (origin, start) = (Origin(url), MonotonicTime.now())
        let delay = hedging.begin(origin, at: start)
        let second = SecondRequest()
        return await withTaskGroup(of: (response: TaskResponse<Value>, isSecond: Bool)?.self) { group in
            group.addTask { (await self.completion(of: makeTask), false) }
            if let delay {
                group.addTask {
                    guard (try? await SystemClock.sleep(delay)) != nil, hedging.take(origin) else { return nil }
                    second.isSent.store(true, ordering: .relaxed)
                    return (await self.completion(of: makeTask), true)
                }
            }
            var bad: (response: TaskResponse<Value>, isSecond: Bool)?
            for await ended in group {
                guard let ended else { continue }
                // A bad response is used if the other request has none that is better.
                let isOther = bad != nil
                if ended.response.isGood || !second.isSent.load(ordering: .relaxed) || isOther {
                    group.cancelAll()
                    let used = ended.response.isGood ? ended : bad ?? ended
                    hedging.end(origin, after: MonotonicTime.now().since(start), isSecond: used.isSecond)
                    return used.response
                }
                bad = ended
            }
            return bad?.response ?? TaskResponse()
        }
    }
}

private final class SecondRequest: Sendable {
    let isSent = Atomic(false)
}

extension TaskResponse {
    /// Whether another request is unlikely to have a better response.
    fileprivate var isGood: Bool {
        switch error?.code {
        case nil, .unacceptableContentType, .decodingFailed, .responseTooLarge: true
        case .unacceptableStatusCode: !RetryPolicy.standard.statuses.contains(statusCode ?? 0)
        default: false
        }
    }
}

extension URLRequest {
    /// Whether the request can be sent twice at the same time, and has no body that can be read once only.
    var mayBeHedged: Bool { httpBodyStream == nil && HTTPMethod(rawValue: httpMethod ?? "GET").isSafe }
}

extension Request {
    /// Whether the request can be sent twice at the same time, and reports no progress.
    var mayBeHedged: Bool {
        method.isSafe && body == nil && multipartForm == nil && uploadProgress == nil && downloadProgress == nil
    }
}
