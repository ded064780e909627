/// What the command ends with; the numbers follow curl's where curl has one for the case.
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

    /// The name in the JSON log.
    var name: String {
        switch self {
        case .failedCheck: "failed_check"
        case .brokenPipe: "broken_pipe"
        case .success, .usage, .network, .http, .file, .timeout, .tls, .interrupted, .terminated: "\(self)"
        }
    }

    /// The line of `--help`.
    var meaning: String {
        switch self {
        case .success: "everything was transferred"
        case .failedCheck: "the demonstration did not see what it should"
        case .usage: "the arguments are wrong, or a URL is"
        case .network: "no connection, a lost one, or an answer that is not HTTP"
        case .http: "the server answered with an HTTP error (status 400 and above)"
        case .file: "a file could not be read or written"
        case .timeout: "a deadline passed"
        case .tls: "TLS failed, or the certificate is not trusted"
        case .interrupted: "interrupted (SIGINT)"
        case .brokenPipe: "the reader of standard output went away"
        case .terminated: "terminated (SIGTERM)"
        }
    }
}
