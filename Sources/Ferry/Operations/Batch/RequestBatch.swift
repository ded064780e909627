import FerrySession

/// The responses to many requests, in the order in which they come.
///
/// Each iterator sends the requests anew, and no more of them than the limit are under way or waiting to be read.
/// Leaving the loop or cancelling the Swift task cancels those that are. A request that fails gives a response with its
/// error: the loop goes on.
///
/// ```swift
/// for try await response in manager.batch(requests, maxConcurrent: 4) {
///     print(response.index, response.value ?? "none", response.error?.message ?? "no error")
/// }
/// ```
public struct RequestBatch<Value: Sendable>: AsyncSequence, Sendable {
    /// What one request came to.
    public typealias Element = BatchResponse<Value>

    let makeMailbox: @Sendable () -> BatchMailbox<Value>

    /// Makes an iterator, which sends the requests.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(mailbox: makeMailbox())
    }

    /// Receives the responses.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate final class Hold: Sendable {
            let mailbox: BatchMailbox<Value>

            init(_ mailbox: BatchMailbox<Value>) {
                self.mailbox = mailbox
            }

            deinit {
                mailbox.cancel()
            }
        }

        private let hold: Hold

        fileprivate init(mailbox: BatchMailbox<Value>) {
            hold = Hold(mailbox)
        }

        /// The next response; nil after the last.
        ///
        /// - Returns: What a request came to.
        /// - Throws: ``NetworkError`` with ``NetworkError/Code/cancelled`` if the Swift task was cancelled.
        public mutating func next() async throws -> BatchResponse<Value>? {
            let mailbox = hold.mailbox
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { mailbox.read(with: $0) }
            } onCancel: {
                mailbox.cancel()
            }
        }
    }
}
