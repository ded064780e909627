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
        parameters: Parameters? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        timeoutInterval: TimeInterval? = nil,
        progress: ProgressHandler? = nil,
        completionHandler: @escaping @Sendable (TaskResponse<any Sendable>) -> Void
    ) -> URLSessionDataTask? {
        get(
            path,
            parameters: parameters,
            headers: headers,
            timeoutInterval: timeoutInterval,
            serializer: untypedSerializer,
            progress: progress,
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
        parameters: Parameters? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        timeoutInterval: TimeInterval? = nil,
        completionHandler: @escaping @Sendable (TaskResponse<any Sendable>) -> Void
    ) -> URLSessionDataTask? {
        head(
            path,
            parameters: parameters,
            headers: headers,
            timeoutInterval: timeoutInterval,
            serializer: untypedSerializer,
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
        parameters: Parameters? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        timeoutInterval: TimeInterval? = nil,
        multipartForm: (@Sendable (inout MultipartFormData) throws -> Void)? = nil,
        progress: ProgressHandler? = nil,
        completionHandler: @escaping @Sendable (TaskResponse<any Sendable>) -> Void
    ) -> URLSessionDataTask? {
        post(
            path,
            parameters: parameters,
            headers: headers,
            timeoutInterval: timeoutInterval,
            multipartForm: multipartForm,
            serializer: untypedSerializer,
            progress: progress,
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
        parameters: Parameters? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        timeoutInterval: TimeInterval? = nil,
        multipartForm: (@Sendable (inout MultipartFormData) throws -> Void)? = nil,
        progress: ProgressHandler? = nil,
        completionHandler: @escaping @Sendable (TaskResponse<any Sendable>) -> Void
    ) -> URLSessionDataTask? {
        put(
            path,
            parameters: parameters,
            headers: headers,
            timeoutInterval: timeoutInterval,
            multipartForm: multipartForm,
            serializer: untypedSerializer,
            progress: progress,
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
        parameters: Parameters? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        timeoutInterval: TimeInterval? = nil,
        multipartForm: (@Sendable (inout MultipartFormData) throws -> Void)? = nil,
        progress: ProgressHandler? = nil,
        completionHandler: @escaping @Sendable (TaskResponse<any Sendable>) -> Void
    ) -> URLSessionDataTask? {
        patch(
            path,
            parameters: parameters,
            headers: headers,
            timeoutInterval: timeoutInterval,
            multipartForm: multipartForm,
            serializer: untypedSerializer,
            progress: progress,
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
        parameters: Parameters? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        timeoutInterval: TimeInterval? = nil,
        completionHandler: @escaping @Sendable (TaskResponse<any Sendable>) -> Void
    ) -> URLSessionDataTask? {
        delete(
            path,
            parameters: parameters,
            headers: headers,
            timeoutInterval: timeoutInterval,
            serializer: untypedSerializer,
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
        parameters: Parameters? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        timeoutInterval: TimeInterval? = nil,
        multipartForm: (@Sendable (inout MultipartFormData) throws -> Void)? = nil,
        progress: ProgressHandler? = nil,
        completionHandler: @escaping @Sendable (TaskResponse<any Sendable>) -> Void
    ) -> URLSessionDataTask? {
        request(
            method,
            path,
            parameters: parameters,
            headers: headers,
            timeoutInterval: timeoutInterval,
            multipartForm: multipartForm,
            serializer: untypedSerializer,
            progress: progress,
            completionHandler: completionHandler
        )
    }
}
