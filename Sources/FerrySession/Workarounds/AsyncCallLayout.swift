// For FoundationNetworking of Swift 6.3, whose `async` functions use none of the methods that a subclass can override.
// `WorkaroundTests` notices when they do; `AsyncCallLayoutTests` notices another layout of its objects.

/// The stored properties of FoundationNetworking's objects that a call changes, by their names.
///
/// FoundationNetworking has no interface for it. Before the first call, objects that nothing else uses are changed to
/// see whether names, types and places are as expected. If not, all calls are refused with an error that says so.
struct AsyncCallLayout {
    var completesInline = "_callCompletionHandlerInline"
    var properties = "properties"
    var file = "temporaryFileURL"

    /// Whether the version of FoundationNetworking in this process is known.
    static let isKnown = AsyncCallLayout().isValid

    /// Whether new objects show what is set, with the types that are known.
    var isValid: Bool {
        let (task, url) = (UnusedTask(), URL(fileURLWithPath: "/"))
        let loader = URLProtocol(request: URLRequest(url: url), cachedResponse: nil, client: nil)
        return setInline(true, of: task) && setInline(false, of: task) && setFile(url, of: loader)
            && file(of: loader) == url
    }

    private var inlineOffset: Int? {
        StoredProperty.find(completesInline, of: URLSessionTask.self).flatMap { $0.type == Bool.self ? $0.offset : nil }
    }

    /// Sets whether a task completes on its own queue, and returns whether it shows the change.
    func setInline(_ isInline: Bool, of task: URLSessionTask) -> Bool {
        guard let inlineOffset else { return false }
        (Unmanaged.passUnretained(task).toOpaque() + inlineOffset).storeBytes(of: isInline, as: Bool.self)
        return Self.property(completesInline, of: task, URLSessionTask.self) as? Bool == isInline
    }

    /// Sets the file that a download completes with, and returns whether that was possible.
    func setFile(_ url: URL, of loader: URLProtocol) -> Bool {
        guard let (offset, type) = StoredProperty.find(properties, of: URLProtocol.self),
            let type = type as? any StringKeyed.Type
        else { return false }
        return type.set(file, to: url, at: Unmanaged.passUnretained(loader).toOpaque() + offset)
    }

    /// Returns the file that a download will complete with.
    func file(of loader: URLProtocol) -> URL? {
        let values = Self.property(properties, of: loader, URLProtocol.self) as? any StringKeyed
        return values?.value(for: file) as? URL
    }

    /// Returns the value of a stored property of an object that one of its classes declares.
    static func property(_ name: String, of object: AnyObject, _ declaring: AnyClass) -> Any? {
        var mirror: Mirror? = Mirror(reflecting: object)
        while let current = mirror, current.subjectType != declaring { mirror = current.superclassMirror }
        return mirror?.children.first { $0.label == name }?.value
    }
}

extension AsyncCall {
    /// Makes the task complete in an operation of the session's delegate queue, and returns whether it will.
    ///
    /// By default, the task of an `async` function completes on its own queue. A Swift task that is cancelled at that
    /// moment waits for the queue with a lock that the completion needs: both would wait forever, and with them all of
    /// FoundationNetworking's tasks.
    func completesAsOperation() -> Bool { AsyncCallLayout().setInline(false, of: task) }
}

/// A task without a session, whose layout is examined; `@unchecked Sendable` like its superclass.
private final class UnusedTask: URLSessionDataTask, @unchecked Sendable {}

/// A dictionary whose keys are an enumeration of strings.
private protocol StringKeyed {
    func value(for key: String) -> Any?
    static func set(_ key: String, to value: Any, at address: UnsafeMutableRawPointer) -> Bool
}

extension Dictionary: StringKeyed where Key: RawRepresentable, Key.RawValue == String, Value == Any {
    fileprivate func value(for key: String) -> Any? { Key(rawValue: key).flatMap { self[$0] } }

    fileprivate static func set(_ key: String, to value: Any, at address: UnsafeMutableRawPointer) -> Bool {
        guard let key = Key(rawValue: key) else { return false }
        address.assumingMemoryBound(to: Self.self).pointee[key] = value
        return true
    }
}
