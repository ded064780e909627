import FerrySession

/// The body of a response in the pieces it comes in.
///
/// The request is sent when the first piece is asked for, anew by every iterator. A reader that falls behind holds the
/// transfer up: it is suspended when more than the limit waits to be read. Leaving the loop or cancelling the Swift task
/// cancels the transfer.
///
/// A response that does not pass validation gives no piece: the loop throws a ``NetworkError`` with its body.
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

    /// Makes a stream from what starts it.
    init(start: @escaping @Sendable () -> StreamHandle) {
        self.start = start
    }

    /// Makes an iterator, which has a transfer of its own.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(start: start)
    }

    /// Reads one transfer.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let start: @Sendable () -> StreamHandle
        private var handle: StreamHandle?

        fileprivate init(start: @escaping @Sendable () -> StreamHandle) {
            self.start = start
        }

        /// The next piece; nil at the end.
        ///
        /// - Returns: Some bytes.
        /// - Throws: A ``NetworkError``; with ``NetworkError/Code/cancelled`` if the Swift task was cancelled.
        public mutating func next() async throws -> Data? {
            let handle = self.handle ?? start()
            self.handle = handle
            return try await handle.next()
        }
    }
}
