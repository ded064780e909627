import FerrySession

extension NetworkError {
    /// Makes an error from the reason for which there is no request.
    init(requestSerialization error: any Error, request: URLRequest? = nil) {
        if let error = error as? RequestSerializationError {
            self.init(
                Code(error.code),
                message: error.reason,
                failingURL: request?.url ?? error.failingURL.flatMap { URL(string: $0) },
                underlyingError: error
            )
            return
        }
        self.init(transport: error, request: request)
        if code == .unknown { code = .requestSerializationFailed }
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
