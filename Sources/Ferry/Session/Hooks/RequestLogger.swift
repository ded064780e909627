/// An event monitor that logs each request as a curl command line, and each response in one line.
///
/// Both are written without the parts that ``Redaction`` leaves out.
///
/// ```swift
/// manager.eventMonitors = [RequestLogger()]
/// ```
///
/// AFNetworking: AFNetworkActivityLogger.
public struct RequestLogger: EventMonitor {
    /// A function that receives a text to log; it is called from several threads at the same time.
    public typealias Output = @Sendable (String) -> Void

    private let redaction: Redaction
    private let output: Output

    /// Creates a logger, which by default writes to the standard error stream.
    public init(redaction: Redaction = Redaction(), output: @escaping Output = RequestLogger.standardError) {
        self.redaction = redaction
        self.output = output
    }

    /// An output that writes lines to the standard error stream; lines that cannot be written are dropped.
    public static let standardError: Output = { line in
        // The other method for writing ends the process if the stream is closed or on a full disk.
        try? FileHandle.standardError.write(contentsOf: Data("\(line)\n".utf8))
    }

    /// Logs the request.
    public func taskDidCreate(_ task: URLSessionTask) {
        guard let request = task.originalRequest else { return }
        output(request.curlCommand(redacting: redaction))
    }

    /// Logs that an attempt has failed and is followed by another one.
    public func task(_ task: URLSessionTask, willRetry retry: TaskMetrics.Retry) {
        let request = task.currentRequest
        let words = [
            request?.httpMethod ?? "GET", redaction.text(request?.url),
            retry.statusCode.map { "\($0)" } ?? retry.errorCode.map {
                "\(NetworkError.Code(urlErrorCode: $0.rawValue) ?? .unknown)"
            } ?? "",
            "attempt \(retry.attempt) failed, next in \(String(format: "%.0f", retry.delay * 1000)) ms",
        ]
        output(words.filter { !$0.isEmpty }.joined(separator: " "))
    }

    /// Logs the response.
    public func task(_ task: URLSessionTask, didFinishWith completion: TaskCompletion) {
        output(line(completion.response))
    }

    private func line(_ response: TaskResponse<Never>) -> String {
        var words = [
            response.request?.httpMethod ?? "GET", redaction.text(response.response?.url ?? response.request?.url),
        ]
        if let status = response.statusCode { words.append("\(status)") }
        if let metrics = response.metrics {
            words.append("\(metrics.receivedBodyByteCount) bytes")
            words.append(String(format: "%.0f ms", metrics.duration * 1000))
        }
        if let error = response.error { words.append("\(error.code)") }
        return words.joined(separator: " ")
    }
}

extension URLRequest {
    /// The request as a curl command line for a POSIX shell, without secrets; see ``curlCommand(redacting:)``.
    public var curlCommand: String { curlCommand() }

    /// Returns the request as a curl command line for a POSIX shell.
    ///
    /// Every argument is quoted. A body that is not text is shown as its size, and one from a stream as `@-`.
    ///
    /// Secrets are left out by default, so that the line may be logged; `curlCommand(redacting: .none)` returns one
    /// that works as it is, including credentials.
    ///
    /// - Parameter redaction: The parts that are left out; by default those that ``Redaction`` lists.
    /// - Returns: One line, unless the body contains line breaks.
    public func curlCommand(redacting redaction: Redaction = Redaction()) -> String {
        var arguments = ["curl"]
        let method = httpMethod ?? "GET"
        switch method {
        case "GET" where httpBody == nil && httpBodyStream == nil: break
        case "HEAD": arguments.append("--head")
        default: arguments += ["--request", method.shellQuoted]
        }
        for (name, value) in (allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) {
            let shown = redaction.value(value, of: name)
            let name = redaction.name(name)
            // curl sends a field without a value only if a semicolon follows its name.
            arguments += ["--header", (shown.isEmpty ? "\(name);" : "\(name): \(shown)").shellQuoted]
        }
        if method == "HEAD" {
            // The body is not sent: curl refuses --head together with data.
        } else if let httpBody {
            // Not --data, which would read the file that a leading @ names.
            arguments += ["--data-raw", text(of: httpBody, redaction).shellQuoted]
        } else if httpBodyStream != nil {
            arguments += ["--data-binary", "@-"]
        }
        arguments.append(redaction.text(url).shellQuoted)
        return arguments.joined(separator: " ")
    }

    private func text(of data: Data, _ redaction: Redaction) -> String {
        guard let text = String(validating: data, as: UTF8.self), !text.utf8.contains(0),
            let shown = redaction.body(text, type: value(forHTTPHeaderField: "Content-Type"))
        else { return "<\(data.count) bytes>" }
        return shown
    }
}

extension String {
    /// The text quoted as one word of a POSIX shell.
    package var shellQuoted: String {
        // By bytes: an apostrophe and a combining mark are one character, and comparing characters takes quadratic time
        // with long runs of such marks.
        let parts = utf8.split(separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
        return "'" + parts.map { String(Substring($0)) }.joined(separator: "'\\''") + "'"
    }
}
