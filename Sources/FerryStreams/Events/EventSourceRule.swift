/// The rules of a stream of events (HTML standard, section 9.2), as pure functions.
enum EventSourceRule {
    /// The consequence of a response for the stream.
    enum Verdict: Hashable, Sendable {
        case opens
        /// The server has no more events.
        case ends
        case fails(EventSourceError.Code)
    }

    static func verdict(status: Int, mediaType: String?) -> Verdict {
        if status == 204 { return .ends }
        guard status == 200 else { return .fails(.unacceptableStatusCode) }
        return mediaType.map(ContentTypeField.mediaType) == "text/event-stream"
            ? .opens : .fails(.unacceptableContentType)
    }

    /// Returns the delay in seconds before the next connection, or `nil` if there is none.
    ///
    /// The error is `nil` at the end of the body. `failures` is the number of consecutive failures, and `ends` that of
    /// the connections that have ended since the last event, both before this one. `reconnectionTime` is the server's
    /// or else the program's; `random`, from 0 to 1, chooses the delay. A response may ask for a longer delay, up to
    /// the policy's maximum; if it asks for more, there is no next connection.
    static func delay(
        after error: (any Error)?,
        failures: Int,
        ends: Int,
        reconnectionTime: TimeInterval,
        policy: RetryPolicy,
        random: Double
    ) -> TimeInterval? {
        guard error == nil || failures < policy.maximumRetries else { return nil }
        switch error {
        // The standard opens a stream again, however often it ends.
        case nil: break
        case let error as URLError: guard isLoss(error) || policy.isTemporary(error) else { return nil }
        case let error as EventSourceError:
            // The standard ends a stream of another media type, whatever its status.
            guard error.code == .unacceptableStatusCode, policy.statusCodes.contains(error.response.statusCode) else {
                return nil
            }
        default: return nil
        }
        let backoff = ends > 0 ? policy.backoff.delay(retry: ends - 1, random: random) : 0
        let delay = max(reconnectionTime, backoff)
        guard let response = (error as? EventSourceError)?.response else { return delay }
        return policy.delay(delay, after: response)
    }

    /// Whether a stream was lost because its body could not be continued, its content coding was cut off, its time
    /// limit was reached, or a circuit is open for a while.
    private static func isLoss(_ error: URLError) -> Bool {
        guard let cause = error.sessionCause?.code else { return false }
        return [.cannotContinue, .incompleteContentCoding, .resourceTimeout, .circuitOpen].contains(cause)
    }
}
