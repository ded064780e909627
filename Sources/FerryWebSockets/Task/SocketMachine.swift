/// The life of a connection (RFC 6455, sections 4, 5.5 and 7), as a pure value.
///
/// | state | open | close | receives a close frame | violation | end of the connection |
/// | --- | --- | --- | --- | --- | --- |
/// | connecting | opens | ends | | | ends |
/// | open | | sends a close frame, closes | sends one back, closes | sends one, closes | ends |
/// | closing | | | ends | ends | ends |
/// | ended | | | | | |
///
/// In the state "closing", the end of the connection is awaited for a limited time.
struct SocketMachine: Hashable, Sendable {
    enum State: Hashable, Sendable {
        case connecting
        case open
        /// A close frame was sent.
        case closing
        case ended
    }

    enum Event: Hashable, Sendable {
        /// The server has agreed to the handshake.
        case opened
        /// The program closes the connection.
        case close(WebSocketTask.CloseCode, Data)
        /// The program ends the connection without a close frame.
        case cancel
        case receivedClose(WebSocketTask.CloseCode?, Data)
        case violation(ProtocolViolation)
        /// The connection has ended, with or without an error.
        case disconnected
        /// The server has not answered a ping in time.
        case pingTimeout
        /// The connection has not ended in time after the close frames.
        case closeTimeout
    }

    /// A step that follows from an event.
    enum Step: Hashable, Sendable {
        /// A close frame is sent, and the connection is ended after a time if the server does not end it.
        case sendClose(WebSocketTask.CloseCode?, Data)
        /// Nothing more is sent.
        case finishSending
        /// The connection is ended at once.
        case disconnect
        /// The calls that wait for the connection end.
        case tellEnd
    }

    private(set) var state = State.connecting
    /// The code with which the connection was closed: the server's, or else the program's.
    private(set) var closeCode: WebSocketTask.CloseCode?
    private(set) var closeReason: Data?
    /// Whether the server's close frame has arrived.
    private(set) var isClosedByServer = false

    mutating func handle(_ event: Event) -> [Step] {
        switch (state, event) {
        case (.ended, _): return []
        case (.connecting, .opened):
            state = .open
            return []
        case (.open, .close(let code, let reason)):
            state = .closing
            (closeCode, closeReason) = (code, reason)
            return [.sendClose(code, reason)]
        case (.open, .receivedClose(let code, let reason)):
            noteClose(code, reason)
            state = .closing
            // The server ends the connection (section 7.1.1).
            return [.sendClose(code, Data()), .finishSending, .tellEnd]
        case (.closing, .receivedClose(let code, let reason)):
            guard !isClosedByServer else { return [] }
            noteClose(code, reason)
            return [.finishSending, .tellEnd]
        case (.open, .violation(let violation)):
            state = .closing
            (closeCode, closeReason) = (violation.code, Data(violation.message.utf8))
            return [.sendClose(violation.code, Data()), .finishSending, .tellEnd]
        case (.connecting, .close(let code, let reason)):
            state = .ended
            (closeCode, closeReason) = (code, reason)
            return [.disconnect, .tellEnd]
        case (_, .disconnected):
            state = .ended
            closeCode = closeCode ?? .abnormalClosure
            return [.finishSending, .tellEnd]
        case (_, .cancel), (_, .closeTimeout), (.open, .pingTimeout), (.closing, .violation):
            state = .ended
            closeCode = closeCode ?? .abnormalClosure
            return [.disconnect, .tellEnd]
        case (.connecting, _), (.open, _), (.closing, _): return []
        }
    }

    private mutating func noteClose(_ code: WebSocketTask.CloseCode?, _ reason: Data) {
        isClosedByServer = true
        (closeCode, closeReason) = (code ?? .noStatusReceived, reason)
    }
}
