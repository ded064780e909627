import Foundation

extension RequestSerializationError: LocalizedError {
    /// The error's ``reason``.
    public var errorDescription: String? { reason }

    /// The error's ``reason``.
    public var failureReason: String? { reason }
}

extension RequestSerializationError: CustomNSError {
    /// AFNetworking's `AFURLRequestSerializationErrorDomain`.
    public static var errorDomain: String { "com.alamofire.error.serialization.request" }

    /// `NSURLErrorBadURL` (-1000) for URLs and files, `NSURLErrorCannotDecodeContentData` (-1016) otherwise.
    public var errorCode: Int {
        switch code {
        case .invalidURL, .fileUnreachable, .fileChanged, .fileNotWritten: NSURLErrorBadURL
        default: NSURLErrorCannotDecodeContentData
        }
    }

    /// The reason, the failing URL and the underlying error, under Foundation's keys.
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
    /// `NSURLErrorFailingURLStringErrorKey`, which Foundation has deprecated but AFNetworking's users read.
    static let failingURLStringKey = "NSErrorFailingURLStringKey"
}

extension RequestSerializationError: CustomStringConvertible {
    /// The code, the reason, the URL and the underlying error, in one line.
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
