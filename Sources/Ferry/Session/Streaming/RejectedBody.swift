/// The beginning of the body of a response that did not pass validation, which becomes part of the error.
struct RejectedBody: Sendable {
    private let response: URLResponse
    private let request: URLRequest?
    private let start = MonotonicTime.now()
    private let timeLimit: TimeSpan
    private var beginning = Data()

    /// Creates an empty body; a request without a timeout has no time limit.
    init(of response: URLResponse, to request: URLRequest?) {
        self.response = response
        self.request = request
        timeLimit = TimeSpan(timeout: request?.timeoutInterval ?? 60)
    }

    /// Adds a piece, and returns whether the body is cut off after it.
    ///
    /// A body without an end would delay the error for ever. The time limit needs no timer: if the server sends nothing
    /// at all, the session's own timeout applies.
    mutating func append(_ data: Data) -> Bool {
        beginning.append(data.prefix(max(0, TemporaryFile.errorBodyLimit - beginning.count)))
        guard beginning.count < TemporaryFile.errorBodyLimit else { return true }
        return MonotonicTime.now().since(start) >= timeLimit
    }

    func error(_ validation: Validation) -> NetworkError? {
        validation.validate(request: request, response: response, data: beginning).error
    }
}
