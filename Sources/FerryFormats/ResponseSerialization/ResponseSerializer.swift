/// A type that validates a response and decodes its body.
///
/// A serializer is captured when a task is created, so later changes of a manager's serializer do not affect the task.
///
/// AFNetworking: `AFURLResponseSerialization`.
public protocol ResponseSerializer<Output>: Sendable {
    /// The type of the decoded value.
    associatedtype Output: Sendable

    /// The maximum size of a body, in bytes; `nil` for no limit.
    ///
    /// A manager may stop a transfer as soon as it exceeds the limit.
    var maximumBodySize: Int? { get }

    /// Validates a response and decodes its body.
    ///
    /// Called on the processing queue, or in the Swift task that awaits the response. It may be called for several
    /// responses at the same time.
    ///
    /// - Parameter response: The response, with the request that was sent last, such as after a redirect. Its
    ///   ``TaskResponse/data`` is `nil` if there is no body, as for a download.
    /// - Returns: The value and the error. There may be both, or neither, as for an empty body.
    func serialize(_ response: TaskResponse<Never>) -> SerializedResponse<Output>
}

extension ResponseSerializer {
    /// Validates a response and decodes its body.
    ///
    /// AFNetworking: `responseObjectForResponse:data:error:`.
    public func serialize(
        request: URLRequest? = nil,
        response: URLResponse?,
        data: Data?
    ) -> SerializedResponse<Output> {
        serialize(TaskResponse(request: request, response: response, data: data))
    }

    /// The maximum size of a body: no limit.
    public var maximumBodySize: Int? { nil }
}

/// A response serializer that checks the status code, the content type and the size before it decodes the body.
///
/// The checks can be changed for a single call:
///
/// ```swift
/// let serializer = JSONResponseSerializer()
///     .accepting("text/html")
///     .limited(toBytes: 1 << 20)
/// ```
///
/// AFNetworking: `AFHTTPResponseSerializer`.
public protocol ValidatingResponseSerializer<Output>: ResponseSerializer {
    /// The acceptable status codes and content types.
    var validation: Validation { get set }

    /// The maximum size of a body, in bytes; `nil` for no limit.
    var maximumBodySize: Int? { get set }
}

extension ValidatingResponseSerializer {
    /// The acceptable status codes; `nil` accepts all.
    public var acceptableStatusCodes: Set<Int>? {
        get { validation.acceptableStatusCodes }
        set { validation.acceptableStatusCodes = newValue }
    }

    /// The acceptable content types; `nil` accepts all.
    public var acceptableContentTypes: Set<String>? {
        get { validation.acceptableContentTypes }
        set { validation.acceptableContentTypes = newValue }
    }

    /// Returns a copy of this serializer with another validation.
    public func validating(_ validation: Validation) -> Self { changed { $0.validation = validation } }

    /// Returns a copy of this serializer that accepts the given content types, which may have wildcards, besides its
    /// own.
    public func accepting(_ contentTypes: String...) -> Self {
        changed { $0.acceptableContentTypes?.formUnion(contentTypes) }
    }

    /// Returns a copy of this serializer that accepts the given status codes, such as `400..<500`, besides its own.
    public func accepting(statusCodes: some Sequence<Int>) -> Self {
        changed { $0.acceptableStatusCodes?.formUnion(statusCodes) }
    }

    /// Returns a copy of this serializer that accepts any content type.
    public func acceptingAnyContentType() -> Self { changed { $0.acceptableContentTypes = nil } }

    /// Returns a copy of this serializer that accepts any status code.
    public func acceptingAnyStatusCode() -> Self { changed { $0.acceptableStatusCodes = nil } }

    /// Returns a copy of this serializer with a limit on the size of the body.
    ///
    /// A larger body is not decoded; the error is ``NetworkError/Code/responseTooLarge``.
    ///
    /// - Parameter maximumBodySize: The limit in bytes; `nil` for no limit.
    /// - Returns: The changed copy.
    public func limited(toBytes maximumBodySize: Int?) -> Self { changed { $0.maximumBodySize = maximumBodySize } }

    private func changed(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }
}

/// The result of a response serializer: a value, an error, both or neither.
public struct SerializedResponse<Output: Sendable>: Sendable {
    /// The decoded value, if any.
    public var value: Output?
    /// The validation or decoding error, if any.
    public var error: NetworkError?

    /// Creates a result.
    public init(value: Output? = nil, error: NetworkError? = nil) {
        self.value = value
        self.error = error
    }
}
