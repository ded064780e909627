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
        Iterator(base.makeAsyncIterator(), RecordSplitter(limit: maximumLength), makeDecoder())
    }

    /// An iterator over values.
    public struct Iterator: AsyncIteratorProtocol {
        private var base: Base.AsyncIterator?
        private var splitter: RecordSplitter
        private let decoder: JSONDecoder

        fileprivate init(_ base: Base.AsyncIterator, _ splitter: RecordSplitter, _ decoder: JSONDecoder) {
            (self.base, self.splitter, self.decoder) = (base, splitter, decoder)
        }

        /// Returns the next value, and waits for it if necessary; `nil` at the end of the body.
        ///
        /// - Throws: The error that the transfer ended with, a `DecodingError`, after which the next value can be read,
        ///   or a `URLError` for a text that is too long or cut off.
        public mutating func next() async throws -> Value? {
            while base != nil {
                let text: Data?
                do {
                    text = try await nextText()
                } catch {
                    // The transfer ends with its iterator.
                    base = nil
                    throw error
                }
                guard let text else { continue }
                return try decoder.decodeStrictly(Value.self, from: text)
            }
            return nil
        }

        private mutating func nextText() async throws -> Data? {
            if let text = try splitter.next() { return text }
            guard let piece = try await base?.next() else {
                base = nil
                return try splitter.last()
            }
            splitter.append(piece)
            return nil
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

extension DataStream {
    /// The values of the body in NDJSON or a JSON text sequence, each of at most 16 MiB; ``JSONLines`` takes another
    /// limit and another decoder.
    public func jsonLines<Value: Decodable>(as type: Value.Type) -> JSONLines<DataStream, Value> {
        JSONLines(self, as: type)
    }
}
