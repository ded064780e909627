import Ferry
import FerryTransfers

/// The failure of a transfer: an exit status and a one-line message.
struct CommandFailure: Error, Equatable {
    let status: ExitStatus
    let message: String
    /// The code of the underlying `URLError`, if there is one.
    var urlErrorCode: Int?

    init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    /// Returns the message without the URL that it begins with.
    func message(without url: URL) -> String {
        let start = url.presentableText + ": "
        return message.hasPrefix(start) ? String(message.dropFirst(start.count)) : message
    }

    /// Returns the failure of a system call on a file.
    static func file(_ path: String, _ what: String, errno number: Int32) -> CommandFailure {
        .file(FileError(what, path: path, code: number), what)
    }

    /// Returns the failure to open, read or write a file.
    static func file(_ error: FileError, _ what: String) -> CommandFailure {
        let isFolderMissing = error.code == ENOENT && error.path.isInDeletedFolder
        let reason = isFolderMissing ? "the current folder does not exist" : error.reasonText
        return CommandFailure(.file, "\(PresentableText.path(error.path)): \(what): \(reason)")
    }

    static func http(_ response: HTTPURLResponse, _ url: URL) -> CommandFailure {
        CommandFailure(.http, "\(url.presentableText): \(text(ofStatus: response.statusCode))")
    }

    static func text(ofStatus status: Int) -> String {
        "HTTP \(status) \(HTTPURLResponse.localizedString(forStatusCode: status))"
    }
}

extension CommandFailure {
    /// Converts any error of a transfer into an exit status and a message.
    init(_ error: any Error, url: URL) {
        if let failure = error as? CommandFailure {
            self = failure
        } else if let error = error as? VerifiedDownloadError {
            self = Self.verified(error, url)
        } else if error is CancellationError {
            self.init(.interrupted, "interrupted")
        } else if let error = error as? URLError {
            let hint = error.isUnknownAuthority ? " (--cacert names a file with more authorities to trust)" : ""
            self.init(Self.status(of: error), url.presentableText + ": " + Self.text(of: error) + hint)
            urlErrorCode = error.code.rawValue
        } else {
            self.init(.network, "\(url.presentableText): \(error.localizedDescription)")
        }
    }

    private static func verified(_ error: VerifiedDownloadError, _ url: URL) -> CommandFailure {
        let start = url.presentableText + ": "
        return switch error {
        case .invalidRequest: CommandFailure(.usage, start + error.description)
        case .digestMismatch, .sizeMismatch: CommandFailure(.failedCheck, start + error.description)
        case .unacceptableStatusCode(let status, _, _):
            CommandFailure(status >= 400 ? .http : .network, start + text(ofStatus: status))
        case .keepsChanging: CommandFailure(.network, start + error.description)
        case .isBusy(let path): CommandFailure(.file, "\(PresentableText.path(path)): another transfer is writing it")
        case .file(let path, _, let reason): CommandFailure(.file, "\(PresentableText.path(path)): \(reason)")
        }
    }

    static func status(of error: URLError) -> ExitStatus {
        if error.reason == .pinMismatch { return .pin }
        return switch error.code {
        case .cancelled: .interrupted
        case .timedOut: .timeout
        case .badURL, .unsupportedURL: .usage
        case .cannotFindHost, .dnsLookupFailed: .lookup
        case .httpTooManyRedirects: .redirects
        case .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot,
            .serverCertificateNotYetValid:
            .certificate
        case .secureConnectionFailed, .clientCertificateRejected, .clientCertificateRequired: .tls
        case .fileDoesNotExist, .fileIsDirectory, .noPermissionsToReadFile, .cannotOpenFile, .cannotCreateFile,
            .cannotWriteToFile, .cannotCloseFile, .cannotMoveFile, .cannotRemoveFile, .requestBodyStreamExhausted:
            .file
        default: .network
        }
    }

    private static func text(of error: URLError) -> String {
        if error.code == .cancelled { return "interrupted" }
        let cause = error.sessionCause
        return switch cause?.code {
        case .inactivityTimeout?: "timed out: no byte moved within --timeout"
        case .resourceTimeout?: "timed out: the transfer took longer than --max-time"
        case .deadlineExceeded?: "timed out: the transfer took longer than --deadline"
        case .connectTimeout?: "timed out: could not connect within --connect-timeout"
        default:
            error.userInfo[NSLocalizedDescriptionKey] as? String ?? cause?.message
                ?? "the transfer failed (\(error.code.rawValue))"
        }
    }
}

extension URL {
    /// Creates the URL of a file; a relative path has none if the current folder has been deleted.
    init(file path: String) throws(CommandFailure) {
        guard !path.isInDeletedFolder else { throw .file(path, "cannot be used", errno: ENOENT) }
        self.init(fileURLWithPath: path, isDirectory: false)
    }
}

extension String {
    /// Whether the path is relative, and the current folder has been deleted.
    fileprivate var isInDeletedFolder: Bool { !hasPrefix("/") && FileManager.default.currentDirectoryPath.isEmpty }
}

extension FetchOptions {
    /// Returns the failure for a redirect that the session does not follow although redirects are to be followed; `nil`
    /// for other responses.
    func refusedRedirect(_ response: HTTPURLResponse, from url: URL) -> CommandFailure? {
        guard followsRedirects, [301, 302, 303, 307, 308].contains(response.statusCode),
            let location = response.value(forHTTPHeaderField: "Location"), !location.allSatisfy(\.isWhitespace)
        else { return nil }
        let next = URLReference.resolve(location, against: response.url)
        let scheme = next?.scheme?.lowercased()
        let reason: String
        if let scheme, !["http", "https"].contains(scheme) {
            reason = "only http and https URLs are supported"
        } else if (next?.host(percentEncoded: true) ?? "").isEmpty {
            reason = "its Location is not a URL with a host"
        } else if scheme == "http", response.url?.scheme?.lowercased() == "https" {
            reason = "it leads from https to http"
        } else if let base = response.url, RedirectRule.resolve(location, against: base) == nil {
            reason = "its host or port is not valid"
        } else {
            return nil
        }
        let target = next.map { " to \($0.presentableText)" } ?? ""
        return CommandFailure(.network, "\(url.presentableText): the redirect\(target) is not followed: \(reason)")
    }
}

extension URLError {
    /// Whether the server's certificate was refused because its authority is not known.
    fileprivate var isUnknownAuthority: Bool {
        reason == .unknownAuthority || reason == .selfSignedCertificate
    }

    fileprivate var reason: CurlSessionError.Code? { sessionCause?.code }
}

/// The exit status of the command; the numbers are curl's where curl has one for the case.
enum ExitStatus: Int32, CaseIterable, Sendable {
    case success = 0
    case failedCheck = 1
    case usage = 2
    case lookup = 6
    case network = 7
    case http = 22
    case file = 23
    case timeout = 28
    case tls = 35
    case redirects = 47
    case certificate = 60
    case pin = 90
    case interrupted = 130
    case brokenPipe = 141
    case terminated = 143

    /// The name of the status in the JSON log.
    var name: String {
        switch self {
        case .failedCheck: "failed_check"
        case .brokenPipe: "broken_pipe"
        default: "\(self)"
        }
    }

    /// The explanation of the status in `--help` and the manual.
    var meaning: String {
        switch self {
        case .success: "everything was transferred"
        case .failedCheck:
            "a checksum, a queued transfer or a step of the demonstration failed, or a WebSocket closed without 1000"
        case .usage: "the arguments or a URL are invalid"
        case .lookup: "could not find the address of a host"
        case .network: "could not connect, lost the connection, or the response is not HTTP"
        case .http: "the server returned an HTTP error (status 400 or above)"
        case .file: "a file could not be read or written"
        case .timeout: "a timeout expired"
        case .tls: "TLS failed, or the server refused the client's certificate"
        case .redirects: "there were too many redirects"
        case .certificate: "the server's certificate is not trusted"
        case .pin: "the server's key is not one of --pin"
        case .interrupted: "interrupted: SIGINT has ended the command"
        case .brokenPipe: "standard output was closed by its reader"
        case .terminated: "terminated: SIGTERM has ended the command"
        }
    }
}
