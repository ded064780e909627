/// The body of a response, piece by piece as it arrives.
///
/// Each iterator sends the request when its first piece is read. A slow reader slows the transfer down: it is suspended
/// while more than the limit waits to be read. Leaving the loop or cancelling the Swift task cancels the transfer.
///
/// A response that does not pass validation has no pieces: the loop throws a ``NetworkError`` with up to 1 MiB of its
/// body. The transfer is cancelled if its body is longer, or has not ended within the request's `timeoutInterval`.
///
/// ```swift
/// for try await chunk in manager.stream(request) {
///     try output.write(contentsOf: chunk)
/// }
/// ```
public struct DataStream: AsyncSequence, Sendable {
    /// A piece of the body.
    public typealias Element = Data

    /// The field `Last-Event-ID` of the request; empty if it has none.
    let lastEventID: String
    let start: @Sendable () -> ReaderHold

    /// Returns an iterator, which has its own transfer.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(start: start) }

    /// An iterator over the pieces of one transfer.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let start: @Sendable () -> ReaderHold
        private var hold: ReaderHold?

        fileprivate init(start: @escaping @Sendable () -> ReaderHold) { self.start = start }

        /// Returns the next piece, and waits for it if necessary.
        ///
        /// - Returns: The piece; nil at the end.
        /// - Throws: A ``NetworkError``, with ``NetworkError/Code/cancelled`` if the Swift task was cancelled, and with
        ///   ``NetworkError/Code/unknown`` if another Swift task already waits for the next piece.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
            let hold = self.hold ?? start()
            self.hold = hold
            return try await hold.next(isolation: actor)
        }
    }
}

/// A reader's hold on a transfer, which is cancelled when the reader is released or cancelled.
final class ReaderHold: Sendable {
    private let buffer: StreamBuffer
    private let relay: CancellationRelay

    init(_ buffer: StreamBuffer, _ relay: CancellationRelay) { (self.buffer, self.relay) = (buffer, relay) }

    /// Returns the next piece, and waits for it if necessary; nil at the end.
    func next(isolation: isolated (any Actor)? = #isolation) async throws -> Data? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { buffer.read(with: $0) }
        } onCancel: {
            relay.cancel()
        }
    }

    deinit { relay.cancel() }
}

extension DataStream {
    /// The lines of the body as they arrive, each of at most 1 MiB; `BodyLines` takes another limit.
    ///
    /// ```swift
    /// for try await line in manager.stream(.get("log")).lines { print(line) }
    /// ```
    public var lines: BodyLines<DataStream> { BodyLines(self) }

    /// The body as server-sent events as they arrive, each of at most 16 MiB.
    ///
    /// Until the server sends an identifier, the events have that of the field `Last-Event-ID` of the stream's request.
    /// `ServerSentEvents` takes other limits, and another identifier.
    ///
    /// ```swift
    /// for try await event in manager.stream(.get("events")).events {
    ///     print(event.data)
    /// }
    /// ```
    public var events: ServerSentEvents<DataStream> { ServerSentEvents(self, lastEventID: lastEventID) }
}
