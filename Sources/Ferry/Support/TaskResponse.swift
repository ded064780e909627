import FerrySession

/// Everything a request came to.
///
/// ``value`` and ``error`` can both be there: a 404 whose body is a JSON object gives the object and says that the
/// status is not acceptable. ``result`` is for those who want one or the other.
public struct TaskResponse<Value: Sendable>: Sendable {
    /// The request as it was sent last.
    public var request: URLRequest?

    /// The server's response.
    public var response: URLResponse?

    /// The body; nil for a download and where none came.
    public var data: Data?

    /// Where a download's file is.
    public var fileURL: URL?

    /// What the response serializer made of the body.
    public var value: Value?

    /// What was wrong.
    public var error: NetworkError?

    /// What the task cost, where it was measured.
    public var metrics: TaskMetrics?

    /// Makes a response.
    ///
    /// - Parameters:
    ///   - request: The request as it was sent last.
    ///   - response: The server's response.
    ///   - data: The body.
    ///   - fileURL: Where a download's file is.
    ///   - value: What the response serializer made of the body.
    ///   - error: What was wrong.
    ///   - metrics: What the task cost.
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
