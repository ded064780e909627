extension NetworkError {
    /// Returns the error of a response with the number of its attempts in the message, if there were several.
    ///
    /// The session does the same with the errors that it finds itself.
    package func noting(attemptsOf metrics: TaskMetrics?) -> NetworkError {
        guard let metrics, let last = metrics.retries.last else { return self }
        var copy = self
        copy.message += " (after \(last.attempt + 1) attempts in \((metrics.duration * 10).rounded() / 10) s)"
        return copy
    }
}
