import FerrySession

/// Writes each request as a curl command line, and each response in one line, without what ``Redaction`` leaves out.
///
/// ```swift
/// manager.eventMonitors = [RequestLogger()]
/// ```
///
/// AFNetworking: AFNetworkActivityLogger.
public struct RequestLogger: EventMonitor {
    /// Takes a text to log; called from many threads at once.
    public typealias Output = @Sendable (String) -> Void

    private let redaction: Redaction
    private let output: Output

    /// Makes a logger.
    ///
    /// - Parameters:
    ///   - redaction: What is left out.
    ///   - output: Takes the texts. Writes to the standard error stream by default.
    public init(redaction: Redaction = Redaction(), output: @escaping Output = RequestLogger.standardError) {
        self.redaction = redaction
        self.output = output
    }

    /// Writes a line to the standard error stream.
    public static let standardError: Output = { FileHandle.standardError.write(Data("\($0)\n".utf8)) }

    /// Logs the request.
    public func taskDidCreate(_ task: URLSessionTask) {
        guard let request = task.originalRequest else { return }
        output(request.curlCommand(redacting: redaction))
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
            words.append("\(metrics.bytesReceived) bytes")
            words.append(String(format: "%.0f ms", metrics.duration * 1000))
        }
        if let error = response.error { words.append("\(error.code)") }
        return words.joined(separator: " ")
    }
}
