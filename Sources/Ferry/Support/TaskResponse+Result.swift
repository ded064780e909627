import FerrySession

extension TaskResponse {
    /// The response as an HTTP response; nil if it is none.
    public var httpResponse: HTTPURLResponse? { response as? HTTPURLResponse }

    /// The HTTP status code.
    public var statusCode: Int? { httpResponse?.statusCode }

    /// A header field of the response.
    ///
    /// - Parameter name: The field's name, in upper or lower case.
    /// - Returns: Its value; nil if the response has no such field.
    public func header(_ name: String) -> String? {
        httpResponse?.value(forHTTPHeaderField: name)
    }

    /// All header fields of the response, as it spells them.
    public var headerFields: [String: String] {
        var fields: [String: String] = [:]
        for (name, value) in httpResponse?.allHeaderFields ?? [:] {
            guard let name = name as? String else { continue }
            fields[name] = value as? String ?? "\(value)"
        }
        return fields
    }

    /// The error if there is one, else the value, else an error that says there was none (``NetworkError/Code/noValue``).
    public var result: Result<Value, NetworkError> {
        if let error { return .failure(error) }
        if let value { return .success(value) }
        let what = (response?.url ?? request?.url).map { " to \($0.presentableText)" } ?? ""
        return .failure(
            NetworkError(
                .noValue,
                message: "The response\(what) has no value and no error",
                failingURL: response?.url ?? request?.url,
                response: httpResponse,
                data: data
            )
        )
    }

    /// Gives the value if there is no error.
    ///
    /// - Returns: The value.
    /// - Throws: The ``error``, or one with ``NetworkError/Code/noValue`` if there is neither.
    public func get() throws(NetworkError) -> Value {
        try result.get()
    }

    /// Makes the same response with another value.
    ///
    /// - Parameter transform: Makes the new value from the old one; not called if there is none.
    /// - Returns: The response, with its error as it was.
    public func map<New: Sendable>(_ transform: (Value) -> New) -> TaskResponse<New> {
        replacing(value: value.map(transform), error: error)
    }

    /// Makes the same response with another value, which may fail.
    ///
    /// - Parameter transform: Makes the new value from the old one; not called if there is none. What it throws becomes
    ///   the error (``NetworkError/Code/decodingFailed`` unless it is a ``NetworkError``), with the old error underneath.
    /// - Returns: The response with the new value or the new error.
    public func tryMap<New: Sendable>(_ transform: (Value) throws -> New) -> TaskResponse<New> {
        do {
            return replacing(value: try value.map(transform), error: error)
        } catch let thrown as NetworkError {
            return replacing(value: nil, error: thrown)
        } catch {
            let failure = NetworkError(
                .decodingFailed,
                message: "The value could not be transformed: \(error)",
                response: httpResponse,
                data: data,
                underlyingError: self.error ?? error,
                decodingError: error
            )
            return replacing(value: nil, error: failure)
        }
    }

    private func replacing<New: Sendable>(value: New?, error: NetworkError?) -> TaskResponse<New> {
        TaskResponse<New>(
            request: request,
            response: response,
            data: data,
            fileURL: fileURL,
            value: value,
            error: error,
            metrics: metrics
        )
    }
}
