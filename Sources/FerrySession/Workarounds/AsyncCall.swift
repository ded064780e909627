// For FoundationNetworking of Swift 6.3, whose `async` functions use none of the methods that a subclass can override.
// `WorkaroundTests` notices when they do; `AsyncCallLayoutTests` notices another layout of its objects.

/// A call of one of FoundationNetworking's `async` functions, as its objects describe it.
///
/// FoundationNetworking has no interface for it. Stored properties are found by name and type; in a version with
/// others, the initializer returns `nil`.
struct AsyncCall {
    let session: CurlSession
    /// The queue of the task, on which its client must be called.
    let queue: DispatchQueue
    /// The body of an upload; none for a task that sends the body of its request, if it has one.
    let body: BodySource
    let delegate: (any URLSessionTaskDelegate)?
    let task: URLSessionTask

    /// Whether the caller is one of FoundationNetworking's tasks, recognized by the label of their queue.
    static var isOnQueueOfTasks: Bool { CurrentQueue.hasLabel("org.swift.URLSessionTask.WorkQueue") }

    /// Returns the error of a request that cannot be carried over.
    static func refusal(of request: URLRequest) -> URLError {
        let text =
            "This call would bypass CurlSession's engine, since this version of FoundationNetworking is not known: call it "
            + "on a variable of type CurlSession, and not with a delegate in an optional variable"
        return .ferry(.unsupportedURL, url: request.url, reason: .bypassesEngine, text)
    }

    /// Reads the call of a task; must be called on the task's queue.
    init?(_ task: URLSessionTask) {
        guard AsyncCallLayout.isKnown,
            let session = AsyncCallLayout.property("session", of: task, URLSessionTask.self) as? CurlSession,
            let queue = AsyncCallLayout.property("workQueue", of: task, URLSessionTask.self) as? DispatchQueue,
            let body = Self.body(of: task),
            let registry = AsyncCallLayout.property("taskRegistry", of: session, URLSession.self),
            let behaviours = Mirror(reflecting: registry).descendant("behaviours") as? any IntegerKeyed,
            let behaviour = behaviours.value(forKey: task.taskIdentifier),
            let handling = Mirror(reflecting: behaviour).children.first
        else { return nil }
        switch handling.label {
        case "dataCompletionHandler", "downloadCompletionHandler": delegate = nil
        case "dataCompletionHandlerWithTaskDelegate", "downloadCompletionHandlerWithTaskDelegate":
            // The handler and the delegate, which may be nil.
            let parts = Array(Mirror(reflecting: handling.value).children)
            guard parts.count == 2 else { return nil }
            delegate = parts[1].value as? any URLSessionTaskDelegate
        default: return nil
        }
        (self.task, self.session, self.queue, self.body) = (task, session, queue, body)
    }

    private static func body(of task: URLSessionTask) -> BodySource? {
        guard let known = AsyncCallLayout.property("knownBody", of: task, URLSessionTask.self) else { return nil }
        guard task is URLSessionUploadTask else { return BodySource.none }
        // An optional enumeration; a case without a value has no children.
        guard let body = Mirror(reflecting: known).children.first?.value,
            let content = Mirror(reflecting: body).children.first
        else { return nil }
        switch (content.label, content.value) {
        case ("data", let data as DispatchData): return .data(Data(copying: data))
        case ("file", let url as URL): return .file(url)
        default: return nil
        }
    }
}

/// A dictionary whose values are not known.
private protocol IntegerKeyed {
    func value(forKey key: Int) -> Any?
}

extension Dictionary: IntegerKeyed where Key == Int {
    fileprivate func value(forKey key: Int) -> Any? { self[key] }
}

extension Data {
    fileprivate init(copying data: DispatchData) {
        self.init(count: data.count)
        withUnsafeMutableBytes { _ = data.copyBytes(to: $0) }
    }
}
