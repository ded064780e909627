import FerryWebSockets

/// A client of a chat room, whose server sends each message to all who are there.
///
/// It joins the room again when its connection is lost, also if the server is away for some minutes.
public struct ChatRoom: Sendable {
    /// A message as the server sends it.
    public struct Line: Codable, Hashable, Sendable {
        /// The name of the speaker.
        public var name: String
        /// What was said.
        public var text: String

        /// Makes a line.
        public init(name: String, text: String) { (self.name, self.text) = (name, text) }
    }

    private let session: CurlSession
    private let url: URL
    private let name: String

    /// Describes a room; nothing is sent before ``lines()`` is read.
    public init(_ url: URL, name: String, session: CurlSession = CurlSession(configuration: .ephemeral)) {
        (self.url, self.name, self.session) = (url, name, session)
    }

    /// The messages of the others and one's own, in the server's order.
    ///
    /// - Parameter joined: Called each time the room is entered, with a function that says something.
    /// - Returns: The messages, until the server closes the room.
    public func lines(
        joined: @escaping @Sendable (@escaping @Sendable (String) async throws -> Void) async throws -> Void
    ) -> AsyncThrowingStream<Line, any Error> {
        var options = WebSocketTask.Options()
        // A connection that was lost without a sign is noticed within a minute.
        options.pingInterval = 30
        let name = name
        // A server that restarts may be away for minutes: the delays grow to 30 seconds.
        var policy = RetryPolicy.standard
        policy.maximumRetries = 30
        policy.backoff.cap = 30
        let messages = session.webSocketMessages(
            with: URLRequest(url: url),
            options: options,
            reconnecting: policy
        ) { socket in
            try await joined { text in try await socket.send(json: Line(name: name, text: text)) }
        }
        return AsyncThrowingStream { continuation in
            let reader = Task {
                do {
                    for try await message in messages {
                        continuation.yield(try JSONDecoder().decode(Line.self, from: message.data))
                    }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in reader.cancel() }
        }
    }

    /// Sends a text to a server that sends it back, and returns the time that took.
    public static func echo(_ text: String, _ url: URL, _ session: CurlSession) async throws -> Duration {
        let socket = session.webSocket(with: url)
        socket.resume()
        defer { socket.cancel(with: .normalClosure) }
        let start = ContinuousClock.now
        try await socket.send(.string(text))
        guard try await socket.receive() == .string(text) else { throw URLError(.cannotParseResponse) }
        return ContinuousClock.now - start
    }
}
