import Foundation

extension HTTPSessionManager {
    /// Sends a GET request and returns the decoded value.
    ///
    /// Cancelling the Swift task cancels the transfer.
    ///
    /// - Parameters:
    ///   - path: The path relative to the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: Header fields, which replace what the serializer sets.
    ///   - timeoutInterval: The seconds without progress after which the request fails.
    ///   - serializer: Validates and decodes the response; by default it returns the body.
    /// - Returns: The value.
    /// - Throws: The response's error, or ``NetworkError/Code/noValue`` if there is neither an error nor a value.
    @discardableResult
    public func get<Serializer: ResponseSerializer>(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        timeoutInterval: TimeInterval? = nil,
        serializer: Serializer = HTTPDataResponseSerializer()
    ) async throws(NetworkError) -> Serializer.Output {
        try await send(Request(.get, path, parameters, headers, timeoutInterval, serializer))
    }

    /// Sends a POST request and returns the decoded value.
    ///
    /// Cancelling the Swift task cancels the transfer.
    ///
    /// - Parameters:
    ///   - path: The path relative to the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: Header fields, which replace what the serializer sets.
    ///   - timeoutInterval: The seconds without progress after which the request fails.
    ///   - serializer: Validates and decodes the response; by default it returns the body.
    /// - Returns: The value.
    /// - Throws: The response's error, or ``NetworkError/Code/noValue`` if there is neither an error nor a value.
    @discardableResult
    public func post<Serializer: ResponseSerializer>(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        timeoutInterval: TimeInterval? = nil,
        serializer: Serializer = HTTPDataResponseSerializer()
    ) async throws(NetworkError) -> Serializer.Output {
        try await send(Request(.post, path, parameters, headers, timeoutInterval, serializer))
    }

    /// Sends a PUT request and returns the decoded value.
    ///
    /// Cancelling the Swift task cancels the transfer.
    ///
    /// - Parameters:
    ///   - path: The path relative to the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: Header fields, which replace what the serializer sets.
    ///   - timeoutInterval: The seconds without progress after which the request fails.
    ///   - serializer: Validates and decodes the response; by default it returns the body.
    /// - Returns: The value.
    /// - Throws: The response's error, or ``NetworkError/Code/noValue`` if there is neither an error nor a value.
    @discardableResult
    public func put<Serializer: ResponseSerializer>(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        timeoutInterval: TimeInterval? = nil,
        serializer: Serializer = HTTPDataResponseSerializer()
    ) async throws(NetworkError) -> Serializer.Output {
        try await send(Request(.put, path, parameters, headers, timeoutInterval, serializer))
    }

    /// Sends a PATCH request and returns the decoded value.
    ///
    /// Cancelling the Swift task cancels the transfer.
    ///
    /// - Parameters:
    ///   - path: The path relative to the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: Header fields, which replace what the serializer sets.
    ///   - timeoutInterval: The seconds without progress after which the request fails.
    ///   - serializer: Validates and decodes the response; by default it returns the body.
    /// - Returns: The value.
    /// - Throws: The response's error, or ``NetworkError/Code/noValue`` if there is neither an error nor a value.
    @discardableResult
    public func patch<Serializer: ResponseSerializer>(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        timeoutInterval: TimeInterval? = nil,
        serializer: Serializer = HTTPDataResponseSerializer()
    ) async throws(NetworkError) -> Serializer.Output {
        try await send(Request(.patch, path, parameters, headers, timeoutInterval, serializer))
    }

    /// Sends a DELETE request and returns the decoded value.
    ///
    /// Cancelling the Swift task cancels the transfer.
    ///
    /// - Parameters:
    ///   - path: The path relative to the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: Header fields, which replace what the serializer sets.
    ///   - timeoutInterval: The seconds without progress after which the request fails.
    ///   - serializer: Validates and decodes the response; by default it returns the body.
    /// - Returns: The value.
    /// - Throws: The response's error, or ``NetworkError/Code/noValue`` if there is neither an error nor a value.
    @discardableResult
    public func delete<Serializer: ResponseSerializer>(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        timeoutInterval: TimeInterval? = nil,
        serializer: Serializer = HTTPDataResponseSerializer()
    ) async throws(NetworkError) -> Serializer.Output {
        try await send(Request(.delete, path, parameters, headers, timeoutInterval, serializer))
    }

    /// Sends a request with any method and returns the decoded value.
    ///
    /// Cancelling the Swift task cancels the transfer.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path relative to the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: Header fields, which replace what the serializer sets.
    ///   - timeoutInterval: The seconds without progress after which the request fails.
    ///   - serializer: Validates and decodes the response; by default it returns the body.
    /// - Returns: The value.
    /// - Throws: The response's error, or ``NetworkError/Code/noValue`` if there is neither an error nor a value.
    @discardableResult
    public func request<Serializer: ResponseSerializer>(
        _ method: HTTPMethod,
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        timeoutInterval: TimeInterval? = nil,
        serializer: Serializer = HTTPDataResponseSerializer()
    ) async throws(NetworkError) -> Serializer.Output {
        try await send(Request(method, path, parameters, headers, timeoutInterval, serializer))
    }

    /// Sends a HEAD request and returns the response head.
    ///
    /// Cancelling the Swift task cancels the transfer.
    ///
    /// - Parameters:
    ///   - path: The path relative to the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: Header fields, which replace what the serializer sets.
    ///   - timeoutInterval: The seconds without progress after which the request fails.
    /// - Returns: The response; nil if it is not an HTTP response.
    /// - Throws: The response's error.
    @discardableResult
    public func head(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        timeoutInterval: TimeInterval? = nil
    ) async throws(NetworkError) -> HTTPURLResponse? {
        let request = Request(.head, path, parameters, headers, timeoutInterval, HTTPDataResponseSerializer())
        let response = await response(for: request)
        if let error = response.error { throw error }
        return response.httpResponse
    }

    /// Sends a GET request and returns the body of the response.
    ///
    /// Cancelling the Swift task cancels the transfer.
    ///
    /// - Parameters:
    ///   - path: The path relative to the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: Header fields, which replace what the serializer sets.
    ///   - timeoutInterval: The seconds without progress after which the request fails.
    /// - Returns: The body.
    /// - Throws: The response's error.
    public func getData(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        timeoutInterval: TimeInterval? = nil
    ) async throws(NetworkError) -> Data {
        try await get(path, parameters: parameters, headers: headers, timeoutInterval: timeoutInterval)
    }
}
