// These verbs have no closure for the progress: without a label, it would look like a completion handler.
extension HTTPSessionManager {
    /// Sends a GET request and returns the value decoded from the JSON response.
    ///
    /// Cancelling the Swift task cancels the transfer. The parameters of the other verbs are the same. For other
    /// options, such as a closure that receives the progress, send a ``Request``.
    ///
    /// - Parameters:
    ///   - path: The path relative to the base URL, or an absolute URL.
    ///   - parameters: The parameters: a dictionary, an array, or `.encoding(value)` with a value of an `Encodable`
    ///     type; see ``ParametersConvertible``.
    ///   - headers: Header fields, which replace those that the request serializer sets.
    ///   - type: The type of the value.
    /// - Returns: The value.
    /// - Throws: The response's error, or ``NetworkError/Code/noValue`` if there is neither an error nor a value.
    public func get<Value: Decodable & Sendable>(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = [:],
        as type: Value.Type = Value.self
    ) async throws(NetworkError) -> Value {
        try await send(Request(.get, path, as: type).with(parameters, headers))
    }

    /// Sends a GET request and returns the value of the manager's serializer; nil if there is none, as for a 204.
    @discardableResult
    public func get(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = [:]
    ) async throws(NetworkError) -> (any Sendable)? {
        try await value(of: Request(.get, path).with(parameters, headers))
    }

    /// Sends a HEAD request and returns the head of the response.
    @discardableResult
    public func head(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = [:]
    ) async throws(NetworkError) -> HTTPURLResponse {
        let response = await response(for: Request(.head, path).with(parameters, headers))
        if let error = response.error { throw error }
        guard let head = response.httpResponse else { throw response.noValue }
        return head
    }

    /// Sends a POST request and returns the value decoded from the JSON response.
    public func post<Value: Decodable & Sendable>(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = [:],
        as type: Value.Type = Value.self
    ) async throws(NetworkError) -> Value {
        try await send(Request(.post, path, as: type).with(parameters, headers))
    }

    /// Sends a POST request and returns the value of the manager's serializer; nil if there is none, as for a 204.
    @discardableResult
    public func post(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = [:]
    ) async throws(NetworkError) -> (any Sendable)? {
        try await value(of: Request(.post, path).with(parameters, headers))
    }

    /// Sends a PUT request and returns the value decoded from the JSON response.
    public func put<Value: Decodable & Sendable>(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = [:],
        as type: Value.Type = Value.self
    ) async throws(NetworkError) -> Value {
        try await send(Request(.put, path, as: type).with(parameters, headers))
    }

    /// Sends a PUT request and returns the value of the manager's serializer; nil if there is none, as for a 204.
    @discardableResult
    public func put(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = [:]
    ) async throws(NetworkError) -> (any Sendable)? {
        try await value(of: Request(.put, path).with(parameters, headers))
    }

    /// Sends a PATCH request and returns the value decoded from the JSON response.
    public func patch<Value: Decodable & Sendable>(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = [:],
        as type: Value.Type = Value.self
    ) async throws(NetworkError) -> Value {
        try await send(Request(.patch, path, as: type).with(parameters, headers))
    }

    /// Sends a PATCH request and returns the value of the manager's serializer; nil if there is none, as for a 204.
    @discardableResult
    public func patch(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = [:]
    ) async throws(NetworkError) -> (any Sendable)? {
        try await value(of: Request(.patch, path).with(parameters, headers))
    }

    /// Sends a DELETE request and returns the value decoded from the JSON response.
    public func delete<Value: Decodable & Sendable>(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = [:],
        as type: Value.Type = Value.self
    ) async throws(NetworkError) -> Value {
        try await send(Request(.delete, path, as: type).with(parameters, headers))
    }

    /// Sends a DELETE request and returns the value of the manager's serializer; nil if there is none, as for a 204.
    @discardableResult
    public func delete(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = [:]
    ) async throws(NetworkError) -> (any Sendable)? {
        try await value(of: Request(.delete, path).with(parameters, headers))
    }

    /// Uploads a multipart form and returns the value decoded from the JSON response.
    ///
    /// Cancelling the Swift task cancels the transfer.
    ///
    /// - Parameters:
    ///   - path: The path relative to the base URL, or an absolute URL.
    ///   - method: The method.
    ///   - parameters: The parameters, which become the first parts of the form.
    ///   - headers: Header fields, which replace those that the request serializer sets.
    ///   - progress: Receives the progress of the form, on the ``SessionManager/progressQueue`` or, by default, on the
    ///     ``SessionManager/operationQueue``.
    ///   - type: The type of the value.
    ///   - multipartForm: Adds the other parts.
    /// - Returns: The value.
    /// - Throws: The response's error, or ``NetworkError/Code/noValue`` if there is neither an error nor a value.
    public func upload<Value: Decodable & Sendable>(
        _ path: String,
        method: HTTPMethod = .post,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = [:],
        progress: ProgressHandler? = nil,
        as type: Value.Type = Value.self,
        multipartForm: @escaping MultipartForm
    ) async throws(NetworkError) -> Value {
        try await send(Request(method, path, as: type).with(parameters, headers, form: multipartForm, progress))
    }

    /// Uploads a multipart form and returns the value of the manager's serializer; nil if there is none, as for a 204.
    @discardableResult
    public func upload(
        _ path: String,
        method: HTTPMethod = .post,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = [:],
        progress: ProgressHandler? = nil,
        multipartForm: @escaping MultipartForm
    ) async throws(NetworkError) -> (any Sendable)? {
        try await value(of: Request(method, path).with(parameters, headers, form: multipartForm, progress))
    }

    private func value(of request: Request<any Sendable>) async throws(NetworkError) -> (any Sendable)? {
        let response = await response(for: request)
        if let error = response.error { throw error }
        return response.value
    }
}
