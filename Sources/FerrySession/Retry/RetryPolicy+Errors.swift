extension RetryPolicy {
    /// Returns whether a stream that has ended with an error is opened again.
    ///
    /// An inactivity timeout counts as a lost connection, since the stream was open.
    package func isTemporary(_ error: URLError) -> Bool {
        var situation = RetryRule.Situation()
        (situation.outcome, situation.delivered) = (RetryRule.outcome(of: error, wasSent: true), .final)
        return RetryRule.isRetried(situation, self)
    }
}
