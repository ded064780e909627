/// A request's body that is made while it is sent.
///
/// ```swift
/// let body = RequestBody(lines)  // an AsyncSequence of Data
/// let (data, response) = try await session.upload(for: request, body: body)
/// ```
///
/// No more is made than the connection takes: a sequence is asked for its first piece when the request is sent, and for
/// the next one while less than 256 KiB wait. A body with a length is sent with `Content-Length`; without one it is
/// sent in chunks (RFC 9112, section 7.1), or as data frames of HTTP/2.
///
/// The body is made by a Swift task, which is cancelled when the request ends. An error that the sequence throws is the
/// error of the task, and ends the request.
///
/// A redirect that keeps the method, a challenge or a retry may need the body again. A body made with
/// ``init(length:coding:trailers:replaying:)`` is then made again. Any other can be sent only once: the request fails
/// with `URLError.requestBodyStreamExhausted` and the reason ``CurlSessionError/Code/bodyNotReplayable``, unless the
/// delegate provides a stream instead.
public struct RequestBody: Sendable {
    let made: MadeBody

    init(_ made: MadeBody) { self.made = made }

    /// A content coding of a request's body (RFC 9110, section 8.4.1).
    public enum Coding: String, Sendable, CaseIterable {
        /// The format of RFC 1952.
        case gzip
        /// The format of RFC 1950.
        case deflate
        /// The format of RFC 8878, if the process has `libzstd`.
        case zstd

        /// Whether this process has an encoder for the coding; without one, tasks fail with the reason
        /// ``CurlSessionError/Code/contentCodingUnavailable``.
        public var isAvailable: Bool { coding.canEncode }

        var coding: ContentCoding {
            switch self {
            case .gzip: .gzip
            case .deflate: .deflate
            case .zstd: .zstd
            }
        }
    }

    /// Returns the fields that follow a body (RFC 9110, section 6.5).
    ///
    /// A body with trailers is sent in chunks over HTTP/1.1, since libcurl sends none over HTTP/2. Set the request's
    /// field `Trailer` to their names if the server needs to know them in advance.
    public typealias Trailers = @Sendable () async throws -> [String: String]

    /// Makes a body from a sequence, which can be sent once.
    ///
    /// - Parameters:
    ///   - pieces: The pieces of the body.
    ///   - length: The number of bytes of all pieces, or `nil` if it is not known. If there are more or fewer, the task
    ///     fails with the reason ``CurlSessionError/Code/bodyLengthMismatch``. It has no effect with a coding.
    ///   - coding: A content coding that is applied while the body is sent, and that the request's field
    ///     `Content-Encoding` then names, unless it is set; `nil`, the default, for none.
    ///   - trailers: Called after the last piece for the fields that follow the body; `nil`, the default, for none.
    public init<Pieces: AsyncSequence & Sendable>(
        _ pieces: Pieces,
        length: Int64? = nil,
        coding: Coding? = nil,
        trailers: Trailers? = nil
    ) where Pieces.Element == Data {
        self.init(length, coding, trailers, isReplayable: false) { pieces }
    }

    /// Makes a body from a closure that returns a sequence, so that the body can be sent several times.
    ///
    /// - Parameters:
    ///   - length: The number of bytes of all pieces, as for ``init(_:length:coding:trailers:)``.
    ///   - coding: A content coding, as for ``init(_:length:coding:trailers:)``.
    ///   - trailers: Called after the last piece for the fields that follow the body; `nil`, the default, for none.
    ///   - make: Returns the sequence from its first piece. It is called for each time that the body is sent.
    public init<Pieces: AsyncSequence & Sendable>(
        length: Int64? = nil,
        coding: Coding? = nil,
        trailers: Trailers? = nil,
        replaying make: @escaping @Sendable () async throws -> Pieces
    ) where Pieces.Element == Data {
        self.init(length, coding, trailers, isReplayable: true, make)
    }

    private init<Pieces: AsyncSequence & Sendable>(
        _ length: Int64?,
        _ coding: Coding?,
        _ trailers: Trailers?,
        isReplayable: Bool,
        _ make: @escaping @Sendable () async throws -> Pieces
    ) where Pieces.Element == Data {
        let coding = coding?.coding
        let length = coding == nil ? length.flatMap { ByteCount($0) } : nil
        made = MadeBody(
            length: length,
            contentCoding: coding,
            sendsTrailers: trailers != nil,
            isReplayable: isReplayable,
            makePipe: { BodyPipe(length: length) },
            begin: { BodyFeed($0, coding: coding).fill(from: make, trailers) }
        )
    }

    /// Returns a body and the writer that its bytes come from; it can be sent once.
    ///
    /// - Parameters:
    ///   - length: The number of bytes that will be written, as for ``init(_:length:coding:trailers:)``.
    ///   - coding: A content coding, as for ``init(_:length:coding:trailers:)``.
    ///   - sendsTrailers: Whether ``RequestBodyWriter/finish(trailers:)`` may be called with fields, as described for
    ///     ``Trailers``; false by default.
    /// - Returns: The body, and its writer.
    public static func writer(
        length: Int64? = nil,
        coding: Coding? = nil,
        sendsTrailers: Bool = false
    ) -> (body: RequestBody, writer: RequestBodyWriter) {
        let coding = coding?.coding
        let length = coding == nil ? length.flatMap { ByteCount($0) } : nil
        let pipe = BodyPipe(length: length)
        let made = MadeBody(
            length: length,
            contentCoding: coding,
            sendsTrailers: sendsTrailers,
            isReplayable: false,
            endsWithResponse: true,
            makePipe: { pipe }
        )
        return (RequestBody(made), RequestBodyWriter(BodyFeed(pipe, coding: coding), sendsTrailers: sendsTrailers))
    }
}

extension BodyFeed {
    /// Appends the pieces of a sequence as the reader takes them.
    func fill<Pieces: AsyncSequence & Sendable>(
        from make: @escaping @Sendable () async throws -> Pieces,
        _ trailers: RequestBody.Trailers?
    ) where Pieces.Element == Data {
        let task = Task {
            do {
                for try await piece in try await make() {
                    try append(piece)
                    try await pipe.waitForRoom()
                }
                finish(trailers: try await trailers?().requestFields ?? [])
            } catch {
                pipe.fail(error)
            }
        }
        // Not on the engine's thread, which closes the pipe, since cancellation handlers are user code.
        pipe.whenClosed { Task.detached { task.cancel() } }
    }
}

extension [String: String] {
    var requestFields: [RequestField] { map { RequestField($0.key, $0.value) }.sorted { $0.name < $1.name } }
}
