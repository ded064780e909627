/// A closure that adds parts to a multipart form.
public typealias MultipartForm = @Sendable (inout MultipartFormData) throws -> Void

/// A request to an HTTP service as a value: what to send, and how to decode the response.
///
/// A request begins with a method and a path, and determines how its response is decoded: as a `Decodable` type, by a
/// serializer, or by the manager's serializer. Its other properties are variables, with a method for each that returns
/// a changed copy:
///
/// ```swift
/// extension Request<User> {
///     static func user(_ id: Int) -> Request { .get("users/\(id)").timeout(5) }
/// }
///
/// let user = try await manager.send(.user(1))
/// let text = try await manager.send(.get("terms", serializer: .string))
/// ```
public struct Request<Value: Sendable>: Sendable {
    /// The method.
    public var method: HTTPMethod

    /// The path relative to the manager's base URL, or an absolute URL; see ``BaseURL/resolve(_:against:)``.
    public var path: String

    /// The parameters, or nil for none.
    public var parameters: Parameters?

    /// The header fields of this request, which replace those that the request serializer sets.
    public var headers = HTTPHeaders()

    /// The seconds without progress after which the request fails; nil uses the serializer's or the session's timeout.
    public var timeoutInterval: TimeInterval?

    /// The serializer that encodes the parameters; nil uses the manager's.
    public var requestSerializer: (any RequestSerializer)?

    /// A closure that adds parts to a multipart form, which becomes the body; nil for no form.
    ///
    /// The parameters are the first parts of the form. It runs on the thread that makes the request.
    public var multipartForm: MultipartForm?

    /// A body that is made while it is sent, in place of the parameters and of a form; nil, the default, for none.
    public var body: RequestBody?

    /// A closure that receives the progress of the request body; it is not called for a download.
    public var uploadProgress: ProgressHandler?

    /// A closure that receives the progress of the response body; it is not called for a stream, nor for a request with
    /// a multipart form or a ``body``.
    public var downloadProgress: ProgressHandler?

    /// The policy, interceptors and deadline of this request, in addition to the manager's.
    package var recovery = RequestRecovery()

    /// Returns the serializer of the response, given the manager's at the time when the task is made.
    let serializer: @Sendable (UntypedResponseSerializer) -> any ResponseSerializer<Value>

    /// Creates a request whose response a serializer decodes.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path relative to the manager's base URL, or an absolute URL.
    ///   - serializer: Validates and decodes the response.
    public init(_ method: HTTPMethod, _ path: String, serializer: some ResponseSerializer<Value>) {
        self.init(method, path) { _ in serializer }
    }

    private init(
        _ method: HTTPMethod,
        _ path: String,
        _ serializer: @escaping @Sendable (UntypedResponseSerializer) -> any ResponseSerializer<Value>
    ) {
        self.method = method
        self.path = path
        self.serializer = serializer
    }
}

extension Request where Value: Decodable {
    /// Creates a request for a value decoded from JSON.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path relative to the manager's base URL, or an absolute URL.
    ///   - type: The type of the value.
    public init(_ method: HTTPMethod, _ path: String, as type: Value.Type = Value.self) {
        self.init(method, path, serializer: .decodable(type))
    }
}

extension Request where Value == any Sendable {
    /// Creates a request whose response is decoded by the manager's ``SessionManager/responseSerializer``.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path relative to the manager's base URL, or an absolute URL.
    public init(_ method: HTTPMethod, _ path: String) {
        self.init(method, path) { $0 }
    }
}

extension Request: RedactedDescription {
    /// The method and the path or URL, without secrets.
    public var description: String { method.rawValue + " " + PresentableText.url(path) }
}
