extension RetryPolicy {
    /// Returns whether a stream that has ended with an error is opened again.
    ///
    /// An inactivity timeout counts as a lost connection, since the stream was open.
    package func isTemporary(_ error: URLError) -> Bool {
        let cause = error.userInfo[NSUnderlyingErrorKey] as? CurlSessionError
        let outcome = RetryRule.outcome(
            of: error.code,
            reason: cause?.code,
            curlCode: cause?.curlCode,
            text: cause?.message ?? "",
            wasSent: true
        )
        return switch outcome {
        case .failure(.inactivityTimeout): failures.contains(.inactivityTimeout) || failures.contains(.connectionLost)
        case .failure(let failure): failures.contains(failure)
        case .response, .permanent: false
        }
    }
}
