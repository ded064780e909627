import Foundation

/// A request to an HTTP service as a value: what to send, and how to decode the response.
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

    /// The path relative to the manager's base URL, or an absolute URL; see ``BaseURL/resolve(_:against:)``.
    public var path: String

    /// The parameters, or nil for none.
    public var parameters: Parameters?

    /// The header fields of this request, which replace those the serializer sets.
    public var headers: HTTPHeaders

    /// The seconds without progress after which the request fails; nil uses the serializer's or the session's timeout.
    public var timeoutInterval: TimeInterval?

    /// The serializer that encodes the parameters; nil uses the manager's.
    public var requestSerializer: (any RequestSerializer)?

    /// A closure that adds parts to a multipart form, which becomes the body; nil for no form.
    ///
    /// The parameters are the first parts of the form. It runs on the thread that makes the request.
    public var multipartForm: (@Sendable (inout MultipartFormData) throws -> Void)?

    /// The serializer that validates and decodes the response.
    public var responseSerializer: any ResponseSerializer<Value>

    /// A closure that receives the progress of the request body.
    public var uploadProgress: ProgressHandler?

    /// A closure that receives the progress of the response body.
    public var downloadProgress: ProgressHandler?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - path: The path relative to the manager's base URL, or an absolute URL.
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
    /// Creates a request for a value decoded from JSON.
    ///
    /// - Parameters:
    ///   - path: The path relative to the manager's base URL, or an absolute URL.
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
