import FerrySession

extension HTTPSessionManager {
    /// Sends a GET request and gives the JSON value of its response; cancelling the Swift task cancels the transfer.
    ///
    /// - Parameters:
    ///   - path: The path below the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: Header fields, which replace what the serializer sets.
    ///   - timeoutInterval: The seconds without progress after which the request fails.
    ///   - type: The type of the value.
    /// - Returns: The value.
    /// - Throws: The response's error, or one with ``NetworkError/Code/noValue`` if there is neither.
    public func get<Value: Decodable & Sendable>(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        timeoutInterval: TimeInterval? = nil,
        as type: Value.Type
    ) async throws(NetworkError) -> Value {
        try await send(Request(.get, path, parameters, headers, timeoutInterval, .decodable(type)))
    }

    /// Sends a POST request and gives the JSON value of its response; cancelling the Swift task cancels the transfer.
    ///
    /// - Parameters:
    ///   - path: The path below the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: Header fields, which replace what the serializer sets.
    ///   - timeoutInterval: The seconds without progress after which the request fails.
    ///   - type: The type of the value.
    /// - Returns: The value.
    /// - Throws: The response's error, or one with ``NetworkError/Code/noValue`` if there is neither.
    public func post<Value: Decodable & Sendable>(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        timeoutInterval: TimeInterval? = nil,
        as type: Value.Type
    ) async throws(NetworkError) -> Value {
        try await send(Request(.post, path, parameters, headers, timeoutInterval, .decodable(type)))
    }

    /// Sends a PUT request and gives the JSON value of its response; cancelling the Swift task cancels the transfer.
    ///
    /// - Parameters:
    ///   - path: The path below the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: Header fields, which replace what the serializer sets.
    ///   - timeoutInterval: The seconds without progress after which the request fails.
    ///   - type: The type of the value.
    /// - Returns: The value.
    /// - Throws: The response's error, or one with ``NetworkError/Code/noValue`` if there is neither.
    public func put<Value: Decodable & Sendable>(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        timeoutInterval: TimeInterval? = nil,
        as type: Value.Type
    ) async throws(NetworkError) -> Value {
        try await send(Request(.put, path, parameters, headers, timeoutInterval, .decodable(type)))
    }

    /// Sends a PATCH request and gives the JSON value of its response; cancelling the Swift task cancels the transfer.
    ///
    /// - Parameters:
    ///   - path: The path below the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: Header fields, which replace what the serializer sets.
    ///   - timeoutInterval: The seconds without progress after which the request fails.
    ///   - type: The type of the value.
    /// - Returns: The value.
    /// - Throws: The response's error, or one with ``NetworkError/Code/noValue`` if there is neither.
    public func patch<Value: Decodable & Sendable>(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        timeoutInterval: TimeInterval? = nil,
        as type: Value.Type
    ) async throws(NetworkError) -> Value {
        try await send(Request(.patch, path, parameters, headers, timeoutInterval, .decodable(type)))
    }

    /// Sends a DELETE request and gives the JSON value of its response; cancelling the Swift task cancels the transfer.
    ///
    /// - Parameters:
    ///   - path: The path below the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: Header fields, which replace what the serializer sets.
    ///   - timeoutInterval: The seconds without progress after which the request fails.
    ///   - type: The type of the value.
    /// - Returns: The value.
    /// - Throws: The response's error, or one with ``NetworkError/Code/noValue`` if there is neither.
    public func delete<Value: Decodable & Sendable>(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        timeoutInterval: TimeInterval? = nil,
        as type: Value.Type
    ) async throws(NetworkError) -> Value {
        try await send(Request(.delete, path, parameters, headers, timeoutInterval, .decodable(type)))
    }

    /// Sends a request with any method and gives the JSON value of its response; cancelling the Swift task cancels the transfer.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path below the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: Header fields, which replace what the serializer sets.
    ///   - timeoutInterval: The seconds without progress after which the request fails.
    ///   - type: The type of the value.
    /// - Returns: The value.
    /// - Throws: The response's error, or one with ``NetworkError/Code/noValue`` if there is neither.
    public func request<Value: Decodable & Sendable>(
        _ method: HTTPMethod,
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        timeoutInterval: TimeInterval? = nil,
        as type: Value.Type
    ) async throws(NetworkError) -> Value {
        try await send(Request(method, path, parameters, headers, timeoutInterval, .decodable(type)))
    }
}
