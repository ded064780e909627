internal import CFerry
@_spi(Reflection) private import Swift

/// What FoundationNetworking knows about a call of one of its `async` functions.
///
/// FoundationNetworking has no interface for it. Stored properties are found by name and type; in a version with other
/// ones there is no value.
struct AsyncCall {
    enum Body {
        /// That of the request, if it has one.
        case ofRequest
        case data(Data)
        case file(URL)
    }

    let session: CurlSession
    /// The queue of the task, on which its client must be called.
    let queue: DispatchQueue
    let body: Body
    let delegate: (any URLSessionTaskDelegate)?
    private let task: URLSessionTask

    /// Whether the caller is one of FoundationNetworking's tasks, recognized by the label of their queue.
    static var isOnQueueOfTasks: Bool {
        strcmp(ferry_current_queue_label(), "org.swift.URLSessionTask.WorkQueue") == 0
    }

    /// Returns the error of a request that cannot be carried over.
    static func refusal(of request: URLRequest) -> URLError {
        let text =
            "This call would bypass CurlSession's engine, since this version of FoundationNetworking is not known: call it "
            + "on a variable of type CurlSession, and not with a delegate in an optional variable"
        return .ferry(.unsupportedURL, url: request.url, reason: .bypassesEngine, text)
    }

    /// Finds out about a task; must be called on its queue.
    init?(_ task: URLSessionTask) {
        guard let session = Self.property("session", of: task, URLSessionTask.self) as? CurlSession,
            let queue = Self.property("workQueue", of: task, URLSessionTask.self) as? DispatchQueue,
            let body = Self.body(of: task),
            let registry = Self.property("taskRegistry", of: session, URLSession.self),
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

    private static func body(of task: URLSessionTask) -> Body? {
        guard let known = property("knownBody", of: task, URLSessionTask.self) else { return nil }
        guard task is URLSessionUploadTask else { return .ofRequest }
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

    /// Returns the value of a stored property of an object that one of its classes declares.
    private static func property(_ name: String, of object: AnyObject, _ declaring: AnyClass) -> Any? {
        var mirror: Mirror? = Mirror(reflecting: object)
        while let current = mirror, current.subjectType != declaring { mirror = current.superclassMirror }
        return mirror?.children.first { $0.label == name }?.value
    }

    // MARK: - Changes

    /// Has the task complete in an operation of the session's delegate queue, and returns whether it will.
    ///
    /// By default, the task of an `async` function completes on its own queue, for which a Swift task that is cancelled at
    /// that moment waits while it holds a lock that the completion needs: both would wait forever, and with them all of
    /// FoundationNetworking's tasks.
    func completesAsOperation() -> Bool {
        let name = "_callCompletionHandlerInline"
        guard let (address, type) = Self.address(of: name, in: task, URLSessionTask.self), type == Bool.self else {
            return false
        }
        address.storeBytes(of: false, as: Bool.self)
        return true
    }

    /// Sets the file that a download completes with, and returns whether that was possible.
    static func setFile(_ file: URL, of loader: URLProtocol) -> Bool {
        guard let (address, type) = address(of: "properties", in: loader, URLProtocol.self),
            let type = type as? any StringKeyed.Type
        else { return false }
        return type.set("temporaryFileURL", to: file, at: address)
    }

    private static func address(
        of name: String,
        in object: AnyObject,
        _ declaring: AnyClass
    ) -> (UnsafeMutableRawPointer, any Any.Type)? {
        var field: (offset: Int, type: any Any.Type)?
        // The fields of a class have to be asked for.
        let classes = _EachFieldOptions(rawValue: 1)
        _ = _forEachField(of: declaring, options: classes) { label, offset, type, _ in
            guard String(cString: label) == name else { return true }
            field = (offset, type)
            return false
        }
        return field.map { (Unmanaged.passUnretained(object).toOpaque() + $0.offset, $0.type) }
    }
}

/// A dictionary whose values are not known.
private protocol IntegerKeyed {
    func value(forKey key: Int) -> Any?
}

extension Dictionary: IntegerKeyed where Key == Int {
    fileprivate func value(forKey key: Int) -> Any? { self[key] }
}

/// A dictionary whose keys are an enumeration of strings.
private protocol StringKeyed {
    static func set(_ key: String, to value: Any, at address: UnsafeMutableRawPointer) -> Bool
}

extension Dictionary: StringKeyed where Key: RawRepresentable, Key.RawValue == String, Value == Any {
    fileprivate static func set(_ key: String, to value: Any, at address: UnsafeMutableRawPointer) -> Bool {
        guard let key = Key(rawValue: key) else { return false }
        address.assumingMemoryBound(to: Self.self).pointee[key] = value
        return true
    }
}

extension Data {
    fileprivate init(copying data: DispatchData) {
        self.init(count: data.count)
        withUnsafeMutableBytes { _ = data.copyBytes(to: $0) }
    }
}
