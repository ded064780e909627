/// Writes the body of a request while it is sent.
///
/// ```swift
/// let (body, writer) = RequestBody.writer()
/// let (answers, _) = try await session.bytes(for: request, body: body)
/// try await writer.write(Data("question\n".utf8))
/// writer.finish()
/// ```
///
/// A writer that is released before the body has ended fails its task, so that a part of a body is never taken for a
/// whole one.
public final class RequestBodyWriter: Sendable {
    private let feed: BodyFeed
    private let sendsTrailers: Bool

    init(_ feed: BodyFeed, sendsTrailers: Bool) {
        self.feed = feed
        self.sendsTrailers = sendsTrailers
    }

    deinit { fail(CurlSessionError(.bodyHasEnded, "The body's writer was released before it was finished")) }

    /// Writes bytes, which are sent as soon as the connection takes them.
    ///
    /// The method waits while 256 KiB or more wait to be sent, and returns before its own bytes are sent. It does not
    /// leave the actor of its caller while there is room.
    ///
    /// - Throws: A ``CurlSessionError`` with the code `requestHasEnded` if the request has ended, for example because
    ///   the server has responded before the body's end, `bodyHasEnded` if the body has, or `bodyLengthMismatch`; and
    ///   `CancellationError` if the Swift task is cancelled while it waits, with nothing written.
    public func write(_ data: Data, isolation: isolated (any Actor)? = #isolation) async throws {
        try await feed.pipe.waitForRoom()
        try feed.append(data)
    }

    /// Ends the body after what was written; has no effect on a body that has ended.
    ///
    /// - Parameter trailers: The fields that follow the body. The task fails if a field is not valid, or if there are
    ///   fields and the body was made without `sendsTrailers`.
    public func finish(trailers: [String: String] = [:]) {
        guard trailers.isEmpty || sendsTrailers else {
            return fail(CurlSessionError(.invalidHeader, "The body was made without sendsTrailers, and has trailers"))
        }
        feed.finish(trailers: trailers.requestFields)
    }

    /// Ends the body with an error, which is then the error of the task; has no effect on a body that has ended.
    public func fail(_ error: any Error) { feed.pipe.fail(error) }
}
