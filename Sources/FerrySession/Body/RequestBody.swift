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
/// ``init(length:replaying:)`` is then made again; any other can be sent only once, and the request fails with
/// `URLError.requestBodyStreamExhausted` and the reason ``CurlSessionError/Code/bodyNotReplayable``, unless the delegate
/// provides a stream instead.
public struct RequestBody: Sendable {
    let made: MadeBody

    init(_ made: MadeBody) { self.made = made }

    /// Makes a body from a sequence, which can be sent once.
    ///
    /// - Parameters:
    ///   - pieces: The pieces of the body.
    ///   - length: The number of bytes of all pieces, or nil if it is not known. If there are more or fewer, the task
    ///     fails with the reason ``CurlSessionError/Code/bodyLengthMismatch``.
    public init<Pieces: AsyncSequence & Sendable>(
        _ pieces: Pieces,
        length: Int64? = nil
    ) where Pieces.Element == Data {
        self.init(length: length, isReplayable: false) { pieces }
    }

    /// Makes a body from a closure that returns a sequence, so that the body can be sent several times.
    ///
    /// - Parameters:
    ///   - length: The number of bytes of all pieces, or nil if it is not known. If there are more or fewer, the task
    ///     fails with the reason ``CurlSessionError/Code/bodyLengthMismatch``.
    ///   - make: Returns the sequence from its first piece. It is called for each time that the body is sent.
    public init<Pieces: AsyncSequence & Sendable>(
        length: Int64? = nil,
        replaying make: @escaping @Sendable () async throws -> Pieces
    ) where Pieces.Element == Data {
        self.init(length: length, isReplayable: true, make)
    }

    private init<Pieces: AsyncSequence & Sendable>(
        length: Int64?,
        isReplayable: Bool,
        _ make: @escaping @Sendable () async throws -> Pieces
    ) where Pieces.Element == Data {
        made = MadeBody(
            length: length.flatMap { ByteCount($0) },
            isReplayable: isReplayable,
            makePipe: { BodyPipe() },
            begin: { $0.fill(from: make) }
        )
    }

    /// Returns a body and the writer that its bytes come from; it can be sent once.
    ///
    /// - Parameter length: The number of bytes that will be written, or nil if it is not known. If there are more or
    ///   fewer, the task fails with the reason ``CurlSessionError/Code/bodyLengthMismatch``.
    public static func writer(length: Int64? = nil) -> (body: RequestBody, writer: RequestBodyWriter) {
        let length = length.flatMap { ByteCount($0) }
        let pipe = BodyPipe(length: length)
        let made = MadeBody(length: length, isReplayable: false, makePipe: { pipe })
        return (RequestBody(made), RequestBodyWriter(pipe))
    }
}

extension BodyPipe {
    /// Appends the pieces of a sequence as the reader takes them.
    func fill<Pieces: AsyncSequence & Sendable>(
        from make: @escaping @Sendable () async throws -> Pieces
    ) where Pieces.Element == Data {
        let task = Task {
            do {
                for try await piece in try await make() {
                    try append(piece)
                    try await waitForRoom()
                }
                finish()
            } catch {
                fail(error)
            }
        }
        whenClosed { task.cancel() }
    }
}
