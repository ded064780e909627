extension WebSocketConnection {
    // MARK: - Receiving

    /// Reads the bytes that the server has sent, in a Swift task that ends when all are read.
    func beginReading() { Task { await readAvailable() } }

    private func readAvailable() async {
        do {
            while let next = stream.next(orCall: { [self] in beginReading() }) {
                guard var rest = try next.get() else { return handle(.disconnected) }
                state.withLock { $0.receivedCount &+= rest.count }
                while machine.state != .ended, let event = try reader.withLock({ try $0?.next(&rest) }) {
                    await receive(event)
                }
            }
        } catch let error as ProtocolViolation {
            close(after: error)
        } catch let error as URLError where error.code == .networkConnectionLost {
            lose(error)
        } catch {
            fail(error, .disconnected)
        }
    }

    private func receive(_ event: MessageReader.Event) async {
        switch event {
        case .message(let message): await deliver(message)
        case .ping(let payload): await answerPing(payload)
        case .pong(let payload):
            let waiters = state.withLock { $0.pings.take(through: payload) }
            for waiter in waiters { waiter.resume() }
        case .close(let code, let reason):
            stream.close()
            handle(.receivedClose(code, reason))
        }
    }

    /// Delivers a message, and returns when there is room for another one.
    private func deliver(_ message: WebSocketTask.Message) async {
        let (receiver, isFull) = state.withLock { state -> (MessageInbox.Handler?, Bool) in
            if state.isCut || state.machine.state == .ended { return (nil, false) }
            return (state.inbox.add(message), state.inbox.isFull)
        }
        receiver?(.success(message))
        guard isFull else { return }
        await withCheckedContinuation { continuation in
            let mustWait = state.withLock { state in
                guard state.inbox.isFull, !state.isCut, state.machine.state != .ended else { return false }
                state.inbox.wait(continuation)
                return true
            }
            if !mustWait { continuation.resume() }
        }
    }

    /// The number of pongs that may wait behind a message before the server is no longer read.
    private static let maximumPongs = 64

    /// Sends the answer to a ping; waits if the server has sent many pings without reading the answers.
    private func answerPing(_ payload: Data) async {
        guard let pipe = state.withLock({ $0.machine.state == .open ? $0.pipe : nil }) else { return }
        try? pipe.append(FrameWriter.frame(.pong, payload, mask: Self.mask()))
        let (appended, read) = pipe.position
        let isFlooded = state.withLock { state in
            state.pongs = (read >= state.pongs.end ? 1 : state.pongs.count + 1, appended)
            return state.pongs.count > Self.maximumPongs
        }
        if isFlooded { try? await pipe.waitForRoom() }
    }

    func receive() async throws -> WebSocketTask.Message {
        let number = state.withLock { $0.inbox.nextNumber() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                receive(number, endsIfCancelled: true) { continuation.resume(with: $0) }
            }
        } onCancel: {
            state.withLock { $0.inbox.removeReceiver(number) }?(.failure(CancellationError()))
        }
    }

    func receive(_ handler: @escaping MessageInbox.Handler) {
        receive(state.withLock { $0.inbox.nextNumber() }, endsIfCancelled: false) { [queue] result in
            queue.deliver { handler(result) }
        }
    }

    private func receive(_ number: Int, endsIfCancelled: Bool, _ handler: @escaping MessageInbox.Handler) {
        let (result, room) = state.withLock { state -> InboxResult in
            if endsIfCancelled, Task.isCancelled { return (.failure(CancellationError()), nil) }
            if let message = state.inbox.take() { return (.success(message), state.inbox.takeRoomIfFree()) }
            if let error = Self.end(of: state) { return (.failure(error), nil) }
            state.inbox.receivers.append((number, handler))
            return (nil, nil)
        }
        room?.resume()
        if let result { handler(result) }
    }

    private typealias InboxResult = (Result<WebSocketTask.Message, any Error>?, CheckedContinuation<Void, Never>?)

    // MARK: - Sending

    func send(_ message: WebSocketTask.Message) async throws {
        try add(message)
        try await waitUntilSent()
    }

    /// Adds a message to the outgoing ones, after those of earlier calls.
    func add(_ message: WebSocketTask.Message) throws {
        try outgoing.withLock { deflater in
            let pipe = try state.withLock { state -> BodyPipe? in
                if state.machine.state == .connecting {
                    state.early.append(message)
                    return nil
                }
                guard state.machine.state == .open, let pipe = state.pipe else {
                    throw Self.end(of: state) ?? Self.notOpen
                }
                return pipe
            }
            guard let pipe, !Self.append(message, to: pipe, &deflater) else { return }
            throw state.withLock { Self.end(of: $0) } ?? Self.lost()
        }
    }

    /// Appends the frame of a message, and returns whether the connection takes it.
    static func append(
        _ message: WebSocketTask.Message,
        to pipe: BodyPipe,
        _ deflater: inout MessageDeflater?
    ) -> Bool {
        let (type, payload): (FrameType, Data) =
            switch message {
            case .data(let data): (.binary, data)
            case .string(let text): (.text, Data(text.utf8))
            }
        let compressed = deflater?.deflate(payload)
        let frame = FrameWriter.frame(type, compressed ?? payload, isCompressed: compressed != nil, mask: mask())
        return (try? pipe.append(frame)) != nil
    }

    /// Returns when the connection is open and has taken enough of the outgoing messages.
    func waitUntilSent() async throws {
        await wait(in: \.openWaiters) { $0 == .connecting }
        try Task.checkCancellation()
        let pipe = try state.withLock { state in
            if state.agreement == nil, let error = Self.end(of: state) { throw error }
            return state.pipe
        }
        // Messages that the connection has taken count as sent, even if it has ended since then.
        guard let pipe, pipe.isFull else { return }
        do {
            try await pipe.waitForRoom()
        } catch is CurlSessionError {
            throw state.withLock { Self.end(of: $0) } ?? Self.lost()
        }
    }

    /// Calls a handler of the program on the session's delegate queue when an operation has ended.
    func call(
        _ handler: @escaping @Sendable ((any Error)?) -> Void,
        _ operation: @escaping @Sendable (WebSocketConnection) async throws -> Void
    ) {
        Task {
            var failure: (any Error)?
            do { try await operation(self) } catch { failure = error }
            queue.deliver { [failure] in handler(failure) }
        }
    }

    /// Returns a mask that the author of a message cannot guess (RFC 6455, section 10.3).
    static func mask() -> UInt32 {
        var generator = SystemRandomNumberGenerator()
        return UInt32.random(in: .min ... .max, using: &generator)
    }

    // MARK: - Pings

    func ping() async throws {
        try await waitUntilSent()
        let payload = withUnsafeBytes(of: UInt64.random(in: .min ... .max)) { Data($0) }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let pipe = state.withLock { state -> Result<BodyPipe, any Error> in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    guard state.machine.state == .open, let pipe = state.pipe else {
                        return .failure(Self.end(of: state) ?? Self.notOpen)
                    }
                    state.pings.add(payload, continuation)
                    return .success(pipe)
                }
                do {
                    try pipe.get().append(FrameWriter.frame(.ping, payload, mask: Self.mask()))
                } catch {
                    if case .failure = pipe { return continuation.resume(throwing: error) }
                    // The pipe is closed. The end of the connection may already have ended the wait.
                    let (waiter, end) = state.withLock { ($0.pings.remove(payload), Self.end(of: $0)) }
                    waiter?.resume(throwing: end ?? Self.lost(error))
                }
            }
        } onCancel: {
            state.withLock { $0.pings.remove(payload) }?.resume(throwing: CancellationError())
        }
    }

    /// Sends pings, and ends the connection if one is not answered before the next.
    ///
    /// While the reader waits for room, or the task is suspended, the answer may have arrived without being read; while
    /// other bytes are sent or received, the ping or its answer may wait behind them. After such an interval, the
    /// answer is awaited for another one.
    func keepAlive(_ interval: TimeSpan) async {
        guard await Self.sleep(interval) else { return }
        while true {
            let hasAnswered = Mutex(false)
            // The ping waits behind these bytes, which may all have arrived when the interval ends.
            var isBehind = await stream.isSending(within: interval)
            let ping = Task {
                try await self.ping()
                hasAnswered.withLock { $0 = true }
            }
            var mayBeUnread = false
            repeat {
                let (changes, pipe, count) = state.withLock { ($0.inbox.changes, $0.pipe, $0.receivedCount) }
                let wasSuspended = stream.isSuspended
                let before = pipe?.position
                guard await Self.sleep(interval) else { return ping.cancel() }
                let hasWaited = state.withLock { $0.inbox.hasWaited(since: changes) || $0.receivedCount != count }
                let isSending = before.map { $0.read < $0.appended && $0.read != pipe?.position.read } ?? false
                mayBeUnread = hasWaited || wasSuspended || stream.isSuspended || isSending || isBehind
                if hasAnswered.withLock({ $0 }) { break }
                isBehind = await stream.isSending(within: interval)
                mayBeUnread = mayBeUnread || isBehind
            } while mayBeUnread
            if !hasAnswered.withLock({ $0 }) {
                ping.cancel()
                return fail(WebSocketError(.timedOut, "The server has not answered a ping in time"), .pingTimeout)
            }
        }
    }
}
