import Foundation

extension Request {
    /// Creates a request from the arguments of a verb without a multipart form, in the order of its parameters.
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

    /// Creates a request from the arguments of a verb with a multipart form, in the order of its parameters.
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
