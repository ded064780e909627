/// The exit status of the command; the numbers are curl's where curl has one for the case.
enum ExitStatus: Int32, CaseIterable, Sendable {
    case success = 0
    case failedCheck = 1
    case usage = 2
    case network = 7
    case http = 22
    case file = 23
    case timeout = 28
    case tls = 35
    case interrupted = 130
    case brokenPipe = 141
    case terminated = 143

    /// The name of the status in the JSON log.
    var name: String {
        switch self {
        case .failedCheck: "failed_check"
        case .brokenPipe: "broken_pipe"
        case .success, .usage, .network, .http, .file, .timeout, .tls, .interrupted, .terminated: "\(self)"
        }
    }

    /// The explanation of the status in `--help` and the manual.
    var meaning: String {
        switch self {
        case .success: "everything was transferred"
        case .failedCheck: "a step of the demonstration failed"
        case .usage: "the arguments or a URL are invalid"
        case .network: "could not connect, lost the connection, or the response is not HTTP"
        case .http: "the server returned an HTTP error (status 400 or above)"
        case .file: "a file could not be read or written"
        case .timeout: "a timeout expired"
        case .tls: "TLS failed, or the certificate is not trusted"
        case .interrupted: "interrupted (SIGINT)"
        case .brokenPipe: "standard output was closed by its reader"
        case .terminated: "terminated (SIGTERM)"
        }
    }
}
