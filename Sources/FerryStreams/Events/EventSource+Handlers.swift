extension EventSource {
    /// A running stream whose events are passed to a closure.
    public final class Subscription: Sendable {
        private let work: Task<Void, Never>

        fileprivate init(_ work: Task<Void, Never>) { self.work = work }

        /// Closes the connection; the completion handler receives a `CancellationError`.
        public func cancel() { work.cancel() }
    }

    /// Begins to receive events.
    ///
    /// - Parameters:
    ///   - receive: Called for each event on the session's delegate queue; the next event is read when it has returned.
    ///   - completionHandler: Called once on the session's delegate queue, with the error of the iteration, or `nil`
    ///     after a 204.
    /// - Returns: The subscription, which goes on if it is released.
    @discardableResult
    public func subscribe(
        _ receive: @escaping @Sendable (ServerSentEvent) -> Void,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void = { _ in }
    ) -> Subscription {
        let queue = session.delegateQueue
        return Subscription(
            Task {
                var failure: (any Error)?
                do {
                    for try await event in self {
                        await withCheckedContinuation { continuation in
                            queue.deliver {
                                receive(event)
                                continuation.resume()
                            }
                        }
                    }
                } catch {
                    failure = error
                }
                queue.deliver { [failure] in completionHandler(failure) }
            }
        )
    }
}
