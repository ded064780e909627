/// Performs what ``SocketMachine`` decides: the handshake, the frames in both directions, and the end.
final class WebSocketConnection: Sendable {
    struct State {
        var machine = SocketMachine()
        var inbox = MessageInbox()
        /// The messages that were sent before the connection was open.
        var early: [WebSocketTask.Message] = []
        var agreement: Handshake.Agreement?
        var pipe: BodyPipe?
        /// The Swift tasks of the connection.
        var work: [Task<Void, Never>] = []
        /// The first reason why the connection fails.
        var failure: (any Error)?
        var openWaiters = Waiters()
        var endWaiters = Waiters()
        var pings = PingList()
        /// The number of pongs appended since the connection last took one, and the position after the last one.
        var pongs = (count: 0, end: ByteCount.zero)
        /// Whether messages are dropped, because the program has closed the connection and does not receive them.
        var isCut = false
        /// The number of bytes that the server has sent, to be compared with an earlier value.
        var receivedCount = 0
        var isStarted = false
    }

    let options: WebSocketTask.Options
    /// Whether the program's URL has the scheme `ws` or `wss`; the URLs of errors then have it too.
    private let usesSocketScheme: Bool
    /// The queue on which the program's handlers are called.
    let queue: OperationQueue
    private let handshake: Handshake
    private let owner = CurlSession.Owner()
    let state = Mutex(State())
    /// Guards the outgoing frames and their compression, so that both are in the order of the calls.
    let outgoing = Mutex<MessageDeflater?>(nil)
    /// The reader of the server's bytes, once the connection is open.
    let reader = Mutex<MessageReader?>(nil)

    /// Makes a connection that is not open.
    init(_ handshake: Handshake, _ options: WebSocketTask.Options, usesSocketScheme: Bool, queue: OperationQueue) {
        (self.handshake, self.options, self.queue) = (handshake, options, queue)
        self.usesSocketScheme = usesSocketScheme
    }

    /// The bytes that the server sends, once the task was resumed.
    var stream: ByteStream { owner.stream }
    var machine: SocketMachine { state.withLock { $0.machine } }
    var agreement: Handshake.Agreement? { state.withLock { $0.agreement } }

    // MARK: - Opening

    /// Waits for the response or the end of a task that will be resumed, or will fail with the given error; only the
    /// first call has an effect.
    func start(_ task: CurlDataTask, _ error: WebSocketError?) {
        let mayStart = state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted && state.machine.state == .connecting
        }
        guard mayStart else { return }
        if let error { return fail(error, .disconnected) }
        stream.attach(task)
        addWork { await $0.shakeHands() }
    }

    /// Adds a Swift task that is cancelled when the connection ends.
    func addWork(_ body: @escaping @Sendable (WebSocketConnection) async -> Void) {
        let work = Task { await body(self) }
        let isEnded = state.withLock { state in
            if state.machine.state != .ended { state.work.append(work) }
            return state.machine.state == .ended
        }
        if isEnded { work.cancel() }
    }

    /// Waits, and returns whether the time has passed.
    static func sleep(_ time: TimeSpan) async -> Bool { (try? await SystemClock.sleep(time)) != nil }

    private func shakeHands() async {
        do {
            try await open()
            beginReading()
        } catch let error as URLError where error.sessionCause?.code == .deadlineExceeded {
            fail(WebSocketError(.timedOut, "The server has not answered the handshake in time"), .disconnected)
        } catch {
            fail(error, .disconnected)
        }
    }

    /// Makes the pipe for an attempt of the handshake, of which there may be several.
    func makePipe() -> BodyPipe {
        let pipe = BodyPipe()
        let isEnded = state.withLock { state in
            state.pipe = pipe
            return state.machine.state == .ended
        }
        if isEnded { pipe.finish() }
        return pipe
    }

    /// Returns the error with which a response to the handshake makes the task fail, if it does.
    func refusal(_ response: URLResponse) -> URLError? {
        do throws(WebSocketError) { _ = try handshake.read(response) } catch { return error.ofTask }
        return nil
    }

    private func open() async throws {
        do {
            begin(try handshake.read(try await stream.response().value))
        } catch {
            var error = error
            if let refusal = error as? WebSocketError, refusal.code == .refused { error = await withText(refusal) }
            endTask(error)
            throw error
        }
        if let interval = options.pingInterval, interval > 0 {
            addWork { await $0.keepAlive(TimeSpan(seconds: interval)) }
        }
    }

    /// Sends the messages that waited for the connection to open.
    private func begin(_ agreement: Handshake.Agreement) {
        let size = max(0, options.maximumMessageSize)
        reader.withLock { $0 = MessageReader(maximumSize: size, compression: agreement.compression) }
        let waiters = outgoing.withLock { deflater in
            deflater = agreement.compression.map { MessageDeflater($0) }
            let (early, pipe, waiters) = state.withLock { state in
                _ = state.machine.handle(.opened)
                if state.machine.state == .open { state.agreement = agreement }
                // The only Swift task so far is that of the handshake.
                defer { (state.early, state.work) = ([], []) }
                let pipe = state.machine.state == .open ? state.pipe : nil
                return (state.early, pipe, state.openWaiters.take())
            }
            if let pipe { for message in early { _ = Self.append(message, to: pipe, &deflater) } }
            return waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns the error of a refusal with the beginning of the response's body.
    private func withText(_ error: WebSocketError) async -> WebSocketError {
        var chunks = owner.chunks.makeAsyncIterator()
        let beginning = (try? await chunks.next())?.prefix(200) ?? Data()
        let text = PresentableText.message(String(decoding: beginning, as: UTF8.self))
        return text.isEmpty ? error : WebSocketError(error.code, "\(error.message): \(text)", response: error.response)
    }

    // MARK: - Ending

    func waitForEnd() async { await wait(in: \.endWaiters) { $0 != .ended } }

    /// Waits while the connection is in certain states, and no longer if the Swift task is cancelled.
    func wait(
        in waiters: any WritableKeyPath<State, Waiters> & Sendable,
        while mustWait: @Sendable (SocketMachine.State) -> Bool
    ) async {
        let number = state.withLock { $0[keyPath: waiters].nextNumber() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waits = state.withLock { state in
                    guard mustWait(state.machine.state), !Task.isCancelled else { return false }
                    state[keyPath: waiters].continuations[number] = continuation
                    return true
                }
                if !waits { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0[keyPath: waiters].continuations.removeValue(forKey: number) }?.resume()
        }
    }

    /// Records why the connection fails, and handles the event.
    func fail(_ error: any Error, _ event: SocketMachine.Event) {
        handle(event, usesSocketScheme ? (error as? URLError)?.withSocketScheme ?? error : error)
    }

    /// Records that the connection is lost after the handshake.
    func lose(_ error: URLError) { fail(Self.lost(usesSocketScheme ? error.withSocketScheme : error), .disconnected) }

    /// Closes the connection after a violation, and waits a little until the server has ended it.
    func close(after violation: ProtocolViolation) {
        let code: WebSocketError.Code = violation.code == .messageTooBig ? .messageTooLarge : .protocolViolation
        fail(WebSocketError(code, violation.message, closeCode: violation.code), .violation(violation))
        // Further bytes of the server are not needed, but the close frame must reach it.
        endClosing(after: min(TimeSpan(seconds: options.closeTimeout), .milliseconds(1_000)))
    }

    func handle(_ event: SocketMachine.Event, _ failure: (any Error)? = nil) {
        // Close frames are sent in the order of the decisions.
        let (steps, isEnded) = outgoing.withLock { _ in
            let (steps, pipe, isEnded) = state.withLock { state in
                let wasInUse = state.machine.state == .connecting || state.machine.state == .open
                let steps = state.machine.handle(event)
                if wasInUse, !steps.isEmpty { state.failure = failure }
                return (steps, state.pipe, state.machine.state == .ended)
            }
            for step in steps { perform(step, pipe) }
            return (steps, isEnded)
        }
        if steps.contains(.tellEnd) { tellEnd() }
        if isEnded { end() }
    }

    private func perform(_ step: SocketMachine.Step, _ pipe: BodyPipe?) {
        switch step {
        case .sendClose(let code, let reason):
            let messages = pipe?.position.appended
            // A pipe that is closed belongs to a connection that has ended.
            try? pipe?.append(FrameWriter.frame(.close, FrameWriter.closePayload(code, reason), mask: Self.mask()))
            endClosing(after: TimeSpan(seconds: options.closeTimeout), sending: pipe, through: messages)
        case .finishSending: pipe?.finish()
        case .disconnect:
            pipe?.finish()
            endTask(state.withLock { $0.failure })
        case .tellEnd: break
        }
    }

    /// Ends the task; its delegate receives the failure, if there is one, and not a cancellation.
    private func endTask(_ failure: (any Error)?) {
        guard let failure = failure as? WebSocketError else { return stream.cancel() }
        stream.fail(with: failure.ofTask)
    }

    /// Ends the calls that wait for a task that was released without being resumed.
    func abandon() {
        stream.detach()
        handle(.cancel)
        stream.finish(URLError(.cancelled))
    }

    /// Ends the connection after a time; the time begins again while the messages before the close frame are sent, and
    /// once if the server's close frame waits behind messages that the program does not receive.
    private func endClosing(after limit: TimeSpan, sending pipe: BodyPipe? = nil, through end: ByteCount? = nil) {
        addWork { connection in
            var before = pipe?.position.read
            while await Self.sleep(limit) {
                let read = pipe?.position.read
                var isSending = if let before, let end { before < end && read != before } else { false }
                if !isSending, end != nil { isSending = await connection.stream.isSending(within: limit) }
                before = read
                if !isSending, !connection.cutMessages() { return connection.handle(.closeTimeout) }
            }
        }
    }

    /// Drops further messages, and returns whether the reader has waited for the program to receive some.
    private func cutMessages() -> Bool {
        let room = state.withLock { state in
            state.isCut = true
            return state.inbox.takeRoom()
        }
        room?.resume()
        return room != nil
    }

    /// Ends the calls that wait for a message, a pong or the opening.
    private func tellEnd() {
        let (receivers, pings, error, open) = state.withLock { state in
            let error = Self.end(of: state) ?? Self.notOpen
            defer { (state.inbox.receivers, state.early) = ([], []) }
            return (state.inbox.receivers, state.pings.takeAll(), error, state.openWaiters.take())
        }
        for receiver in receivers { receiver.handler(.failure(error)) }
        for ping in pings { ping.resume(throwing: error) }
        for waiter in open { waiter.resume() }
    }

    private func end() {
        let (work, waiters, room) = state.withLock { state in
            defer { state.work = [] }
            return (state.work, state.endWaiters.take(), state.inbox.takeRoom())
        }
        for work in work { work.cancel() }
        room?.resume()
        for waiter in waiters { waiter.resume() }
        stream.cancel()
    }

    /// Returns the error for calls on a closed connection; `nil` if it is not closed.
    static func end(of state: borrowing State) -> (any Error)? {
        let machine = state.machine
        switch machine.state {
        case .connecting, .open: return nil
        // Messages that come before the server's close frame are delivered after the program has sent its own.
        case .closing: if !machine.isClosedByServer, state.failure == nil { return nil }
        case .ended: break
        }
        if let failure = state.failure { return failure }
        let code = machine.closeCode ?? .abnormalClosure
        return WebSocketError(.closed, "The connection is closed with the code \(code.rawValue)", closeCode: code)
    }

    static func lost(_ cause: (any Error)? = nil) -> WebSocketError {
        WebSocketError(.closed, "The connection is lost", closeCode: .abnormalClosure, underlyingError: cause)
    }

    static var notOpen: WebSocketError { WebSocketError(.closed, "The connection is not open") }
}
