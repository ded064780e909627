/// The rule that decides whether a connection that has ended is opened again.
enum ReconnectionRule {
    /// The time for which a connection must have been open so that its loss counts as the first failure.
    ///
    /// It is longer than a server needs to refuse an open connection, and shorter than the limits of proxies for
    /// connections without messages.
    static let minimumOpenTime = TimeSpan.milliseconds(10_000)

    /// Returns the delay in seconds before the next attempt, or `nil` if there is none.
    ///
    /// `failures` is the number of consecutive attempts without a message or a connection that was open for
    /// ``minimumOpenTime``; `random`, from 0 to 1, chooses the delay.
    static func delay(after error: any Error, failures: Int, policy: RetryPolicy, random: Double) -> TimeInterval? {
        guard failures < policy.maximumRetries, isTemporary(error, policy) else { return nil }
        let delay = policy.backoff.delay(retry: failures, random: random)
        guard let response = (error as? WebSocketError)?.response else { return delay }
        // The server may ask for a longer delay.
        return policy.delay(delay, after: response)
    }

    private static func isTemporary(_ error: any Error, _ policy: RetryPolicy) -> Bool {
        switch error {
        case let error as WebSocketError: isTemporary(error, policy)
        case let error as URLError: policy.isTemporary(error)
        default: false
        }
    }

    private static func isTemporary(_ error: WebSocketError, _ policy: RetryPolicy) -> Bool {
        switch error.code {
        case .timedOut: true
        case .refused: error.response.map { policy.statusCodes.contains($0.statusCode) } ?? false
        // The server restarts, is overloaded or has failed, or the connection was lost.
        case .closed: error.closeCode.map { [1001, 1006, 1011, 1012, 1013, 1014].contains($0.rawValue) } ?? false
        default: false
        }
    }
}
