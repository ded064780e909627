/// The lines of a body as they arrive.
///
/// A line ends with a line feed, a carriage return, or both, which are not part of it. Empty lines are delivered; after
/// the last line end there is another line only if it has bytes. Bytes that are not UTF-8 are replaced by U+FFFD.
///
/// ```swift
/// let (bytes, _) = try await session.bytes(from: url)
/// for try await line in bytes.lines { print(line) }
/// ```
public struct BodyLines<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable where Base.Element == Data {
    /// A line without its end.
    public typealias Element = String

    private let base: Base
    private let maximumLength: Int

    /// Makes the lines of the pieces of a body, each of which has at most `maximumLength` bytes, by default 1 MiB.
    public init(_ base: Base, maximumLength: Int = 1_048_576) {
        self.base = base
        self.maximumLength = maximumLength
    }

    /// Returns an iterator over the lines.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(base: base.makeAsyncIterator(), splitter: LineSplitter(limit: maximumLength))
    }

    /// An iterator over lines.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var base: Base.AsyncIterator?
        private var splitter: LineSplitter

        fileprivate init(base: Base.AsyncIterator, splitter: LineSplitter) {
            (self.base, self.splitter) = (base, splitter)
        }

        /// Whether the body has ended, so that the last line that was returned has no line end.
        var isAtEnd: Bool { base == nil }

        /// Returns the next line, and waits for it if necessary; `nil` at the end of the body.
        ///
        /// - Throws: The error that the transfer ended with, or a `URLError` with the code `dataLengthExceedsMaximum`
        ///   for a line that is too long, or `cancelled` if the Swift task is cancelled; lines that have arrived are
        ///   left out then.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> String? {
            while base != nil {
                do {
                    // Many lines may have arrived that the reader no longer wants.
                    if Task.isCancelled { try await base?.endCancelled(isolation: actor) }
                    if let line = try splitter.next() { return line }
                    guard let piece = try await base?.next(isolation: actor) else {
                        base = nil
                        return splitter.last()
                    }
                    splitter.append(piece)
                } catch {
                    // The transfer ends with its iterator.
                    base = nil
                    throw error
                }
            }
            return nil
        }
    }
}

extension AsyncIteratorProtocol where Element == Data {
    /// Throws the error with which the iterator ends in a cancelled Swift task, such as that of its cancelled transfer,
    /// or else a `URLError` with the code `cancelled`; the pieces that have arrived are left out.
    package mutating func endCancelled(isolation actor: isolated (any Actor)?) async throws {
        // An iterator that does not notice the cancellation may have pieces for ever.
        let most = 1_024
        for _ in 0..<most { guard try await next(isolation: actor) != nil else { break } }
        throw URLError(.cancelled)
    }
}

extension CurlSession.Bytes {
    /// The lines of the body as they arrive, each of at most 1 MiB; ``BodyLines`` takes another limit.
    public var lines: BodyLines<CurlSession.Chunks> { BodyLines(chunks) }
    /// The body as server-sent events as they arrive, each of at most 16 MiB.
    ///
    /// Until the server sends an identifier, events have that of the request's field `Last-Event-ID`.
    public var events: ServerSentEvents<CurlSession.Chunks> {
        ServerSentEvents(chunks, lastEventID: (task.currentRequest ?? task.originalRequest)?.lastEventID ?? "")
    }
}
