import Foundation

/// The body of a response, piece by piece as it arrives.
///
/// Each iterator sends the request when its first piece is read. A slow reader slows the transfer down: it is suspended
/// while more than the limit waits to be read. Leaving the loop or cancelling the Swift task cancels the transfer.
///
/// A response that does not pass validation has no pieces: the loop throws a ``NetworkError`` with up to 1 MiB of its
/// body.
///
/// ```swift
/// for try await chunk in manager.stream(request) {
///     try output.write(contentsOf: chunk)
/// }
/// ```
public struct DataStream: AsyncSequence, Sendable {
    /// A piece of the body.
    public typealias Element = Data

    private let start: @Sendable () -> StreamHandle

    /// Creates a stream from the function that starts a transfer.
    init(start: @escaping @Sendable () -> StreamHandle) {
        self.start = start
    }

    /// Returns an iterator, which has its own transfer.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(start: start)
    }

    /// An iterator over the pieces of one transfer.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let start: @Sendable () -> StreamHandle
        private var handle: StreamHandle?

        fileprivate init(start: @escaping @Sendable () -> StreamHandle) {
            self.start = start
        }

        /// Returns the next piece, and waits for it if necessary.
        ///
        /// - Returns: The piece; nil at the end.
        /// - Throws: A ``NetworkError``, with ``NetworkError/Code/cancelled`` if the Swift task was cancelled.
        public mutating func next() async throws -> Data? {
            let handle = self.handle ?? start()
            self.handle = handle
            return try await handle.next()
        }
    }
}
