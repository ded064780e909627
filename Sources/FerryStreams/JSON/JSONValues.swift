/// Values in JSON that are decoded as they arrive; see `jsonLines(as:)` and `jsonElements(as:)`.
///
/// The body is read only as fast as the program iterates, with memory for one value.
public struct JSONValues<Base: AsyncSequence & Sendable, Value: Decodable>: AsyncSequence, Sendable
where Base.Element == Data {
    /// A value.
    public typealias Element = Value

    fileprivate let base: Base
    fileprivate let makeSplitter: @Sendable () -> any PieceSplitter<Data>
    fileprivate let makeDecoder: @Sendable () -> JSONDecoder

    /// Returns an iterator over the values.
    public func makeAsyncIterator() -> Iterator {
        Iterator(reader: SplitReader(base.makeAsyncIterator(), makeSplitter()), decoder: makeDecoder())
    }

    /// An iterator over values.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var reader: SplitReader<Base.AsyncIterator, Data>
        fileprivate let decoder: JSONDecoder

        /// Returns the next value, and waits for it if necessary; `nil` at the end of the body.
        ///
        /// - Throws: The error that the transfer ended with, a `DecodingError`, after which the next value can be read,
        ///   or a `URLError`: `dataLengthExceedsMaximum` for a text that is too long, `networkConnectionLost` for one
        ///   that was cut off, and `cannotParseResponse` for a body that should be an array but is not.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Value? {
            guard let text = try await reader.next(isolation: actor) else { return nil }
            return try decoder.decodeStrictly(Value.self, from: text)
        }
    }
}

extension AsyncSequence where Self: Sendable, Element == Data {
    /// The values of a body in NDJSON, one on each line, or in a JSON text sequence (RFC 7464).
    ///
    /// Empty lines are skipped.
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - maximumLength: The largest number of bytes in a value's text; 16 MiB by default.
    ///   - decoder: Returns the decoder of an iterator.
    /// - Returns: The values as they arrive.
    public func jsonLines<Value: Decodable>(
        as type: Value.Type,
        maximumLength: Int = 16_777_216,
        decoder: @escaping @Sendable () -> JSONDecoder = { JSONDecoder() }
    ) -> JSONValues<Self, Value> {
        JSONValues(base: self, makeSplitter: { RecordSplitter(limit: maximumLength) }, makeDecoder: decoder)
    }

    /// The elements of a body that is one JSON array.
    ///
    /// - Parameters:
    ///   - type: The type of the elements.
    ///   - maximumLength: The largest number of bytes in an element's text; 16 MiB by default.
    ///   - decoder: Returns the decoder of an iterator.
    /// - Returns: The elements as they arrive.
    public func jsonElements<Value: Decodable>(
        as type: Value.Type,
        maximumLength: Int = 16_777_216,
        decoder: @escaping @Sendable () -> JSONDecoder = { JSONDecoder() }
    ) -> JSONValues<Self, Value> {
        JSONValues(base: self, makeSplitter: { ElementSplitter(limit: maximumLength) }, makeDecoder: decoder)
    }
}

extension CurlSession.Bytes {
    /// The values of the body in NDJSON or a JSON text sequence, each of at most 16 MiB; a function of `chunks` takes
    /// another limit and another decoder.
    public func jsonLines<Value: Decodable>(as type: Value.Type) -> JSONValues<CurlSession.Chunks, Value> {
        chunks.jsonLines(as: type)
    }

    /// The elements of a body that is one JSON array, each of at most 16 MiB; a function of `chunks` takes another
    /// limit and another decoder.
    public func jsonElements<Value: Decodable>(as type: Value.Type) -> JSONValues<CurlSession.Chunks, Value> {
        chunks.jsonElements(as: type)
    }
}
