/// What the server sends after it has switched protocols, and the response before that.
package struct UpgradeStream: Sendable {
    private let owner = CurlSession.Owner(ByteStream())

    package init() {}

    /// How a task delivers to the stream.
    var delivery: ResultDelivery { .stream(owner.stream, tellsEnd: true) }

    /// Connects the stream with its task, which is resumed afterwards.
    package func attach(_ task: CurlDataTask) { owner.stream.attach(task.core) }

    /// Returns the response to the handshake.
    ///
    /// - Throws: A `URLError`, or the error of an interceptor.
    package func response() async throws -> URLResponse { try await owner.stream.response().value }

    /// What follows the response: its body, or the bytes of the connection after the status 101.
    package var chunks: CurlSession.Chunks { CurlSession.Chunks(owner: owner) }

    /// Cancels the task; has no effect before the stream is attached, and after its end.
    package func cancel() { owner.stream.cancel() }
}
