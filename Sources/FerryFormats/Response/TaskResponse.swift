/// The complete result of a request.
///
/// Both ``value`` and ``error`` can be set: a 404 response whose body is a JSON object has that object as its value,
/// and an error because its status is not acceptable. For one or the other, use ``result``.
public struct TaskResponse<Value: Sendable>: Sendable {
    /// The last request that was sent.
    public var request: URLRequest?
    /// The server's response, which is made when it is first read.
    public var response: URLResponse? {
        get { received?.value }
        set { received = newValue.map { ReceivedResponse($0) } }
    }
    /// The response, whose object is made when it is first read: that takes longer than the rest of a small request.
    package var received: ReceivedResponse?
    /// The body; nil for a download and if none has arrived.
    public var data: Data?
    /// The URL of a download's file.
    public var fileURL: URL?
    /// The value the response serializer made of the body.
    public var value: Value?
    /// The error, if there is one.
    public var error: NetworkError?
    /// The duration and byte counts of the task, if they were measured.
    public var metrics: TaskMetrics?

    /// Creates a response with the given values of its properties.
    public init(
        request: URLRequest? = nil,
        response: URLResponse? = nil,
        data: Data? = nil,
        fileURL: URL? = nil,
        value: Value? = nil,
        error: NetworkError? = nil,
        metrics: TaskMetrics? = nil
    ) {
        self.init(
            request: request,
            received: response.map { ReceivedResponse($0) },
            data: data,
            fileURL: fileURL,
            value: value,
            error: error,
            metrics: metrics
        )
    }

    package init(
        request: URLRequest?,
        received: ReceivedResponse?,
        data: Data?,
        fileURL: URL? = nil,
        value: Value? = nil,
        error: NetworkError? = nil,
        metrics: TaskMetrics? = nil
    ) {
        self.request = request
        self.received = received
        self.data = data
        self.fileURL = fileURL
        self.value = value
        self.error = error
        self.metrics = metrics
    }

    /// The response as an `HTTPURLResponse`, if it is one.
    public var httpResponse: HTTPURLResponse? { response as? HTTPURLResponse }

    /// The number of attempts that the task has made: 1 without a retry.
    ///
    /// `TaskMetrics.retries` has, for each attempt but the last, when and how it failed and the delay after it.
    public var attempts: Int { (metrics?.retries.last?.attempt ?? 0) + 1 }

    /// The URL of the response, or of the request if there is none.
    package var url: URL? { response?.url ?? request?.url }

    /// The HTTP status code.
    public var statusCode: Int? { received?.statusCode }

    /// Returns the value of a header field of the response, whose name may be in any case; nil if there is none.
    ///
    /// The values of several fields with the name are joined; ``headerFields`` has each of them.
    public func header(_ name: String) -> String? { received?.value(forField: name) }

    /// The error if there is one, otherwise the value; an error with ``NetworkError/Code/noValue`` if there is neither.
    ///
    /// Where the value may be of any type, as with the verbs that have no type, it is an ``Empty`` if there is neither.
    public var result: Result<Value, NetworkError> { Result { () throws(NetworkError) in try get() } }

    /// The error of a response that has neither a value nor an error.
    package var noValue: NetworkError {
        let what = url.map { " to \($0.presentableText)" } ?? ""
        return NetworkError(
            .noValue,
            message: "The response\(what) has no body that \(Value.self) could be made of",
            failingURL: url,
            response: httpResponse,
            data: data
        )
    }

    /// Returns the value if there is no error; otherwise throws the error of ``result``.
    public func get() throws(NetworkError) -> Value {
        if let error { throw error }
        if let value = value ?? Empty() as? Value { return value }
        throw noValue
    }

    /// Returns the response with a transformed value.
    ///
    /// - Parameter transform: Returns the new value for the old one; not called if there is none.
    /// - Returns: The response with the new value, and the same error.
    public func map<New: Sendable>(_ transform: (Value) -> New) -> TaskResponse<New> {
        replacing(value: value.map(transform), error: error)
    }

    /// Returns the response with a transformed value, where the transformation may fail.
    ///
    /// - Parameter transform: Returns the new value for the old one; not called if there is none. A ``NetworkError`` it
    ///   throws replaces the error. Any other error becomes one with ``NetworkError/Code/decodingFailed``, whose
    ///   underlying error is the old error if there was one.
    /// - Returns: The response with the new value or the new error.
    public func tryMap<New: Sendable>(_ transform: (Value) throws -> New) -> TaskResponse<New> {
        do {
            return replacing(value: try value.map(transform), error: error)
        } catch let thrown as NetworkError {
            return replacing(value: nil, error: thrown)
        } catch {
            let failure = NetworkError(
                .decodingFailed,
                message: "The value could not be transformed: \(error)",
                response: httpResponse,
                data: data,
                underlyingError: self.error ?? error,
                decodingError: error
            )
            return replacing(value: nil, error: failure)
        }
    }

    /// Returns the response with another value and error.
    package func replacing<New: Sendable>(value: New?, error: NetworkError?) -> TaskResponse<New> {
        TaskResponse<New>(
            request: request,
            received: received,
            data: data,
            fileURL: fileURL,
            value: value,
            error: error,
            metrics: metrics
        )
    }

    /// The value as Foundation's objects, for code that casts it as with AFNetworking.
    ///
    /// ```swift
    /// if let user = response.foundationValue as? [String: Any] {
    ///     print(user["name"] as? String ?? "no name")
    /// }
    /// ```
    ///
    /// A ``JSONValue`` or ``PropertyListValue`` is converted, because `as? [String: Any]` fails for those. Any other
    /// value is returned as it is.
    public var foundationValue: (any Sendable)? {
        switch value as (any Sendable)? {
        case let value as JSONValue: value.foundationValue
        case let value as PropertyListValue: value.foundationValue
        default: value
        }
    }
}

extension TaskResponse: RedactedDescription {
    /// The request, the status, the size of the body and the error, without secrets.
    public var description: String {
        let url = url?.presentableText ?? ""
        var parts = ["\(request?.httpMethod ?? "GET") \(url)", statusCode.map { "\($0)" } ?? "no response"]
        if let data { parts.append("\(data.count) bytes") }
        if let fileURL { parts.append(fileURL.path) }
        if value != nil { parts.append("a value of type \(Value.self)") }
        if let error { parts.append("\(error)") }
        return parts.joined(separator: ", ")
    }

    /// A mirror without what may be secret: the header fields and bodies.
    public var customMirror: Mirror {
        Mirror(self, children: ["description": description, "error": error as Any, "metrics": metrics as Any])
    }
}
