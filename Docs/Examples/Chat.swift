import FerryWebSockets

/// A client of a chat room, whose server sends each message to all clients.
///
/// The client reconnects when its connection is lost, even if the server is unavailable for some minutes.
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

    /// Returns all messages of the room, this client's included, in the server's order.
    ///
    /// - Parameter joined: Called each time the room is entered, with a function that sends a message.
    /// - Returns: The messages, until the server closes the room.
    public func lines(
        joined: @escaping @Sendable (@escaping @Sendable (String) async throws -> Void) async throws -> Void
    ) -> AsyncThrowingStream<Line, any Error> {
        var options = WebSocketTask.Options()
        // Pings detect within a minute that a connection is dead although nothing has closed it.
        options.pingInterval = 30
        let name = name
        // A server that restarts may be unavailable for minutes: the delays grow to 30 seconds.
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

    /// Sends a text to an echo server, and returns the time of the round trip.
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
