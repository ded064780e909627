/// The elements of the JSON array that is the whole body, as they arrive.
///
/// ```swift
/// let (bytes, _) = try await session.bytes(from: url)
/// for try await entry in bytes.jsonElements(as: Entry.self) { print(entry) }
/// ```
///
/// The body is read only as fast as the program iterates, with memory for one element.
public struct JSONElements<Base: AsyncSequence & Sendable, Value: Decodable>: AsyncSequence, Sendable
where Base.Element == Data {
    /// An element of the array.
    public typealias Element = Value

    private let base: Base
    private let maximumLength: Int
    private let makeDecoder: @Sendable () -> JSONDecoder

    /// Makes the elements of the pieces of a body.
    ///
    /// - Parameters:
    ///   - base: The pieces.
    ///   - type: The type of the elements.
    ///   - maximumLength: The largest number of bytes in an element's text; 16 MiB by default.
    ///   - decoder: Returns the decoder of an iterator.
    public init(
        _ base: Base,
        as type: Value.Type = Value.self,
        maximumLength: Int = 16_777_216,
        decoder: @escaping @Sendable () -> JSONDecoder = { JSONDecoder() }
    ) {
        (self.base, self.maximumLength, makeDecoder) = (base, maximumLength, decoder)
    }

    /// Returns an iterator over the elements.
    public func makeAsyncIterator() -> Iterator {
        Iterator(reader: .init(base.makeAsyncIterator(), .init(limit: maximumLength)), decoder: makeDecoder())
    }

    /// An iterator over elements.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var reader: SplitReader<Base.AsyncIterator, ElementSplitter>
        fileprivate let decoder: JSONDecoder

        /// Returns the next element, and waits for it if necessary; `nil` at the end of the body.
        ///
        /// - Throws: The error that the transfer ended with, a `DecodingError`, after which the next element can be
        ///   read, or a `URLError`: `dataLengthExceedsMaximum` for an element that is too long, `cannotParseResponse`
        ///   for a body that is not an array, and `networkConnectionLost` for an array that was cut off.
        public mutating func next() async throws -> Value? { try await next(isolation: nil) }

        /// Like ``next()``, without leaving the actor that reads, unless the iterator waits.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Value? {
            guard let text = try await reader.next(isolation: actor) else { return nil }
            return try decoder.decodeStrictly(Value.self, from: text)
        }
    }
}

extension CurlSession.Bytes {
    /// The elements of the JSON array that is the body, each of at most 16 MiB; ``JSONElements`` takes another limit
    /// and another decoder.
    public func jsonElements<Value: Decodable>(as type: Value.Type) -> JSONElements<CurlSession.Chunks, Value> {
        JSONElements(chunks, as: type)
    }
}

extension AsyncSequence where Self: Sendable, Element == Data {
    /// The elements of the JSON array that is the body, each of at most 16 MiB; ``JSONElements`` takes another limit
    /// and another decoder.
    public func jsonElements<Value: Decodable>(as type: Value.Type) -> JSONElements<Self, Value> {
        JSONElements(self, as: type)
    }
}
