import Foundation

extension HTTPSessionManager {
    /// Sends a GET request and returns the value decoded from the JSON response.
    ///
    /// Cancelling the Swift task cancels the transfer.
    ///
    /// - Parameters:
    ///   - path: The path relative to the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: Header fields, which replace what the serializer sets.
    ///   - timeoutInterval: The seconds without progress after which the request fails.
    ///   - type: The type of the value.
    /// - Returns: The value.
    /// - Throws: The response's error, or ``NetworkError/Code/noValue`` if there is neither an error nor a value.
    public func get<Value: Decodable & Sendable>(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        timeoutInterval: TimeInterval? = nil,
        as type: Value.Type
    ) async throws(NetworkError) -> Value {
        try await send(Request(.get, path, parameters, headers, timeoutInterval, .decodable(type)))
    }

    /// Sends a POST request and returns the value decoded from the JSON response.
    ///
    /// Cancelling the Swift task cancels the transfer.
    ///
    /// - Parameters:
    ///   - path: The path relative to the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: Header fields, which replace what the serializer sets.
    ///   - timeoutInterval: The seconds without progress after which the request fails.
    ///   - type: The type of the value.
    /// - Returns: The value.
    /// - Throws: The response's error, or ``NetworkError/Code/noValue`` if there is neither an error nor a value.
    public func post<Value: Decodable & Sendable>(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        timeoutInterval: TimeInterval? = nil,
        as type: Value.Type
    ) async throws(NetworkError) -> Value {
        try await send(Request(.post, path, parameters, headers, timeoutInterval, .decodable(type)))
    }

    /// Sends a PUT request and returns the value decoded from the JSON response.
    ///
    /// Cancelling the Swift task cancels the transfer.
    ///
    /// - Parameters:
    ///   - path: The path relative to the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: Header fields, which replace what the serializer sets.
    ///   - timeoutInterval: The seconds without progress after which the request fails.
    ///   - type: The type of the value.
    /// - Returns: The value.
    /// - Throws: The response's error, or ``NetworkError/Code/noValue`` if there is neither an error nor a value.
    public func put<Value: Decodable & Sendable>(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        timeoutInterval: TimeInterval? = nil,
        as type: Value.Type
    ) async throws(NetworkError) -> Value {
        try await send(Request(.put, path, parameters, headers, timeoutInterval, .decodable(type)))
    }

    /// Sends a PATCH request and returns the value decoded from the JSON response.
    ///
    /// Cancelling the Swift task cancels the transfer.
    ///
    /// - Parameters:
    ///   - path: The path relative to the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: Header fields, which replace what the serializer sets.
    ///   - timeoutInterval: The seconds without progress after which the request fails.
    ///   - type: The type of the value.
    /// - Returns: The value.
    /// - Throws: The response's error, or ``NetworkError/Code/noValue`` if there is neither an error nor a value.
    public func patch<Value: Decodable & Sendable>(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        timeoutInterval: TimeInterval? = nil,
        as type: Value.Type
    ) async throws(NetworkError) -> Value {
        try await send(Request(.patch, path, parameters, headers, timeoutInterval, .decodable(type)))
    }

    /// Sends a DELETE request and returns the value decoded from the JSON response.
    ///
    /// Cancelling the Swift task cancels the transfer.
    ///
    /// - Parameters:
    ///   - path: The path relative to the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: Header fields, which replace what the serializer sets.
    ///   - timeoutInterval: The seconds without progress after which the request fails.
    ///   - type: The type of the value.
    /// - Returns: The value.
    /// - Throws: The response's error, or ``NetworkError/Code/noValue`` if there is neither an error nor a value.
    public func delete<Value: Decodable & Sendable>(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        timeoutInterval: TimeInterval? = nil,
        as type: Value.Type
    ) async throws(NetworkError) -> Value {
        try await send(Request(.delete, path, parameters, headers, timeoutInterval, .decodable(type)))
    }

    /// Sends a request with any method and returns the value decoded from the JSON response.
    ///
    /// Cancelling the Swift task cancels the transfer.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path relative to the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: Header fields, which replace what the serializer sets.
    ///   - timeoutInterval: The seconds without progress after which the request fails.
    ///   - type: The type of the value.
    /// - Returns: The value.
    /// - Throws: The response's error, or ``NetworkError/Code/noValue`` if there is neither an error nor a value.
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
