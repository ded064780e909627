import Foundation

/// The complete result of a request.
///
/// Both ``value`` and ``error`` can be set: a 404 response whose body is a JSON object has that object as its value,
/// and an error because its status is not acceptable. For one or the other, use ``result``.
public struct TaskResponse<Value: Sendable>: Sendable {
    /// The last request that was sent.
    public var request: URLRequest?

    /// The server's response.
    public var response: URLResponse?

    /// The body; nil for a download and if none has arrived.
    public var data: Data?

    /// The URL of a download's file.
    public var fileURL: URL?

    /// The value the response serializer made of the body.
    public var value: Value?

    /// The error, if there is one.
    public var error: NetworkError?

    /// The duration and byte counts of the task, if they were measured.
    public var metrics: TaskMetrics?

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - request: The last request that was sent.
    ///   - response: The server's response.
    ///   - data: The body.
    ///   - fileURL: The URL of a download's file.
    ///   - value: The value the response serializer made of the body.
    ///   - error: The error, if there is one.
    ///   - metrics: The duration and byte counts of the task.
    public init(
        request: URLRequest? = nil,
        response: URLResponse? = nil,
        data: Data? = nil,
        fileURL: URL? = nil,
        value: Value? = nil,
        error: NetworkError? = nil,
        metrics: TaskMetrics? = nil
    ) {
        self.request = request
        self.response = response
        self.data = data
        self.fileURL = fileURL
        self.value = value
        self.error = error
        self.metrics = metrics
    }
}
