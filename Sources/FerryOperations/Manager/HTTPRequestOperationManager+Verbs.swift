// AFNetworking's verbs that concern operations; ``send(_:success:failure:)`` sends every other request.
extension HTTPRequestOperationManager {
    /// A closure called with a successful operation and its parsed object.
    public typealias Success = @Sendable (HTTPRequestOperation, (any Sendable)?) -> Void

    /// A closure called with the error of a failed operation; the operation is nil if no request could be made.
    public typealias Failure = @Sendable (HTTPRequestOperation?, NetworkError) -> Void

    /// Queues an operation that sends a request.
    ///
    /// ```swift
    /// manager.send(
    ///     .post("photos").multipart { form in
    ///         try form.append(fileURL: photo, name: "photo")
    ///     }
    /// ) { _, object in
    ///     print(object ?? "nothing")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - request: The request. The manager's serializer decodes the response.
    ///   - success: Called with the operation and its object, on the ``completionQueue``.
    ///   - failure: Called with the operation and the error, on the ``completionQueue``.
    /// - Returns: The queued operation; nil if no request could be made, in which case `failure` is called.
    @discardableResult
    public func send(
        _ request: Request<any Sendable>,
        success: Success?,
        failure: Failure? = nil
    ) -> HTTPRequestOperation? {
        let operation: HTTPRequestOperation
        do {
            operation = self.operation(
                with: try sessionManager.makeRequest(request),
                success: success,
                failure: failure
            )
        } catch {
            let error = NetworkError(requestSerialization: error)
            let token = CompletionToken(completionGroup)
            completionQueue.async {
                failure?(nil, error)
                token.leave()
            }
            return nil
        }
        operation.uploadProgress = request.uploadProgress
        operation.downloadProgress = request.downloadProgress
        operation.setRecovery(request.recovery)
        operationQueue.addOperation(operation)
        return operation
    }

    /// Queues an operation that sends a GET request.
    ///
    /// The parameters of the other verbs are the same.
    ///
    /// - Parameters:
    ///   - path: The path below the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: Header fields, which replace those that the request serializer sets.
    ///   - success: Called with the operation and its object, on the ``completionQueue``.
    ///   - failure: Called with the operation and the error, on the ``completionQueue``.
    /// - Returns: The queued operation; nil if no request could be made, in which case `failure` is called.
    @discardableResult
    public func get(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = [:],
        success: Success?,
        failure: Failure? = nil
    ) -> HTTPRequestOperation? {
        send(Request(.get, path).with(parameters, headers), success: success, failure: failure)
    }

    /// Queues an operation that sends a HEAD request.
    @discardableResult
    public func head(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = [:],
        success: Success?,
        failure: Failure? = nil
    ) -> HTTPRequestOperation? {
        send(Request(.head, path).with(parameters, headers), success: success, failure: failure)
    }

    /// Queues an operation that sends a POST request.
    ///
    /// With `multipartForm` its body is a form, whose first parts are the parameters.
    @discardableResult
    public func post(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = [:],
        constructingBodyWith multipartForm: MultipartForm? = nil,
        success: Success?,
        failure: Failure? = nil
    ) -> HTTPRequestOperation? {
        send(Request(.post, path).with(parameters, headers, form: multipartForm), success: success, failure: failure)
    }

    /// Queues an operation that sends a PUT request.
    @discardableResult
    public func put(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = [:],
        success: Success?,
        failure: Failure? = nil
    ) -> HTTPRequestOperation? {
        send(Request(.put, path).with(parameters, headers), success: success, failure: failure)
    }

    /// Queues an operation that sends a PATCH request.
    @discardableResult
    public func patch(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = [:],
        success: Success?,
        failure: Failure? = nil
    ) -> HTTPRequestOperation? {
        send(Request(.patch, path).with(parameters, headers), success: success, failure: failure)
    }

    /// Queues an operation that sends a DELETE request.
    @discardableResult
    public func delete(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = [:],
        success: Success?,
        failure: Failure? = nil
    ) -> HTTPRequestOperation? {
        send(Request(.delete, path).with(parameters, headers), success: success, failure: failure)
    }
}
