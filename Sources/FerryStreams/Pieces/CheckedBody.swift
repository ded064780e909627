/// The pieces of a body with a limit, a digest, or both.
///
/// Any of the other sequences can read from it:
///
/// ```swift
/// let (bytes, _) = try await session.bytes(from: url)
/// for try await line in BodyLines(bytes.chunks.checked(maximumLength: 1_000_000, digest: digest)) {
///     print(line)
/// }
/// ```
///
/// Pieces are delivered before the digest is known, so use them only provisionally until the sequence has ended without
/// an error.
public struct CheckedBody<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable where Base.Element == Data {
    /// A piece of the body.
    public typealias Element = Data

    private let base: Base
    private let maximumLength: Int
    private let digest: ContentDigest?

    /// Makes the checked pieces of a body.
    ///
    /// - Parameters:
    ///   - base: The pieces.
    ///   - maximumLength: The largest number of bytes of all pieces together; by default there is no limit.
    ///   - digest: The digest that all pieces together must have; none by default. It is that of the decoded body,
    ///     without its content coding, like the pieces.
    public init(_ base: Base, maximumLength: Int = .max, digest: ContentDigest? = nil) {
        (self.base, self.maximumLength, self.digest) = (base, maximumLength, digest)
    }

    /// Returns an iterator over the pieces.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: base.makeAsyncIterator(), limit: maximumLength, digest: digest)
    }

    /// An iterator over pieces.
    public struct Iterator: AsyncIteratorProtocol {
        private var base: Base.AsyncIterator?
        /// The number of bytes that may still follow.
        private var room: Int
        private let limit: Int
        private let digest: ContentDigest?
        private var hash: DigestHash?

        fileprivate init(base: Base.AsyncIterator, limit: Int, digest: ContentDigest?) {
            (self.base, room, self.limit, self.digest) = (base, limit, limit, digest)
            hash = digest.map { DigestHash($0.algorithm) }
        }

        /// Returns the next piece, and waits for it if necessary; `nil` at the end of the body.
        ///
        /// - Throws: The error that the transfer ended with, a `URLError` with the code `dataLengthExceedsMaximum`
        ///   instead of the piece that exceeds the limit, or a ``BodyDigestError`` instead of the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
            do {
                guard let piece = try await base?.next(isolation: actor) else {
                    base = nil
                    try checkDigest()
                    return nil
                }
                guard piece.count <= room else {
                    let text = "The body is longer than \(limit) bytes"
                    throw URLError.ferry(.dataLengthExceedsMaximum, url: nil, reason: .responseTooLarge, text)
                }
                room -= piece.count
                piece.withUnsafeBytes { hash?.update($0) }
                return piece
            } catch {
                // Releasing the iterator ends the transfer, and an error is thrown only once.
                (base, hash) = (nil, nil)
                throw error
            }
        }

        private mutating func checkDigest() throws {
            defer { hash = nil }
            guard let digest, let bytes = hash?.bytes, bytes != digest.bytes else { return }
            guard let actual = ContentDigest(digest.algorithm, bytes) else { return }
            throw BodyDigestError(expected: digest, actual: actual)
        }
    }
}

/// The error of a ``CheckedBody`` that has another digest than expected.
public struct BodyDigestError: Error, Hashable, Sendable, DescribedError {
    /// The expected digest.
    public let expected: ContentDigest
    /// The digest of what has arrived.
    public let actual: ContentDigest

    /// A sentence with both digests.
    public var description: String { "The body has the digest \(actual) instead of \(expected)" }
}

extension AsyncSequence where Self: Sendable, Element == Data {
    /// Returns the pieces with a limit of their bytes, a digest that they must have, or both; see ``CheckedBody``.
    public func checked(maximumLength: Int = .max, digest: ContentDigest? = nil) -> CheckedBody<Self> {
        CheckedBody(self, maximumLength: maximumLength, digest: digest)
    }
}
