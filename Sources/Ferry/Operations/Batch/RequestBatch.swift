import Foundation

/// The responses to many requests, in the order in which they arrive.
///
/// Each iterator sends the requests again. The limit applies to the requests that are running or waiting to be read.
/// Leaving the loop or cancelling the Swift task cancels the running requests. A request that fails produces a response
/// with its error, and the loop continues.
///
/// ```swift
/// for try await response in manager.batch(requests, maxConcurrent: 4) {
///     print(response.index, response.value ?? "none", response.error?.message ?? "no error")
/// }
/// ```
public struct RequestBatch<Value: Sendable>: AsyncSequence, Sendable {
    /// The response to one request.
    public typealias Element = BatchResponse<Value>

    let makeMailbox: @Sendable () -> BatchBuffer<Value>

    /// Returns an iterator that sends the requests.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(mailbox: makeMailbox())
    }

    /// An iterator over the responses.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate final class Hold: Sendable {
            let mailbox: BatchBuffer<Value>

            init(_ mailbox: BatchBuffer<Value>) {
                self.mailbox = mailbox
            }

            deinit {
                mailbox.cancel()
            }
        }

        private let hold: Hold

        fileprivate init(mailbox: BatchBuffer<Value>) {
            hold = Hold(mailbox)
        }

        /// Returns the next response; nil after the last.
        ///
        /// - Returns: The response, with the index of its request.
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
