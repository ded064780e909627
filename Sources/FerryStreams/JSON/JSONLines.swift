/// The values of a body in NDJSON, one on each line, or in a JSON text sequence (RFC 7464), as they arrive.
///
/// ```swift
/// let (bytes, _) = try await session.bytes(from: url)
/// for try await entry in bytes.jsonLines(as: Entry.self) { print(entry) }
/// ```
///
/// Empty lines are skipped. The body is read only as fast as the program iterates.
public struct JSONLines<Base: AsyncSequence & Sendable, Value: Decodable>: AsyncSequence, Sendable
where Base.Element == Data {
    /// A value.
    public typealias Element = Value

    private let base: Base
    private let maximumLength: Int
    private let makeDecoder: @Sendable () -> JSONDecoder

    /// Makes the values of the pieces of a body.
    ///
    /// - Parameters:
    ///   - base: The pieces.
    ///   - type: The type of the values.
    ///   - maximumLength: The largest number of bytes in a value's text; 16 MiB by default.
    ///   - decoder: Returns the decoder of an iterator.
    public init(
        _ base: Base,
        as type: Value.Type = Value.self,
        maximumLength: Int = 16_777_216,
        decoder: @escaping @Sendable () -> JSONDecoder = { JSONDecoder() }
    ) {
        (self.base, self.maximumLength, makeDecoder) = (base, maximumLength, decoder)
    }

    /// Returns an iterator over the values.
    public func makeAsyncIterator() -> Iterator {
        Iterator(reader: .init(base.makeAsyncIterator(), .init(limit: maximumLength)), decoder: makeDecoder())
    }

    /// An iterator over values.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var reader: SplitReader<Base.AsyncIterator, RecordSplitter>
        fileprivate let decoder: JSONDecoder

        /// Returns the next value, and waits for it if necessary; `nil` at the end of the body.
        ///
        /// - Throws: The error that the transfer ended with, a `DecodingError`, after which the next value can be read,
        ///   or a `URLError` for a text that is too long or cut off.
        public mutating func next() async throws -> Value? { try await next(isolation: nil) }

        /// Like ``next()``, without leaving the actor that reads, unless the iterator waits.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Value? {
            guard let text = try await reader.next(isolation: actor) else { return nil }
            return try decoder.decodeStrictly(Value.self, from: text)
        }
    }
}

extension CurlSession.Bytes {
    /// The values of the body in NDJSON or a JSON text sequence, each of at most 16 MiB; ``JSONLines`` takes another
    /// limit and another decoder.
    public func jsonLines<Value: Decodable>(as type: Value.Type) -> JSONLines<CurlSession.Chunks, Value> {
        JSONLines(chunks, as: type)
    }
}

extension AsyncSequence where Self: Sendable, Element == Data {
    /// The values of the body in NDJSON or a JSON text sequence, each of at most 16 MiB; ``JSONLines`` takes another
    /// limit and another decoder.
    public func jsonLines<Value: Decodable>(as type: Value.Type) -> JSONLines<Self, Value> {
        JSONLines(self, as: type)
    }
}
