extension NetworkError {
    /// Returns the error of a response whose message also has the number of attempts and why there is no further one.
    ///
    /// The session does the same with the errors that it finds itself.
    package func noting(attemptsOf metrics: TaskMetrics?) -> NetworkError {
        guard let metrics else { return self }
        let seconds = (metrics.duration * 10).rounded() / 10
        let count = metrics.retries.last.map { "after \($0.attempt + 1) attempts in \(seconds) s" }
        let notes = [count, metrics.retryRefusal].compactMap { $0 }.joined(separator: "; ")
        var copy = self
        if !notes.isEmpty { copy.message += " (\(notes))" }
        return copy
    }
}
