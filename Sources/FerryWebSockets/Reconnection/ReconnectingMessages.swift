/// The messages of a WebSocket that is opened again when its connection is lost.
///
/// ```swift
/// let messages = session.webSocketMessages(with: request) { socket in
///     try await socket.send(.string("subscribe"))
/// }
/// for try await message in messages { print(message) }
/// ```
///
/// It is opened again after network failures and statuses that the policy names, and after the close codes 1001, 1006
/// and 1011 to 1014, with the policy's delays. The count of attempts returns to zero after a message, or once a
/// connection was open for 10 seconds. The sequence ends when the connection is closed with the code 1000 or without a
/// code, and throws all other errors. Messages that the server has sent in the meantime are lost, unless its protocol
/// sends them again.
///
/// The connection is closed with 1001 when the iterator is released or the Swift task is cancelled.
public struct ReconnectingMessages: AsyncSequence, Sendable {
    let policy: RetryPolicy
    let makeTask: @Sendable () -> WebSocketTask
    let opened: @Sendable (WebSocketTask) async throws -> Void
    /// Waits for a number of seconds.
    var sleep: @Sendable (TimeInterval) async throws -> Void = { try await SystemClock.sleep(TimeSpan(seconds: $0)) }
    var now: @Sendable () -> MonotonicTime = { .now() }

    /// Returns an iterator, which opens a connection of its own.
    public func makeAsyncIterator() -> Iterator { Iterator(messages: self) }

    /// An iterator over the messages.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let messages: ReconnectingMessages
        private var connection: OwnedConnection?
        /// When the connection has opened; `nil` if it has not.
        private var opening: MonotonicTime?
        private var failures = 0
        /// Whether the sequence has ended, with or without an error.
        private var isOver = false

        fileprivate init(messages: ReconnectingMessages) { self.messages = messages }

        /// Returns the next message, or `nil` when the server has closed the connection.
        ///
        /// - Throws: The error after which the connection is not opened again.
        public mutating func next() async throws -> WebSocketTask.Message? {
            while !isOver {
                do {
                    let message = try await current().receive()
                    failures = 0
                    return message
                } catch let error as WebSocketError where error.isNormalEnd {
                    (connection, isOver) = (nil, true)
                } catch {
                    if let opening, messages.now().since(opening) >= ReconnectionRule.minimumOpenTime { failures = 0 }
                    // Set until the wait for the next connection has ended.
                    (connection, isOver) = (nil, true)
                    if Task.isCancelled { throw CancellationError() }
                    let (policy, random) = (messages.policy, Double.random(in: 0...1))
                    let delay = ReconnectionRule.delay(after: error, failures: failures, policy: policy, random: random)
                    guard let delay else { throw error }
                    failures += 1
                    try await messages.sleep(delay)
                    isOver = false
                }
            }
            return nil
        }

        /// Returns the open connection, or opens one.
        private mutating func current() async throws -> WebSocketTask {
            if let connection { return connection.task }
            let next = OwnedConnection(messages.makeTask())
            (connection, opening) = (next, nil)
            next.task.resume()
            try await next.task.waitUntilOpen()
            opening = messages.now()
            do {
                try await messages.opened(next.task)
            } catch let error as WebSocketError where error.code == .closed && next.task.closeCode != .invalid {
                // The messages before the end of the connection are received first.
            }
            return next.task
        }
    }

    /// Closes a connection when it is released.
    private final class OwnedConnection: Sendable {
        let task: WebSocketTask

        init(_ task: WebSocketTask) { self.task = task }

        deinit { task.cancel(with: .goingAway) }
    }
}

extension WebSocketError {
    /// Whether the connection was closed with the code 1000 or without a code.
    fileprivate var isNormalEnd: Bool {
        code == .closed && (closeCode == .normalClosure || closeCode == .noStatusReceived)
    }
}

extension CurlSession {
    /// Returns the messages of a WebSocket that is opened again when its connection is lost.
    ///
    /// - Parameters:
    ///   - request: The request of the handshake, as in `webSocket(with:protocols:options:)`.
    ///   - protocols: The subprotocols that the program understands; by default, those that the request's field names.
    ///   - options: The settings. A ping interval detects connections that were lost silently.
    ///   - policy: The policy for attempts after the first one; by default 3 in a row.
    ///   - opened: Called each time a connection has opened, before its first message is delivered, for example to send
    ///     what the server needs to know; it runs in the Swift task that reads.
    /// - Returns: The sequence.
    public func webSocketMessages(
        with request: URLRequest,
        protocols: [String] = [],
        options: WebSocketTask.Options = WebSocketTask.Options(),
        reconnecting policy: RetryPolicy = .standard,
        opened: @escaping @Sendable (WebSocketTask) async throws -> Void = { _ in }
    ) -> ReconnectingMessages {
        ReconnectingMessages(
            policy: policy,
            makeTask: { self.webSocket(with: request, protocols: protocols, options: options) },
            opened: opened
        )
    }
}
