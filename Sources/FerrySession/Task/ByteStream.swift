/// The body of one response, on its way to a consumer that pulls it.
package final class ByteStream: Sendable {
    private struct State: ~Copyable, Sendable {
        var buffer = ByteBuffer()
        var response: ReceivedResponse?
        var isFinished = false
        var error: (any Error)?
        var isFull = false
        /// Whether what arrives goes to the function and not to the buffer.
        var isPassedOn = false
        var responseWaiter: CheckedContinuation<ReceivedResponse, any Error>?
        var chunkWaiter: ChunkWaiter?
        var core: TaskCore?

        /// Returns all buffered bytes, or `nil` at the end; or nothing if more may come.
        ///
        /// The task that is returned with them has waited for room, and must continue.
        mutating func take() -> (known: Result<Data?, any Error>?, core: TaskCore?) {
            if !buffer.isEmpty {
                defer { isFull = false }
                return (.success(buffer.takePiece()), isFull ? core : nil)
            }
            if let error { return (.failure(error), nil) }
            return (isFinished ? .success(nil) : nil, nil)
        }
    }

    /// A reader or observer that waits for bytes or the end.
    private enum ChunkWaiter {
        case reader(CheckedContinuation<Data?, any Error>)
        /// A function that is called once, and reads later.
        case observer(@Sendable () -> Void)

        func resume(with result: Result<Data?, any Error>) {
            switch self {
            case .reader(let reader): reader.resume(with: result)
            case .observer(let observer): observer()
            }
        }
    }

    private let state = Mutex(State())
    /// The function that bytes are passed to; its lock is held during a call, so that no call follows its removal.
    private let sink = Mutex<ByteSink?>(nil)

    /// Connects the stream to its task, which is cancelled when the consumer stops reading.
    package func attach(_ task: CurlDataTask) {
        let core = task.core
        // A task that has ended would be retained for ever, since it retains the stream.
        state.withLock { state in
            if !state.isFinished { state.core = core }
        }
    }

    /// Whether the task is suspended, so that nothing is read.
    package var isSuspended: Bool { state.withLock { $0.core }?.isSuspended ?? false }

    /// Whether the system still sends bytes of the task, some of which the server has acknowledged within a time.
    package func isSending(within time: TimeSpan) async -> Bool {
        guard let driver = state.withLock({ $0.core })?.state.withLock({ $0.driver }) else { return false }
        return await withCheckedContinuation { driver.perform(.askIsSending(within: time, Answer($0))) }
    }

    var hasReader: Bool { state.withLock { $0.chunkWaiter != nil } }

    // MARK: - The engine's side

    /// Appends bytes, and returns whether there is room for more, and whether ``flush()`` must be called; `nil` if they
    /// are for ``passOn(_:)``.
    ///
    /// ``flush()`` wakes a waiting reader at the end of the engine's turn. Waking it for each piece would cost more
    /// than moving the bytes.
    func append(_ bytes: UnsafeRawBufferPointer, limit: Int) -> (flow: Flow, mustFlush: Bool)? {
        state.withLock { state in
            guard !state.isPassedOn else { return nil }
            let wasEmpty = state.buffer.isEmpty
            guard state.buffer.append(bytes) else { return (.noMemory, false) }
            state.isFull = state.buffer.count >= limit
            return (state.isFull ? .wait : .more, wasEmpty && state.chunkWaiter != nil)
        }
    }

    /// Passes bytes to the function, and returns whether ``flush()`` must be called.
    func passOn(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var wasEmpty = false
        changeSink { sink in
            wasEmpty = sink.isEmpty
            return sink.add(bytes)
        }
        return wasEmpty
    }

    /// Changes the sink, and ends the wait of ``pass(to:)`` if the function wants no more.
    private func changeSink(_ body: (inout ByteSink) -> Bool) {
        let isOver = sink.withLock { sink in
            guard var changed = sink.take() else { return false }
            let isWanted = body(&changed)
            if isWanted { sink = changed }
            return !isWanted
        }
        guard isOver else { return }
        let waiter = state.withLock { state in
            defer { state.chunkWaiter = nil }
            return state.chunkWaiter
        }
        waiter?.resume(with: .success(nil))
    }

    /// Passes the buffered bytes to a waiting reader, or to the function.
    func flush() {
        changeSink { $0.flush() }
        let (waiter, data, core) = state.withLock { state -> (ChunkWaiter?, Data?, TaskCore?) in
            guard let waiter = state.chunkWaiter, !state.buffer.isEmpty else { return (nil, nil, nil) }
            state.chunkWaiter = nil
            if case .observer = waiter { return (waiter, nil, nil) }
            defer { state.isFull = false }
            return (waiter, state.buffer.takePiece(), state.isFull ? state.core : nil)
        }
        core?.readMore()
        waiter?.resume(with: .success(data))
    }

    func respond(_ response: ReceivedResponse) {
        let waiter = state.withLock { state in
            state.response = response
            defer { state.responseWaiter = nil }
            return state.responseWaiter
        }
        waiter?.resume(returning: response)
    }

    package func finish(_ error: (any Error)?) {
        flush()
        typealias Waiters = (CheckedContinuation<ReceivedResponse, any Error>?, ChunkWaiter?)
        let (response, chunk) = state.withLock { state -> Waiters in
            state.isFinished = true
            state.error = error
            state.core = nil
            defer { (state.responseWaiter, state.chunkWaiter) = (nil, nil) }
            return (state.responseWaiter, state.chunkWaiter)
        }
        response?.resume(throwing: error ?? URLError(.networkConnectionLost))
        chunk?.resume(with: error.map { .failure($0) } ?? .success(nil))
    }

    // MARK: - The consumer's side

    package func response() async throws -> ReceivedResponse {
        let response = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                let known = state.withLock { state -> Result<ReceivedResponse, any Error>? in
                    if let response = state.response { return .success(response) }
                    if state.isFinished { return .failure(state.error ?? URLError(.networkConnectionLost)) }
                    state.responseWaiter = waiter
                    return nil
                }
                if let known { waiter.resume(with: known) }
            }
        } onCancel: {
            cancel()
        }
        // If a continuation is resumed before its task waits, only the lock shows the thread sanitizer their order.
        return state.withLock { $0.response } ?? response
    }

    /// Passes the body to a function, and returns at its end, or when the function returns `false`.
    func pass(to function: @escaping @Sendable (UnsafeRawBufferPointer) -> Bool) async throws {
        sink.withLock { $0 = ByteSink(function) }
        defer { sink.withLock { $0 = nil } }
        // The bytes in the buffer come first.
        while let data = try await next(isolation: nil, passesOn: true) {
            guard data.withUnsafeBytes({ function($0) }) else { return }
        }
    }

    /// Returns all buffered bytes without waiting: at the end, a result with `nil` or the error; and no result if more
    /// may come.
    ///
    /// Without a result, the observer is called once, on any thread, when there is more or the end; it must not call
    /// this function. A Swift task that waited would take 4 KB for each connection.
    package func next(orCall observer: @escaping @Sendable () -> Void) -> Result<Data?, any Error>? {
        let (known, core) = state.withLock { state in
            let (known, core) = state.take()
            if known == nil { state.chunkWaiter = .observer(observer) }
            return (known, core)
        }
        core?.readMore()
        return known
    }

    /// Returns all buffered bytes, or waits for the next ones; `nil` at the end.
    ///
    /// If `passesOn` is true, the next ones go to the function instead, so that only the end is waited for.
    func next(isolation: isolated (any Actor)?, passesOn: Bool = false) async throws -> Data? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                let (known, core) = state.withLock { state -> (Result<Data?, any Error>?, TaskCore?) in
                    let (known, core) = state.take()
                    if known != nil { return (known, core) }
                    guard state.chunkWaiter == nil else { return (.failure(Self.secondReader), nil) }
                    (state.chunkWaiter, state.isPassedOn) = (.reader(waiter), passesOn)
                    return (nil, nil)
                }
                core?.readMore()
                if let known { waiter.resume(with: known) }
            }
        } onCancel: {
            cancel()
        }
    }

    /// Cancels the transfer, since there is no reader any more; has no effect on a stream that has ended.
    package func cancel() { state.withLock { $0.core }?.cancel() }

    /// Ends the transfer with an error; has no effect on a stream that has ended.
    package func fail(with error: URLError) { state.withLock { $0.core }?.fail(with: error) }

    /// Makes the task succeed however the transfer ends, since its protocol has ended; has no effect after the end.
    package func close() { state.withLock { $0.core }?.state.withLock { $0.isClosed = true } }

    /// Separates the stream from its task, which is then not cancelled any more.
    package func detach() {
        let core = state.withLock { state in
            defer { state.core = nil }
            return state.core
        }
        // The core is released outside the lock.
        withExtendedLifetime(core) {}
    }

    private static let secondReader = URLError.ferry(.unknown, url: nil, "Only one task can read a response's bytes")
}

extension TaskCore {
    /// Resumes the transfer, if it waits for room in the buffer.
    func readMore() {
        let driver = state.withLock { state -> (any TaskDriver)? in
            guard state.isEngineWaiting else { return nil }
            state.isEngineWaiting = false
            return state.driver
        }
        driver?.perform(.readMore)
    }
}
