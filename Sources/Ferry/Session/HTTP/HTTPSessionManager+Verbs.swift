import FerrySession

extension HTTPSessionManager {
    /// Sends a GET request and calls a handler with everything it came to.
    ///
    /// - Parameters:
    ///   - path: The path below the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: Header fields, which replace what the serializer sets.
    ///   - timeoutInterval: The seconds without progress after which the request fails.
    ///   - progress: Receives the progress of the response's body.
    ///   - completionHandler: Receives what the request came to, once, on ``SessionManager/completionQueue``.
    /// - Returns: The running task; nil if there was no request to send.
    @discardableResult
    public func get(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        timeoutInterval: TimeInterval? = nil,
        progress: ProgressHandler? = nil,
        completionHandler: @escaping @Sendable (TaskResponse<any Sendable>) -> Void
    ) -> URLSessionDataTask? {
        send(
            Request(.get, path, parameters, headers, timeoutInterval, ownSerializer, download: progress),
            completionHandler: completionHandler
        )
    }

    /// Sends a HEAD request and calls a handler with everything it came to.
    ///
    /// - Parameters:
    ///   - path: The path below the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: Header fields, which replace what the serializer sets.
    ///   - timeoutInterval: The seconds without progress after which the request fails.
    ///   - completionHandler: Receives what the request came to, once, on ``SessionManager/completionQueue``.
    /// - Returns: The running task; nil if there was no request to send.
    @discardableResult
    public func head(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        timeoutInterval: TimeInterval? = nil,
        completionHandler: @escaping @Sendable (TaskResponse<any Sendable>) -> Void
    ) -> URLSessionDataTask? {
        send(
            Request(.head, path, parameters, headers, timeoutInterval, ownSerializer),
            completionHandler: completionHandler
        )
    }

    /// Sends a POST request and calls a handler with everything it came to.
    ///
    /// - Parameters:
    ///   - path: The path below the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: Header fields, which replace what the serializer sets.
    ///   - timeoutInterval: The seconds without progress after which the request fails.
    ///   - multipartForm: Adds parts after the parameters to a form, which is then the body.
    ///   - progress: Receives the progress of the request's body.
    ///   - completionHandler: Receives what the request came to, once, on ``SessionManager/completionQueue``.
    /// - Returns: The running task; nil if there was no request to send.
    @discardableResult
    public func post(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        timeoutInterval: TimeInterval? = nil,
        multipartForm: (@Sendable (inout MultipartFormData) throws -> Void)? = nil,
        progress: ProgressHandler? = nil,
        completionHandler: @escaping @Sendable (TaskResponse<any Sendable>) -> Void
    ) -> URLSessionDataTask? {
        send(
            Request(.post, path, parameters, headers, timeoutInterval, multipartForm, ownSerializer, upload: progress),
            completionHandler: completionHandler
        )
    }

    /// Sends a PUT request and calls a handler with everything it came to.
    ///
    /// - Parameters:
    ///   - path: The path below the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: Header fields, which replace what the serializer sets.
    ///   - timeoutInterval: The seconds without progress after which the request fails.
    ///   - multipartForm: Adds parts after the parameters to a form, which is then the body.
    ///   - progress: Receives the progress of the request's body.
    ///   - completionHandler: Receives what the request came to, once, on ``SessionManager/completionQueue``.
    /// - Returns: The running task; nil if there was no request to send.
    @discardableResult
    public func put(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        timeoutInterval: TimeInterval? = nil,
        multipartForm: (@Sendable (inout MultipartFormData) throws -> Void)? = nil,
        progress: ProgressHandler? = nil,
        completionHandler: @escaping @Sendable (TaskResponse<any Sendable>) -> Void
    ) -> URLSessionDataTask? {
        send(
            Request(.put, path, parameters, headers, timeoutInterval, multipartForm, ownSerializer, upload: progress),
            completionHandler: completionHandler
        )
    }

    /// Sends a PATCH request and calls a handler with everything it came to.
    ///
    /// - Parameters:
    ///   - path: The path below the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: Header fields, which replace what the serializer sets.
    ///   - timeoutInterval: The seconds without progress after which the request fails.
    ///   - multipartForm: Adds parts after the parameters to a form, which is then the body.
    ///   - progress: Receives the progress of the request's body.
    ///   - completionHandler: Receives what the request came to, once, on ``SessionManager/completionQueue``.
    /// - Returns: The running task; nil if there was no request to send.
    @discardableResult
    public func patch(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        timeoutInterval: TimeInterval? = nil,
        multipartForm: (@Sendable (inout MultipartFormData) throws -> Void)? = nil,
        progress: ProgressHandler? = nil,
        completionHandler: @escaping @Sendable (TaskResponse<any Sendable>) -> Void
    ) -> URLSessionDataTask? {
        send(
            Request(.patch, path, parameters, headers, timeoutInterval, multipartForm, ownSerializer, upload: progress),
            completionHandler: completionHandler
        )
    }

    /// Sends a DELETE request and calls a handler with everything it came to.
    ///
    /// - Parameters:
    ///   - path: The path below the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: Header fields, which replace what the serializer sets.
    ///   - timeoutInterval: The seconds without progress after which the request fails.
    ///   - completionHandler: Receives what the request came to, once, on ``SessionManager/completionQueue``.
    /// - Returns: The running task; nil if there was no request to send.
    @discardableResult
    public func delete(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        timeoutInterval: TimeInterval? = nil,
        completionHandler: @escaping @Sendable (TaskResponse<any Sendable>) -> Void
    ) -> URLSessionDataTask? {
        send(
            Request(.delete, path, parameters, headers, timeoutInterval, ownSerializer),
            completionHandler: completionHandler
        )
    }

    /// Sends a request with any method and calls a handler with everything it came to.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path below the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: Header fields, which replace what the serializer sets.
    ///   - timeoutInterval: The seconds without progress after which the request fails.
    ///   - multipartForm: Adds parts after the parameters to a form, which is then the body.
    ///   - progress: Receives the progress of the request's body.
    ///   - completionHandler: Receives what the request came to, once, on ``SessionManager/completionQueue``.
    /// - Returns: The running task; nil if there was no request to send.
    @discardableResult
    public func request(
        _ method: HTTPMethod,
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        timeoutInterval: TimeInterval? = nil,
        multipartForm: (@Sendable (inout MultipartFormData) throws -> Void)? = nil,
        progress: ProgressHandler? = nil,
        completionHandler: @escaping @Sendable (TaskResponse<any Sendable>) -> Void
    ) -> URLSessionDataTask? {
        send(
            Request(method, path, parameters, headers, timeoutInterval, multipartForm, ownSerializer, upload: progress),
            completionHandler: completionHandler
        )
    }
}
