import Foundation

extension HTTPRequestOperationManager {
    /// A closure called with a successful operation and its parsed object.
    public typealias Success = @Sendable (HTTPRequestOperation, (any Sendable)?) -> Void

    /// A closure called with the error of a failed operation; the operation is nil if no request could be made.
    public typealias Failure = @Sendable (HTTPRequestOperation?, NetworkError) -> Void

    /// Sends a GET request.
    ///
    /// - Parameters:
    ///   - path: The path below the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: Header fields, which replace what the serializer sets.
    ///   - progress: Called with the progress of the response's body.
    ///   - success: Called with the operation and its object, on the ``completionQueue``.
    ///   - failure: Called with the operation and the error, on the ``completionQueue``.
    /// - Returns: The queued operation; nil if no request could be made, in which case `failure` is called.
    @discardableResult
    public func get(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        progress: ProgressHandler? = nil,
        success: Success?,
        failure: Failure? = nil
    ) -> HTTPRequestOperation? {
        enqueue(.get, path, parameters, headers, downloadProgress: progress, success: success, failure: failure)
    }

    /// Sends a HEAD request.
    ///
    /// - Parameters:
    ///   - path: The path below the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: Header fields, which replace what the serializer sets.
    ///   - success: Called with the operation and its object, on the ``completionQueue``.
    ///   - failure: Called with the operation and the error, on the ``completionQueue``.
    /// - Returns: The queued operation; nil if no request could be made, in which case `failure` is called.
    @discardableResult
    public func head(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        success: Success?,
        failure: Failure? = nil
    ) -> HTTPRequestOperation? {
        enqueue(.head, path, parameters, headers, success: success, failure: failure)
    }

    /// Sends a POST request.
    ///
    /// - Parameters:
    ///   - path: The path below the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: Header fields, which replace what the serializer sets.
    ///   - progress: Called with the progress of the request's body.
    ///   - success: Called with the operation and its object, on the ``completionQueue``.
    ///   - failure: Called with the operation and the error, on the ``completionQueue``.
    /// - Returns: The queued operation; nil if no request could be made, in which case `failure` is called.
    @discardableResult
    public func post(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        progress: ProgressHandler? = nil,
        success: Success?,
        failure: Failure? = nil
    ) -> HTTPRequestOperation? {
        enqueue(.post, path, parameters, headers, uploadProgress: progress, success: success, failure: failure)
    }

    /// Sends a PUT request.
    ///
    /// - Parameters:
    ///   - path: The path below the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: Header fields, which replace what the serializer sets.
    ///   - success: Called with the operation and its object, on the ``completionQueue``.
    ///   - failure: Called with the operation and the error, on the ``completionQueue``.
    /// - Returns: The queued operation; nil if no request could be made, in which case `failure` is called.
    @discardableResult
    public func put(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        success: Success?,
        failure: Failure? = nil
    ) -> HTTPRequestOperation? {
        enqueue(.put, path, parameters, headers, success: success, failure: failure)
    }

    /// Sends a PATCH request.
    ///
    /// - Parameters:
    ///   - path: The path below the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: Header fields, which replace what the serializer sets.
    ///   - success: Called with the operation and its object, on the ``completionQueue``.
    ///   - failure: Called with the operation and the error, on the ``completionQueue``.
    /// - Returns: The queued operation; nil if no request could be made, in which case `failure` is called.
    @discardableResult
    public func patch(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        success: Success?,
        failure: Failure? = nil
    ) -> HTTPRequestOperation? {
        enqueue(.patch, path, parameters, headers, success: success, failure: failure)
    }

    /// Sends a DELETE request.
    ///
    /// - Parameters:
    ///   - path: The path below the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: Header fields, which replace what the serializer sets.
    ///   - success: Called with the operation and its object, on the ``completionQueue``.
    ///   - failure: Called with the operation and the error, on the ``completionQueue``.
    /// - Returns: The queued operation; nil if no request could be made, in which case `failure` is called.
    @discardableResult
    public func delete(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        success: Success?,
        failure: Failure? = nil
    ) -> HTTPRequestOperation? {
        enqueue(.delete, path, parameters, headers, success: success, failure: failure)
    }

    /// Sends a multipart form.
    ///
    /// - Parameters:
    ///   - path: The path below the base URL, or an absolute URL.
    ///   - method: The method.
    ///   - parameters: Parameters, which become the form's first parts.
    ///   - headers: Header fields, which replace what the serializer sets.
    ///   - multipartForm: Adds the form's other parts.
    ///   - progress: Called with the progress of the form.
    ///   - success: Called with the operation and its object, on the ``completionQueue``.
    ///   - failure: Called with the operation and the error, on the ``completionQueue``.
    /// - Returns: The queued operation; nil if no request could be made, in which case `failure` is called.
    @discardableResult
    public func upload(
        _ path: String,
        method: HTTPMethod = .post,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        multipartForm: @escaping @Sendable (inout MultipartFormData) throws -> Void,
        progress: ProgressHandler? = nil,
        success: Success?,
        failure: Failure? = nil
    ) -> HTTPRequestOperation? {
        enqueue(
            method,
            path,
            parameters,
            headers,
            multipartForm: multipartForm,
            uploadProgress: progress,
            success: success,
            failure: failure
        )
    }

    private func enqueue(
        _ method: HTTPMethod,
        _ path: String,
        _ parameters: (any ParametersConvertible)?,
        _ headers: HTTPHeaders,
        multipartForm: (@Sendable (inout MultipartFormData) throws -> Void)? = nil,
        uploadProgress: ProgressHandler? = nil,
        downloadProgress: ProgressHandler? = nil,
        success: Success?,
        failure: Failure?
    ) -> HTTPRequestOperation? {
        var request = Request(
            path,
            method: method,
            parameters: parameters,
            headers: headers,
            serializer: HTTPDataResponseSerializer()
        )
        request.multipartForm = multipartForm
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
        operation.uploadProgress = uploadProgress
        operation.downloadProgress = downloadProgress
        operationQueue.addOperation(operation)
        return operation
    }
}
