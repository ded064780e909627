/// A connection of the WebSocket protocol (RFC 6455), with the vocabulary of `URLSessionWebSocketTask`.
///
/// ```swift
/// let socket = session.webSocket(with: url)
/// socket.resume()
/// try await socket.send(.string("hello"))
/// for try await message in socket.messages { print(message) }
/// ```
///
/// The handshake is a request of the session: redirects, challenges, cookies, interceptors, proxies, trust and client
/// certificates are as for any other. The connection is not one of `httpMaximumConnectionsPerHost` once it is open.
/// Messages are compressed if the server agrees (RFC 7692).
///
/// The server is read only as fast as the program receives: at most about 1 MiB, or one larger message, waits in
/// memory. Pings are answered while messages are read. A task that runs is retained until its connection has ended.
///
/// It is a task of its session like others: the delegate receives challenges, redirects, metrics and its end, and
/// `getAllTasks` returns it among the data tasks.
public final class WebSocketTask: CurlDataTask, @unchecked Sendable {
    /// The settings of a connection.
    public struct Options: Sendable, Hashable {
        /// The largest size of a message that is received, in bytes, after its compression is undone; 1 MiB by default.
        public var maximumMessageSize = 1_048_576
        /// A Boolean value that indicates whether compression is offered to the server; `true` by default.
        public var offersCompression = true
        /// The time between pings, in seconds; `nil`, the default, for none.
        ///
        /// A ping that is not answered before the next one ends the connection with the error `timedOut`. The answer
        /// may take longer while the task is suspended, the server sends other data, or the program receives so slowly
        /// that the server is not read.
        public var pingInterval: TimeInterval?
        /// The longest time between sending the close frame and the end of the connection, in seconds; 5 by default.
        public var closeTimeout: TimeInterval = 5

        /// Creates the default options, which a closure may change.
        public init(configure: (inout Self) -> Void = { _ in }) { configure(&self) }
    }

    // The properties are constants of types that are `Sendable`.
    private let connection: WebSocketConnection
    /// The error with which the task will fail; nil if the request is valid.
    private let invalidity: WebSocketError?

    private init(_ core: TaskCore, _ connection: WebSocketConnection, _ invalidity: WebSocketError?) {
        (self.connection, self.invalidity) = (connection, invalidity)
        super.init(core: core)
    }

    // A task that has been resumed is retained until it has ended, and its last messages are still read then.
    deinit { if state == .suspended { connection.abandon() } }

    fileprivate static func make(
        _ session: CurlSession,
        _ request: URLRequest,
        protocols: [String],
        _ options: Options
    ) -> WebSocketTask {
        let compresses = options.offersCompression && RawDeflate.isAvailable
        // A program may name the subprotocols in the field, as with URLSession.
        let field = request.value(forHTTPHeaderField: "Sec-WebSocket-Protocol") ?? ""
        let named = field[...].utf8.parts(between: ",").map(\.trimmed.string).filter { !$0.isEmpty }
        let protocols = protocols.isEmpty ? named : protocols
        let handshake = Handshake(protocols: protocols, offersCompression: compresses)
        let connection = WebSocketConnection(
            handshake,
            options,
            usesSocketScheme: request.url.map(Handshake.isSocket) ?? false,
            queue: session.delegateQueue
        )
        var (request, invalidity) = (request, WebSocketError?.none)
        do throws(WebSocketError) { request = try handshake.request(request) } catch { invalidity = error }
        return session.makeUpgradeTask(
            request,
            connection.stream,
            startError: invalidity.map { URLError(.badURL, userInfo: [NSUnderlyingErrorKey: $0]) },
            refusal: { connection.refusal($0) },
            makePipe: { connection.makePipe() },
            makeTask: { WebSocketTask($0, connection, invalidity) }
        )
    }

    /// The connection, which from now on handles the end of the task, even if the task is never resumed.
    private var started: WebSocketConnection {
        connection.start(self, invalidity)
        return connection
    }

    /// Opens the connection.
    ///
    /// Further calls only undo those of `suspend()`. The request's `timeoutInterval` limits the whole handshake,
    /// without the time for which the task is suspended; zero and infinity set no limit. After the handshake only
    /// ``Options/pingInterval`` and the session's `deadline` limit the time.
    public override func resume() {
        _ = started
        super.resume()
    }

    /// Returns when the handshake is complete and the connection has taken enough of the messages sent before.
    ///
    /// Calling it is optional: messages that are sent earlier wait for the handshake. If the connection was open and
    /// has ended since, it returns too; see ``closeCode``.
    ///
    /// - Throws: The reason why there is no connection, or a `CancellationError` if the Swift task is cancelled.
    public func waitUntilOpen() async throws { try await started.waitUntilSent() }

    // MARK: - Messages

    /// Sends a message, and returns when the connection has taken enough of the messages so far.
    ///
    /// Messages are sent in the order of the calls, the first ones when the connection is open. A message whose call is
    /// cancelled may be sent nevertheless.
    ///
    /// - Parameter message: The message.
    /// - Throws: A ``WebSocketError``, the error of the network, or a `CancellationError` if the Swift task is
    ///   cancelled while it waits.
    public func send(_ message: Message) async throws { try await started.send(message) }

    /// Sends a message.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - completionHandler: Called on the session's delegate queue, with the error of ``send(_:)``.
    public func send(_ message: Message, completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        let added = Result { try started.add(message) }
        connection.call(completionHandler) { connection in
            try added.get()
            try await connection.waitUntilSent()
        }
    }

    /// Returns the next message.
    ///
    /// - Returns: The message.
    /// - Throws: A ``WebSocketError`` with the code `closed` if the connection is closed, another ``WebSocketError``,
    ///   the error of the network, or a `CancellationError` if the Swift task is cancelled; no message is lost then.
    public func receive() async throws -> Message { try await started.receive() }

    /// Receives the next message.
    ///
    /// - Parameter completionHandler: Called on the session's delegate queue, with the message or the error of
    ///   ``receive()``.
    public func receive(completionHandler: @escaping @Sendable (Result<Message, any Error>) -> Void) {
        started.receive(completionHandler)
    }

    /// The messages, until the connection is closed.
    public var messages: Messages { Messages(task: self) }

    /// The messages of a connection, in order.
    ///
    /// The sequence ends when the connection is closed with the code 1000, 1001, or none; otherwise it throws.
    public struct Messages: AsyncSequence, Sendable {
        fileprivate let task: WebSocketTask

        /// Returns an iterator.
        public func makeAsyncIterator() -> Iterator { Iterator(task: task) }

        /// An iterator over messages.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let task: WebSocketTask

            /// Returns the next message, or `nil` once the connection is closed.
            ///
            /// - Throws: The error of ``WebSocketTask/receive()``.
            public mutating func next() async throws -> Message? {
                do {
                    return try await task.receive()
                } catch let error as WebSocketError {
                    let normal: [CloseCode] = [.normalClosure, .goingAway, .noStatusReceived]
                    if let code = error.closeCode, normal.contains(code) { return nil }
                    throw error
                }
            }
        }
    }

    // MARK: - Control

    /// Sends a ping, and returns when the server has answered.
    ///
    /// - Throws: The errors of ``send(_:)``.
    public func ping() async throws { try await started.ping() }

    /// Sends a ping.
    ///
    /// - Parameter pongReceiveHandler: Called on the session's delegate queue when the server has answered, or with the
    ///   error of ``ping()``.
    public func sendPing(pongReceiveHandler: @escaping @Sendable ((any Error)?) -> Void) {
        started.call(pongReceiveHandler) { try await $0.ping() }
    }

    /// Closes the connection: sends a close frame after the messages before it, and waits for the server's.
    ///
    /// This happens in the background, within ``Options/closeTimeout``. Messages before the server's close frame are
    /// still received; if the program leaves too many of them waiting for so long, the rest is dropped.
    ///
    /// - Parameters:
    ///   - closeCode: The code; a code that must not be sent is left out.
    ///   - reason: Text in UTF-8, of which at most 123 bytes are sent.
    public func cancel(with closeCode: CloseCode, reason: Data? = nil) {
        connection.handle(.close(closeCode, reason ?? Data()))
        // A connection that was not open has ended at once, and must not be opened by a later `resume()`.
        if connection.machine.state == .ended { super.cancel() }
    }

    /// Ends the connection at once, without a close frame.
    public override func cancel() {
        connection.handle(.cancel)
        super.cancel()
    }

    /// Returns when the connection has ended, or when the Swift task is cancelled.
    public func waitForEnd() async { await started.waitForEnd() }

    // MARK: - State

    /// The code with which the connection is closed; `invalid` while it is not.
    ///
    /// As with URLSession, it is the server's code or, if the server has sent no close frame, the program's. It is 1006
    /// if neither has closed the connection.
    public var closeCode: CloseCode { connection.machine.closeCode ?? .invalid }
    /// The reason with which the connection is closed, if there is one.
    public var closeReason: Data? { connection.machine.closeReason }
    /// The largest size of a message that is received, in bytes; see ``Options/maximumMessageSize``.
    public var maximumMessageSize: Int { connection.options.maximumMessageSize }
    /// The subprotocol that the server has chosen; `nil` if it has chosen none, or the connection is not open yet.
    public var subprotocol: String? { connection.agreement?.subprotocol }
    /// The response to the handshake, once it has come.
    public override var response: HTTPURLResponse? { super.response as? HTTPURLResponse }
}

extension CurlSession {
    /// Makes a task for a WebSocket.
    ///
    /// - Parameters:
    ///   - request: The request of the handshake. Its URL has the scheme `ws`, `wss`, `http` or `https`; its method and
    ///     body are ignored.
    ///   - protocols: The subprotocols that the program understands, the preferred one first; by default, those in
    ///     `Sec-WebSocket-Protocol`.
    ///   - options: The settings.
    /// - Returns: The task, suspended.
    public func webSocket(
        with request: URLRequest,
        protocols: [String] = [],
        options: WebSocketTask.Options = WebSocketTask.Options()
    ) -> WebSocketTask {
        WebSocketTask.make(self, request, protocols: protocols, options)
    }

    /// Calls `webSocket(with:protocols:options:)` with a request for a URL.
    public func webSocket(
        with url: URL,
        protocols: [String] = [],
        options: WebSocketTask.Options = WebSocketTask.Options()
    ) -> WebSocketTask {
        webSocket(with: URLRequest(url: url), protocols: protocols, options: options)
    }
}
