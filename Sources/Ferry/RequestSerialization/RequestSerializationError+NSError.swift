import FerrySession

extension RequestSerializationError: LocalizedError {
    /// What went wrong, for people.
    public var errorDescription: String? { reason }

    /// What went wrong, for people.
    public var failureReason: String? { reason }
}

extension RequestSerializationError: CustomNSError {
    /// AFNetworking's `AFURLRequestSerializationErrorDomain`.
    public static var errorDomain: String { "com.alamofire.error.serialization.request" }

    /// `NSURLErrorBadURL` (-1000) for URLs and files, `NSURLErrorCannotDecodeContentData` (-1016) for all else.
    public var errorCode: Int {
        switch code {
        case .invalidURL, .fileUnreachable, .fileChanged, .fileNotWritten: NSURLErrorBadURL
        default: NSURLErrorCannotDecodeContentData
        }
    }

    /// The texts, the failing URL and the error beneath, under Foundation's keys.
    public var errorUserInfo: [String: Any] {
        var userInfo: [String: Any] = [
            NSLocalizedDescriptionKey: reason,
            NSLocalizedFailureReasonErrorKey: reason,
        ]
        if let failingURL {
            userInfo[Self.failingURLStringKey] = failingURL
        }
        if let underlyingError {
            userInfo[NSUnderlyingErrorKey] = underlyingError
        }
        return userInfo
    }
}

extension RequestSerializationError {
    /// `NSURLErrorFailingURLStringErrorKey`, which Foundation has deprecated, and which AFNetworking's users read.
    static let failingURLStringKey = "NSErrorFailingURLStringKey"
}

extension RequestSerializationError: CustomStringConvertible {
    /// The kind, the reason, the URL and the error beneath, in one line.
    public var description: String {
        var text = "\(code.rawValue): \(reason)"
        if let failingURL {
            text += " (\(PresentableText.url(failingURL)))"
        }
        if let underlyingError {
            text += " [\(underlyingError)]"
        }
        return text
    }
}
