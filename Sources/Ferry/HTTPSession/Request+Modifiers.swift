extension Request {
    /// Returns the request with other parameters.
    ///
    /// - Parameter parameters: A dictionary, an array, `.encoding(value)` with a value of an `Encodable` type, or
    ///   another ``ParametersConvertible``; nil for none.
    /// - Returns: The changed request.
    public func parameters(_ parameters: (any ParametersConvertible)?) -> Request {
        setting { $0.parameters = parameters?.makeParameters() }
    }

    /// Returns the request with additional header fields, which replace those with the same name.
    ///
    /// - Parameter headers: The header fields.
    /// - Returns: The changed request.
    public func headers(_ headers: HTTPHeaders) -> Request {
        var merged = self.headers
        for field in headers { merged.remove(field.name) }
        for field in headers { merged.add(field) }
        return setting { $0.headers = merged }
    }

    /// Returns the request with another timeout.
    ///
    /// - Parameter interval: The seconds without progress after which the request fails; nil for the default.
    /// - Returns: The changed request.
    public func timeout(_ interval: TimeInterval?) -> Request { setting { $0.timeoutInterval = interval } }

    /// Returns the request with a serializer that encodes its parameters.
    ///
    /// - Parameter serializer: The serializer; nil uses the manager's.
    /// - Returns: The changed request.
    public func encoding(with serializer: (any RequestSerializer)?) -> Request {
        setting { $0.requestSerializer = serializer }
    }

    /// Returns the request with a multipart form as its body.
    ///
    /// - Parameter form: Adds parts to the form, whose first parts are the parameters. It runs on the thread that makes
    ///   the request.
    /// - Returns: The changed request.
    public func multipart(_ form: @escaping MultipartForm) -> Request { setting { $0.multipartForm = form } }

    /// Returns the request with a body that is made while it is sent.
    ///
    /// Set the field `Content-Type` with ``headers(_:)``. Otherwise only a POST has the field, with the type of forms.
    ///
    /// - Parameter body: The body; nil for none.
    /// - Returns: The changed request.
    public func body(_ body: RequestBody?) -> Request { setting { $0.body = body } }

    /// Returns the request with a closure that receives the progress of the request body.
    ///
    /// - Parameter progress: Called on the ``SessionManager/progressQueue`` or, by default, the
    ///   ``SessionManager/operationQueue``.
    /// - Returns: The changed request.
    public func uploadProgress(_ progress: @escaping ProgressHandler) -> Request {
        setting { $0.uploadProgress = progress }
    }

    /// Returns the request with a closure that receives the progress of the response body.
    ///
    /// It is not called for a stream, nor for a request with a multipart form or a ``Request/body``, whose task is an
    /// upload task.
    ///
    /// - Parameter progress: Called on the ``SessionManager/progressQueue`` or, by default, the
    ///   ``SessionManager/operationQueue``.
    /// - Returns: The changed request.
    public func downloadProgress(_ progress: @escaping ProgressHandler) -> Request {
        setting { $0.downloadProgress = progress }
    }

    package func with(
        _ parameters: (any ParametersConvertible)?,
        _ headers: HTTPHeaders,
        form: MultipartForm? = nil,
        _ uploadProgress: ProgressHandler? = nil,
        downloadProgress: ProgressHandler? = nil
    ) -> Request {
        var request = self.parameters(parameters)
        request.headers = headers
        request.multipartForm = form
        request.uploadProgress = uploadProgress
        request.downloadProgress = downloadProgress
        return request
    }

    func setting(_ change: (inout Request) -> Void) -> Request {
        var copy = self
        change(&copy)
        return copy
    }
}
