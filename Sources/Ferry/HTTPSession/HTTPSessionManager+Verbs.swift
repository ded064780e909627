import Foundation

// Each verb has two versions: one takes a dictionary or another `ParametersConvertible`, the other any `Encodable` value.
// The second is disfavored, so that a dictionary such as `[String: Int]`, which fits both, is not ambiguous.
extension HTTPSessionManager {
    /// Sends a GET request and calls the handler with the response.
    ///
    /// The manager's ``SessionManager/responseSerializer`` decodes the response. The parameters of the other verbs
    /// are the same.
    ///
    /// For other options, such as a closure that receives the progress, send a ``Request``.
    ///
    /// AFNetworking: `GET:parameters:headers:progress:success:failure:`.
    ///
    /// - Parameters:
    ///   - path: The path relative to the base URL, or an absolute URL.
    ///   - parameters: The parameters; a dictionary, an array or another ``ParametersConvertible``.
    ///   - headers: Header fields, which replace those that the request serializer sets.
    ///   - completionHandler: Called once with the response, on ``SessionManager/completionQueue``.
    /// - Returns: The running task; nil if the request could not be made, and the handler receives the error.
    @discardableResult
    public func get(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = [:],
        completionHandler: @escaping @Sendable (TaskResponse<any Sendable>) -> Void
    ) -> URLSessionDataTask? {
        send(Request(.get, path).with(parameters, headers), completionHandler: completionHandler)
    }

    /// Sends a GET request with an encoded value as its parameters.
    @discardableResult
    @_disfavoredOverload
    public func get(
        _ path: String,
        parameters: some Encodable & Sendable,
        headers: HTTPHeaders = [:],
        completionHandler: @escaping @Sendable (TaskResponse<any Sendable>) -> Void
    ) -> URLSessionDataTask? {
        send(Request(.get, path).with(parameters, headers), completionHandler: completionHandler)
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

    /// Sends a HEAD request with an encoded value as its parameters.
    @discardableResult
    @_disfavoredOverload
    public func head(
        _ path: String,
        parameters: some Encodable & Sendable,
        headers: HTTPHeaders = [:],
        completionHandler: @escaping @Sendable (TaskResponse<any Sendable>) -> Void
    ) -> URLSessionDataTask? {
        send(Request(.head, path).with(parameters, headers), completionHandler: completionHandler)
    }

    /// Sends a POST request and calls the handler with the response.
    @discardableResult
    public func post(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = [:],
        completionHandler: @escaping @Sendable (TaskResponse<any Sendable>) -> Void
    ) -> URLSessionDataTask? {
        send(Request(.post, path).with(parameters, headers), completionHandler: completionHandler)
    }

    /// Sends a POST request with an encoded value as its parameters.
    @discardableResult
    @_disfavoredOverload
    public func post(
        _ path: String,
        parameters: some Encodable & Sendable,
        headers: HTTPHeaders = [:],
        completionHandler: @escaping @Sendable (TaskResponse<any Sendable>) -> Void
    ) -> URLSessionDataTask? {
        send(Request(.post, path).with(parameters, headers), completionHandler: completionHandler)
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

    /// Sends a PUT request with an encoded value as its parameters.
    @discardableResult
    @_disfavoredOverload
    public func put(
        _ path: String,
        parameters: some Encodable & Sendable,
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

    /// Sends a PATCH request with an encoded value as its parameters.
    @discardableResult
    @_disfavoredOverload
    public func patch(
        _ path: String,
        parameters: some Encodable & Sendable,
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

    /// Sends a DELETE request with an encoded value as its parameters.
    @discardableResult
    @_disfavoredOverload
    public func delete(
        _ path: String,
        parameters: some Encodable & Sendable,
        headers: HTTPHeaders = [:],
        completionHandler: @escaping @Sendable (TaskResponse<any Sendable>) -> Void
    ) -> URLSessionDataTask? {
        send(Request(.delete, path).with(parameters, headers), completionHandler: completionHandler)
    }

    /// Uploads a multipart form and calls the handler with the response.
    ///
    /// AFNetworking: `POST:…constructingBodyWithBlock:…`.
    ///
    /// - Parameters:
    ///   - path: The path relative to the base URL, or an absolute URL.
    ///   - method: The method.
    ///   - parameters: The parameters, which become the first parts of the form.
    ///   - headers: Header fields, which replace those that the request serializer sets.
    ///   - progress: Receives the progress of the form.
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

    /// Uploads a multipart form whose first parts are those of an encoded value.
    @discardableResult
    @_disfavoredOverload
    public func upload(
        _ path: String,
        method: HTTPMethod = .post,
        parameters: some Encodable & Sendable,
        headers: HTTPHeaders = [:],
        progress: ProgressHandler? = nil,
        multipartForm: @escaping MultipartForm,
        completionHandler: @escaping @Sendable (TaskResponse<any Sendable>) -> Void
    ) -> URLSessionDataTask? {
        let request = Request(method, path).with(parameters, headers, form: multipartForm, progress)
        return send(request, completionHandler: completionHandler)
    }
}
