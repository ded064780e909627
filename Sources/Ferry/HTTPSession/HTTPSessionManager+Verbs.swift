extension HTTPSessionManager {
    /// Sends a GET request and calls the handler with the response.
    ///
    /// The manager's ``SessionManager/responseSerializer`` decodes the response. The parameters of the other verbs are
    /// the same, except that only this one and POST have a closure for the progress. For other options, send a
    /// ``Request``.
    ///
    /// AFNetworking: `GET:parameters:headers:progress:success:failure:`.
    ///
    /// - Parameters:
    ///   - path: The path relative to the base URL, or an absolute URL.
    ///   - parameters: The parameters: a dictionary, an array, or `.encoding(value)` with a value of an `Encodable`
    ///     type; see ``ParametersConvertible``.
    ///   - headers: Header fields, which replace those that the request serializer sets.
    ///   - progress: Receives the progress of the response body, on the ``SessionManager/progressQueue`` or, by
    ///     default, on the ``SessionManager/operationQueue``.
    ///   - completionHandler: Called once with the response, on ``SessionManager/completionQueue``.
    /// - Returns: The running task; nil if the request could not be made, and the handler receives the error.
    @discardableResult
    public func get(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = [:],
        progress: ProgressHandler? = nil,
        completionHandler: @escaping @Sendable (TaskResponse<any Sendable>) -> Void
    ) -> URLSessionDataTask? {
        let request = Request(.get, path).with(parameters, headers, downloadProgress: progress)
        return send(request, completionHandler: completionHandler)
    }

    /// Sends a HEAD request and calls the handler with the response.
    @discardableResult
    public func head(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = [:],
        completionHandler: @escaping @Sendable (TaskResponse<any Sendable>) -> Void
    ) -> URLSessionDataTask? {
        send(Request(.head, path).with(parameters, headers), completionHandler: completionHandler)
    }

    /// Sends a POST request and calls the handler with the response.
    ///
    /// AFNetworking: `POST:parameters:headers:progress:success:failure:`, and
    /// `POST:parameters:headers:constructingBodyWithBlock:progress:success:failure:`.
    ///
    /// - Parameters:
    ///   - path: The path relative to the base URL, or an absolute URL.
    ///   - parameters: The parameters; with a form, its first parts.
    ///   - headers: Header fields, which replace those that the request serializer sets.
    ///   - multipartForm: Adds parts to a multipart form, on the thread that calls this method; nil for no form.
    ///   - progress: Receives the progress of the request body, on the ``SessionManager/progressQueue`` or, by default,
    ///     on the ``SessionManager/operationQueue``.
    ///   - completionHandler: Called once with the response, on ``SessionManager/completionQueue``.
    /// - Returns: The running task; nil if the request could not be made, and the handler receives the error.
    @discardableResult
    public func post(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = [:],
        constructingBodyWith multipartForm: MultipartForm? = nil,
        progress: ProgressHandler? = nil,
        completionHandler: @escaping @Sendable (TaskResponse<any Sendable>) -> Void
    ) -> URLSessionDataTask? {
        let request = Request(.post, path).with(parameters, headers, form: multipartForm, progress)
        return send(request, completionHandler: completionHandler)
    }

    /// Sends a PUT request and calls the handler with the response.
    @discardableResult
    public func put(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = [:],
        completionHandler: @escaping @Sendable (TaskResponse<any Sendable>) -> Void
    ) -> URLSessionDataTask? {
        send(Request(.put, path).with(parameters, headers), completionHandler: completionHandler)
    }

    /// Sends a PATCH request and calls the handler with the response.
    @discardableResult
    public func patch(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = [:],
        completionHandler: @escaping @Sendable (TaskResponse<any Sendable>) -> Void
    ) -> URLSessionDataTask? {
        send(Request(.patch, path).with(parameters, headers), completionHandler: completionHandler)
    }

    /// Sends a DELETE request and calls the handler with the response.
    @discardableResult
    public func delete(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = [:],
        completionHandler: @escaping @Sendable (TaskResponse<any Sendable>) -> Void
    ) -> URLSessionDataTask? {
        send(Request(.delete, path).with(parameters, headers), completionHandler: completionHandler)
    }

    /// Uploads a multipart form with any method and calls the handler with the response.
    ///
    /// - Parameters:
    ///   - path: The path relative to the base URL, or an absolute URL.
    ///   - method: The method.
    ///   - parameters: The parameters, which become the first parts of the form.
    ///   - headers: Header fields, which replace those that the request serializer sets.
    ///   - progress: Receives the progress of the form, on the ``SessionManager/progressQueue`` or, by default, on the
    ///     ``SessionManager/operationQueue``.
    ///   - multipartForm: Adds the other parts, on the thread that calls this method.
    ///   - completionHandler: Called once with the response, on ``SessionManager/completionQueue``.
    /// - Returns: The running task; nil if the request could not be made, and the handler receives the error.
    @discardableResult
    public func upload(
        _ path: String,
        method: HTTPMethod = .post,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = [:],
        progress: ProgressHandler? = nil,
        multipartForm: @escaping MultipartForm,
        completionHandler: @escaping @Sendable (TaskResponse<any Sendable>) -> Void
    ) -> URLSessionDataTask? {
        let request = Request(method, path).with(parameters, headers, form: multipartForm, progress)
        return send(request, completionHandler: completionHandler)
    }
}
