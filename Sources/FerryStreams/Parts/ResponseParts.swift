/// The parts of a multipart body, such as `multipart/mixed`, `multipart/byteranges` or `multipart/x-mixed-replace`
/// (RFC 2046, section 5.1; RFC 9110, section 14.6), as they arrive.
///
/// ```swift
/// let (bytes, response) = try await session.bytes(from: url)
/// for try await part in try bytes.parts(of: response) {
///     print(part.headers["Content-Type"] ?? "text/plain", part.body.count)
/// }
/// ```
///
/// A part is delivered when the delimiter after it has arrived. The body is read only as fast as the program iterates,
/// with memory for one part.
public struct ResponseParts<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable where Base.Element == Data {
    /// A part.
    public typealias Element = ResponsePart

    private let base: Base
    private let boundary: String
    private let maximumLength: Int

    /// Makes the parts of the pieces of a body.
    ///
    /// - Parameters:
    ///   - base: The pieces.
    ///   - boundary: The text between the parts, from the response's `Content-Type`.
    ///   - maximumLength: The largest number of bytes in the body of a part; 16 MiB by default. All header fields of a
    ///     part have at most 64 KiB.
    public init(_ base: Base, boundary: String, maximumLength: Int = 16_777_216) {
        (self.base, self.boundary, self.maximumLength) = (base, boundary, maximumLength)
    }

    /// Returns an iterator over the parts.
    public func makeAsyncIterator() -> Iterator {
        Iterator(reader: .init(base.makeAsyncIterator(), PartSplitter(boundary: boundary, limit: maximumLength)))
    }

    /// An iterator over parts.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var reader: SplitReader<Base.AsyncIterator, ResponsePart>

        /// Returns the next part, and waits for it if necessary; `nil` at the end of the body.
        ///
        /// - Throws: The error that the transfer ended with, or a `URLError`: `dataLengthExceedsMaximum` for a part
        ///   that is too long, `cannotParseResponse` for a malformed header field, and `networkConnectionLost` for a
        ///   body that ends before its last delimiter.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ResponsePart? {
            try await reader.next(isolation: actor)
        }
    }
}

/// A part of a multipart body.
public struct ResponsePart: Hashable, Sendable {
    /// The header fields in their order.
    public let headers: HTTPHeaders
    /// The body.
    public let body: Data
}

extension CurlSession.Bytes {
    /// Returns the parts of the body, each of at most 16 MiB; ``ResponseParts`` takes another limit.
    ///
    /// - Parameter response: The response with the body.
    /// - Returns: The parts as they arrive.
    /// - Throws: A `URLError` with the code `cannotParseResponse` if the response is not multipart.
    public func parts(of response: URLResponse) throws -> ResponseParts<CurlSession.Chunks> {
        guard let boundary = (response as? HTTPURLResponse)?.multipartBoundary else {
            let text = "The response is not multipart, or its boundary is missing"
            throw URLError.ferry(.cannotParseResponse, url: response.url, reason: .malformedResponse, text)
        }
        return ResponseParts(chunks, boundary: boundary)
    }
}

extension HTTPURLResponse {
    /// The text between the parts of a multipart body, from the field `Content-Type`; `nil` for another body, and for a
    /// boundary that is empty or longer than the 70 characters of RFC 2046.
    public var multipartBoundary: String? {
        guard let field = value(forHTTPHeaderField: "Content-Type"),
            ContentTypeField.mediaType(field).hasPrefix("multipart/"),
            let boundary = ContentTypeField.parameter("boundary", of: field),
            (1...70).contains(boundary.utf8.count)
        else { return nil }
        return boundary
    }
}
