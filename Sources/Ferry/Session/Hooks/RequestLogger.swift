import Foundation

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

    /// Creates a logger.
    ///
    /// - Parameters:
    ///   - redaction: The parts that are left out.
    ///   - output: Receives the texts; by default it writes them to the standard error stream.
    public init(redaction: Redaction = Redaction(), output: @escaping Output = RequestLogger.standardError) {
        self.redaction = redaction
        self.output = output
    }

    /// An output that writes a line to the standard error stream.
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
