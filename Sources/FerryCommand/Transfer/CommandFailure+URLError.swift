import Ferry

extension CommandFailure {
    /// Converts any error of a transfer into an exit status and a message.
    init(_ error: any Error, url: URL) {
        if let failure = error as? CommandFailure {
            self = failure
        } else if error is CancellationError {
            self.init(.interrupted, "interrupted")
        } else if let error = error as? URLError {
            self.init(Self.status(of: error), url.presentableText + ": " + Self.text(of: error))
            urlErrorCode = error.code.rawValue
        } else {
            self.init(.network, "\(url.presentableText): \(error.localizedDescription)")
        }
    }

    static func status(of error: URLError) -> ExitStatus {
        switch error.code {
        case .cancelled: .interrupted
        case .timedOut: .timeout
        case .badURL, .unsupportedURL: .usage
        case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired:
            .tls
        case .fileDoesNotExist, .fileIsDirectory, .noPermissionsToReadFile, .cannotOpenFile, .cannotCreateFile,
            .cannotWriteToFile, .cannotCloseFile, .cannotMoveFile, .cannotRemoveFile, .requestBodyStreamExhausted:
            .file
        default: .network
        }
    }

    private static func text(of error: URLError) -> String {
        if error.code == .cancelled { return "interrupted" }
        let cause = error.userInfo[NSUnderlyingErrorKey] as? CurlSessionError
        switch cause?.code {
        case .inactivityTimeout?: return "timed out: no byte moved within --timeout"
        case .resourceTimeout?: return "timed out: the transfer took longer than --max-time"
        case .connectTimeout?: return "timed out: could not connect within --connect-timeout"
        default: break
        }
        let text = error.userInfo[NSLocalizedDescriptionKey] as? String
        return text ?? cause?.message ?? "the transfer failed (\(error.code.rawValue))"
    }
}
