import FerrySession

/// A request to an HTTP service as a value: what to ask for and how to read the answer.
///
/// ```swift
/// extension Request<User> {
///     static func user(_ id: Int) -> Request { Request("users/\(id)", serializer: .decodable(User.self)) }
/// }
///
/// let user = try await manager.send(.user(1))
/// ```
public struct Request<Value: Sendable>: Sendable {
    /// The method.
    public var method: HTTPMethod

    /// The path below the manager's base URL, or an absolute URL; see ``BaseURL/resolve(_:against:)``.
    public var path: String

    /// The parameters, or nil for none.
    public var parameters: Parameters?

    /// The header fields of this request; they replace what the serializer sets.
    public var headers: HTTPHeaders

    /// The seconds without progress after which the request fails; nil leaves it to serializer and session.
    public var timeoutInterval: TimeInterval?

    /// Encodes the parameters; nil stands for the manager's.
    public var requestSerializer: (any RequestSerializer)?

    /// Adds parts after the parameters to a multipart form, which is then the body; nil for no form.
    public var multipartForm: (@Sendable (inout MultipartFormData) throws -> Void)?

    /// Validates and decodes the response.
    public var responseSerializer: any ResponseSerializer<Value>

    /// Receives the progress of the request's body.
    public var uploadProgress: ProgressHandler?

    /// Receives the progress of the response's body.
    public var downloadProgress: ProgressHandler?

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - path: The path below the manager's base URL, or an absolute URL.
    ///   - method: The method.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: The header fields of this request.
    ///   - timeoutInterval: The seconds without progress after which the request fails.
    ///   - serializer: Validates and decodes the response.
    public init(
        _ path: String,
        method: HTTPMethod = .get,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        timeoutInterval: TimeInterval? = nil,
        serializer: some ResponseSerializer<Value>
    ) {
        self.path = path
        self.method = method
        self.parameters = parameters?.makeParameters()
        self.headers = headers
        self.timeoutInterval = timeoutInterval
        responseSerializer = serializer
    }
}

extension Request where Value: Decodable {
    /// Makes a request for a JSON value.
    ///
    /// - Parameters:
    ///   - path: The path below the manager's base URL, or an absolute URL.
    ///   - method: The method.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: The header fields of this request.
    ///   - timeoutInterval: The seconds without progress after which the request fails.
    ///   - type: The type of the value.
    public init(
        _ path: String,
        method: HTTPMethod = .get,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        timeoutInterval: TimeInterval? = nil,
        as type: Value.Type = Value.self
    ) {
        self.init(
            path,
            method: method,
            parameters: parameters,
            headers: headers,
            timeoutInterval: timeoutInterval,
            serializer: DecodableResponseSerializer(type)
        )
    }
}
