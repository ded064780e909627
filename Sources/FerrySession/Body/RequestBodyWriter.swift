/// Writes the body of a request while it is sent.
///
/// ```swift
/// let (body, writer) = RequestBody.writer()
/// let (answers, _) = try await session.bytes(for: request, body: body)
/// try await writer.write(Data("question\n".utf8))
/// writer.finish()
/// ```
///
/// A writer that is released without ``finish()`` fails its task, so that a part of a body is never taken for a whole
/// one.
public final class RequestBodyWriter: Sendable {
    private let pipe: BodyPipe

    init(_ pipe: BodyPipe) { self.pipe = pipe }

    deinit { pipe.fail(CurlSessionError(.bodyHasEnded, "The body's writer was released before it was finished")) }

    /// Writes bytes, which are sent as soon as the connection takes them.
    ///
    /// The method waits while 256 KiB or more wait to be sent, and returns before its own bytes are sent.
    ///
    /// - Throws: A ``CurlSessionError`` with the code `requestHasEnded` if the request has ended, for example because
    ///   the server has responded before the body's end, `bodyHasEnded` after ``finish()`` or ``fail(_:)``, or
    ///   `bodyLengthMismatch`; and `CancellationError` if the Swift task is cancelled while it waits, with nothing
    ///   written.
    public func write(_ data: Data) async throws {
        try await pipe.waitForRoom()
        try pipe.append(data)
    }

    /// Ends the body after what was written; has no effect on a body that has ended.
    public func finish() { pipe.finish() }

    /// Ends the body with an error, which is then the error of the task; has no effect on a body that has ended.
    public func fail(_ error: any Error) { pipe.fail(error) }
}
