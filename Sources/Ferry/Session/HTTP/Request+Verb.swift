import FerrySession

extension Request {
    /// Gathers what a verb without a body of parts was given, in the order in which the verbs take it.
    init(
        _ method: HTTPMethod,
        _ path: String,
        _ parameters: (any ParametersConvertible)?,
        _ headers: HTTPHeaders,
        _ timeoutInterval: TimeInterval?,
        _ serializer: some ResponseSerializer<Value>,
        download progress: ProgressHandler? = nil
    ) {
        self.init(
            path,
            method: method,
            parameters: parameters,
            headers: headers,
            timeoutInterval: timeoutInterval,
            serializer: serializer
        )
        downloadProgress = progress
    }

    /// Gathers what a verb with a body was given, in the order in which the verbs take it.
    init(
        _ method: HTTPMethod,
        _ path: String,
        _ parameters: (any ParametersConvertible)?,
        _ headers: HTTPHeaders,
        _ timeoutInterval: TimeInterval?,
        _ multipartForm: (@Sendable (inout MultipartFormData) throws -> Void)?,
        _ serializer: some ResponseSerializer<Value>,
        upload progress: ProgressHandler?
    ) {
        self.init(method, path, parameters, headers, timeoutInterval, serializer)
        self.multipartForm = multipartForm
        uploadProgress = progress
    }
}
