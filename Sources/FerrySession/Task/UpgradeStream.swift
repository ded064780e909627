/// What the server sends after it has switched protocols, and the response before that.
package struct UpgradeStream: Sendable {
    private let owner = CurlSession.Owner(ByteStream())

    package init() {}

    /// How a task delivers to the stream.
    var delivery: ResultDelivery { .stream(owner.stream, tellsEnd: true) }

    /// Connects the stream with its task, which is resumed afterwards.
    package func attach(_ task: CurlDataTask) { owner.stream.attach(task.core) }

    /// Whether the task is suspended, so that nothing is read.
    package var isSuspended: Bool { owner.stream.isSuspended }

    /// Returns the response to the handshake; throws a `URLError`, or the error of an interceptor.
    package func response() async throws -> URLResponse { try await owner.stream.response().value }

    /// The body of a response with another status than 101.
    package var chunks: CurlSession.Chunks { CurlSession.Chunks(owner: owner) }

    /// Returns what the server has sent after the status 101, without waiting; at the end, `nil` in the result or the
    /// error; and nothing if more may come.
    ///
    /// Then the observer is called once, on any thread, when there is more or the end; it must not call this function.
    /// A Swift task that waited would take 4 KB for each connection.
    package func next(orCall observer: @escaping @Sendable () -> Void) -> Result<Data?, any Error>? {
        owner.stream.next(orCall: observer)
    }

    /// Separates the stream from its task, which is released.
    package func detach() { owner.stream.detach() }

    /// Ends the wait for a response of a task that is released.
    package func finish() { owner.stream.finish(URLError(.cancelled)) }

    /// Ends the task with an error; has no effect before the stream is attached, and after its end.
    package func fail(with error: URLError) { owner.stream.fail(with: error) }

    /// Has the task succeed however its connection ends, since the protocol has ended before; has no effect after that.
    package func close() { owner.stream.close() }

    /// Cancels the task; has no effect before the stream is attached, and after its end.
    package func cancel() { owner.stream.cancel() }
}
