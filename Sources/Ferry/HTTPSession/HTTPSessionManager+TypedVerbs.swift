import Foundation

extension HTTPSessionManager {
    /// Sends a GET request and calls the handler with the response.
    ///
    /// - Parameters:
    ///   - path: The path relative to the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: Header fields, which replace what the serializer sets.
    ///   - timeoutInterval: The seconds without progress after which the request fails.
    ///   - serializer: Validates and decodes the response.
    ///   - progress: Receives the progress of the response body.
    ///   - completionHandler: Called once with the response, on ``SessionManager/completionQueue``.
    /// - Returns: The running task; nil if the request could not be made, and the handler receives the error.
    @discardableResult
    public func get<Serializer: ResponseSerializer>(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        timeoutInterval: TimeInterval? = nil,
        serializer: Serializer,
        progress: ProgressHandler? = nil,
        completionHandler: @escaping @Sendable (TaskResponse<Serializer.Output>) -> Void
    ) -> URLSessionDataTask? {
        send(
            Request(.get, path, parameters, headers, timeoutInterval, serializer, download: progress),
            completionHandler: completionHandler
        )
    }

    /// Sends a HEAD request and calls the handler with the response.
    ///
    /// - Parameters:
    ///   - path: The path relative to the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: Header fields, which replace what the serializer sets.
    ///   - timeoutInterval: The seconds without progress after which the request fails.
    ///   - serializer: Validates and decodes the response.
    ///   - completionHandler: Called once with the response, on ``SessionManager/completionQueue``.
    /// - Returns: The running task; nil if the request could not be made, and the handler receives the error.
    @discardableResult
    public func head<Serializer: ResponseSerializer>(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        timeoutInterval: TimeInterval? = nil,
        serializer: Serializer,
        completionHandler: @escaping @Sendable (TaskResponse<Serializer.Output>) -> Void
    ) -> URLSessionDataTask? {
        send(
            Request(.head, path, parameters, headers, timeoutInterval, serializer),
            completionHandler: completionHandler
        )
    }

    /// Sends a POST request and calls the handler with the response.
    ///
    /// - Parameters:
    ///   - path: The path relative to the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: Header fields, which replace what the serializer sets.
    ///   - timeoutInterval: The seconds without progress after which the request fails.
    ///   - multipartForm: Adds parts to a form that becomes the body; the parameters are its first parts.
    ///   - serializer: Validates and decodes the response.
    ///   - progress: Receives the progress of the request body.
    ///   - completionHandler: Called once with the response, on ``SessionManager/completionQueue``.
    /// - Returns: The running task; nil if the request could not be made, and the handler receives the error.
    @discardableResult
    public func post<Serializer: ResponseSerializer>(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        timeoutInterval: TimeInterval? = nil,
        multipartForm: (@Sendable (inout MultipartFormData) throws -> Void)? = nil,
        serializer: Serializer,
        progress: ProgressHandler? = nil,
        completionHandler: @escaping @Sendable (TaskResponse<Serializer.Output>) -> Void
    ) -> URLSessionDataTask? {
        send(
            Request(.post, path, parameters, headers, timeoutInterval, multipartForm, serializer, upload: progress),
            completionHandler: completionHandler
        )
    }

    /// Sends a PUT request and calls the handler with the response.
    ///
    /// - Parameters:
    ///   - path: The path relative to the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: Header fields, which replace what the serializer sets.
    ///   - timeoutInterval: The seconds without progress after which the request fails.
    ///   - multipartForm: Adds parts to a form that becomes the body; the parameters are its first parts.
    ///   - serializer: Validates and decodes the response.
    ///   - progress: Receives the progress of the request body.
    ///   - completionHandler: Called once with the response, on ``SessionManager/completionQueue``.
    /// - Returns: The running task; nil if the request could not be made, and the handler receives the error.
    @discardableResult
    public func put<Serializer: ResponseSerializer>(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        timeoutInterval: TimeInterval? = nil,
        multipartForm: (@Sendable (inout MultipartFormData) throws -> Void)? = nil,
        serializer: Serializer,
        progress: ProgressHandler? = nil,
        completionHandler: @escaping @Sendable (TaskResponse<Serializer.Output>) -> Void
    ) -> URLSessionDataTask? {
        send(
            Request(.put, path, parameters, headers, timeoutInterval, multipartForm, serializer, upload: progress),
            completionHandler: completionHandler
        )
    }

    /// Sends a PATCH request and calls the handler with the response.
    ///
    /// - Parameters:
    ///   - path: The path relative to the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: Header fields, which replace what the serializer sets.
    ///   - timeoutInterval: The seconds without progress after which the request fails.
    ///   - multipartForm: Adds parts to a form that becomes the body; the parameters are its first parts.
    ///   - serializer: Validates and decodes the response.
    ///   - progress: Receives the progress of the request body.
    ///   - completionHandler: Called once with the response, on ``SessionManager/completionQueue``.
    /// - Returns: The running task; nil if the request could not be made, and the handler receives the error.
    @discardableResult
    public func patch<Serializer: ResponseSerializer>(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        timeoutInterval: TimeInterval? = nil,
        multipartForm: (@Sendable (inout MultipartFormData) throws -> Void)? = nil,
        serializer: Serializer,
        progress: ProgressHandler? = nil,
        completionHandler: @escaping @Sendable (TaskResponse<Serializer.Output>) -> Void
    ) -> URLSessionDataTask? {
        send(
            Request(.patch, path, parameters, headers, timeoutInterval, multipartForm, serializer, upload: progress),
            completionHandler: completionHandler
        )
    }

    /// Sends a DELETE request and calls the handler with the response.
    ///
    /// - Parameters:
    ///   - path: The path relative to the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: Header fields, which replace what the serializer sets.
    ///   - timeoutInterval: The seconds without progress after which the request fails.
    ///   - serializer: Validates and decodes the response.
    ///   - completionHandler: Called once with the response, on ``SessionManager/completionQueue``.
    /// - Returns: The running task; nil if the request could not be made, and the handler receives the error.
    @discardableResult
    public func delete<Serializer: ResponseSerializer>(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        timeoutInterval: TimeInterval? = nil,
        serializer: Serializer,
        completionHandler: @escaping @Sendable (TaskResponse<Serializer.Output>) -> Void
    ) -> URLSessionDataTask? {
        send(
            Request(.delete, path, parameters, headers, timeoutInterval, serializer),
            completionHandler: completionHandler
        )
    }

    /// Sends a request with any method and calls the handler with the response.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path relative to the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: Header fields, which replace what the serializer sets.
    ///   - timeoutInterval: The seconds without progress after which the request fails.
    ///   - multipartForm: Adds parts to a form that becomes the body; the parameters are its first parts.
    ///   - serializer: Validates and decodes the response.
    ///   - progress: Receives the progress of the request body.
    ///   - completionHandler: Called once with the response, on ``SessionManager/completionQueue``.
    /// - Returns: The running task; nil if the request could not be made, and the handler receives the error.
    @discardableResult
    public func request<Serializer: ResponseSerializer>(
        _ method: HTTPMethod,
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        timeoutInterval: TimeInterval? = nil,
        multipartForm: (@Sendable (inout MultipartFormData) throws -> Void)? = nil,
        serializer: Serializer,
        progress: ProgressHandler? = nil,
        completionHandler: @escaping @Sendable (TaskResponse<Serializer.Output>) -> Void
    ) -> URLSessionDataTask? {
        send(
            Request(method, path, parameters, headers, timeoutInterval, multipartForm, serializer, upload: progress),
            completionHandler: completionHandler
        )
    }
}
