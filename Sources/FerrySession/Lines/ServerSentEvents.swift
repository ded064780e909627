/// The server-sent events of a body as they arrive.
///
/// An event that the end of the body cuts off is not delivered, as the HTML standard says. The stream ends with the
/// body: to continue it, send the request again with the last event's identifier in the field `Last-Event-ID`. Until
/// the server sends another, that is the identifier of the events too.
///
/// ```swift
/// let (bytes, _) = try await session.bytes(from: url)
/// for try await event in bytes.events { print(event.type, event.data) }
/// ```
public struct ServerSentEvents<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable where Base.Element == Data {
    /// An event.
    public typealias Element = ServerSentEvent

    private let lines: BodyLines<Base>
    private let maximumLength: Int
    private let lastEventID: String

    /// Makes the events of the pieces of a body.
    ///
    /// - Parameters:
    ///   - base: The pieces.
    ///   - maximumLength: The largest number of bytes in an event's data, and in a line; 16 MiB by default.
    ///   - lastEventID: The identifier of events until the server sends one: that with which the request continues an
    ///     earlier stream. By default there is none.
    public init(_ base: Base, maximumLength: Int = 16_777_216, lastEventID: String = "") {
        lines = BodyLines(base, maximumLength: maximumLength)
        self.maximumLength = maximumLength
        self.lastEventID = lastEventID
    }

    /// Returns an iterator over the events.
    public func makeAsyncIterator() -> AsyncIterator {
        let parser = ServerSentEventParser(limit: maximumLength, lastEventID: lastEventID)
        return AsyncIterator(lines: lines.makeAsyncIterator(), parser: parser)
    }

    /// An iterator over events.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var lines: BodyLines<Base>.AsyncIterator?
        private var parser: ServerSentEventParser

        fileprivate init(lines: BodyLines<Base>.AsyncIterator, parser: ServerSentEventParser) {
            (self.lines, self.parser) = (lines, parser)
        }

        /// The identifier with which the stream is continued, which an event without data may have set.
        package var lastEventID: String { parser.lastEventID }
        /// The time in seconds to wait before the stream is requested again, if the server has sent one.
        package var reconnectionTime: TimeInterval? { parser.reconnectionTime }

        /// Returns the next event, and waits for it if necessary; `nil` at the end of the body.
        ///
        /// - Throws: The error that the transfer ended with, or a `URLError` with the code `dataLengthExceedsMaximum`
        ///   for an event that is too long.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ServerSentEvent? {
            // A line without an end is incomplete, and is not read.
            while let line = try await lines?.next(isolation: actor), lines?.isAtEnd == false {
                do {
                    if let event = try parser.consume(line) { return event }
                } catch {
                    // The transfer ends with its iterator.
                    lines = nil
                    throw error
                }
            }
            return nil
        }
    }
}

extension URLRequest {
    /// The field `Last-Event-ID`, with which a request continues a stream of events; empty if it has none.
    package var lastEventID: String { value(forHTTPHeaderField: "Last-Event-ID") ?? "" }
}
