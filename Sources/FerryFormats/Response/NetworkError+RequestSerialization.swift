extension NetworkError {
    /// Creates an error for a request that could not be made.
    package init(requestSerialization error: any Error, request: URLRequest? = nil) {
        self.init(transport: error, request: request)
        if code == .unknown { code = .requestSerializationFailed }
    }

    /// Creates an error from that of a request serializer or a multipart form.
    package init(_ error: RequestSerializationError, request: URLRequest?, response: URLResponse?, data: Data?) {
        self.init(
            Code(error.code),
            message: error.reason,
            failingURL: request?.url ?? error.failingURL.flatMap { URL(string: $0) },
            response: response as? HTTPURLResponse,
            data: data,
            underlyingError: error
        )
    }
}

extension NetworkError.Code {
    fileprivate init(_ code: RequestSerializationError.Code) {
        switch code {
        case .invalidURL: self = .badURL
        case .invalidParameters: self = .invalidParameters
        case .unencodableText: self = .encodingFailed
        case .fileUnreachable, .fileChanged, .fileNotWritten: self = .fileError
        case .streamConsumed: self = .bodyStreamExhausted
        default: self = .requestSerializationFailed
        }
    }
}
