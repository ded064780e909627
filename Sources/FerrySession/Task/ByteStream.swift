/// The bytes of one response on their way to a consumer that pulls them.
final class ByteStream: Sendable {
    private struct State: ~Copyable, Sendable {
        var buffer = ByteBuffer()
        var response: URLResponse?
        var isFinished = false
        var error: (any Error)?
        var isFull = false
        var responseWaiter: CheckedContinuation<URLResponse, any Error>?
        var chunkWaiter: CheckedContinuation<Data?, any Error>?
        var core: TaskCore?
    }

    private let state = Mutex(State())

    /// Ties the stream to its task, which it cancels when nobody reads any more.
    func attach(_ core: TaskCore) {
        state.withLock { $0.core = core }
    }

    // MARK: - The engine's side

    /// Takes bytes, and answers whether there is room for more.
    func append(_ bytes: UnsafeRawBufferPointer) -> Flow {
        let (flow, waiter, data) = state.withLock { state -> (Flow, CheckedContinuation<Data?, any Error>?, Data?) in
            guard state.buffer.append(bytes) else { return (.noMemory, nil, nil) }
            if let waiter = state.chunkWaiter {
                state.chunkWaiter = nil
                return (.more, waiter, state.buffer.takePiece())
            }
            state.isFull = state.buffer.count >= TaskCore.bufferLimit
            return (state.isFull ? .wait : .more, nil, nil)
        }
        waiter?.resume(returning: data)
        return flow
    }

    func respond(_ response: URLResponse) {
        let waiter = state.withLock { state in
            state.response = response
            defer { state.responseWaiter = nil }
            return state.responseWaiter
        }
        waiter?.resume(returning: response)
    }

    func finish(_ error: (any Error)?) {
        typealias Waiters = (CheckedContinuation<URLResponse, any Error>?, CheckedContinuation<Data?, any Error>?)
        let (response, chunk) = state.withLock { state -> Waiters in
            state.isFinished = true
            state.error = error
            state.core = nil
            defer { (state.responseWaiter, state.chunkWaiter) = (nil, nil) }
            return (state.responseWaiter, state.chunkWaiter)
        }
        response?.resume(throwing: error ?? URLError(.networkConnectionLost))
        if let error { chunk?.resume(throwing: error) } else { chunk?.resume(returning: nil) }
    }

    // MARK: - The consumer's side

    /// The response, when it is there.
    func response() async throws -> URLResponse {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                let known = state.withLock { state -> Result<URLResponse, any Error>? in
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
    }

    /// All the bytes that are there, or the next ones; `nil` at the end.
    func next() async throws -> Data? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                let (known, core) = state.withLock { state -> (Result<Data?, any Error>?, TaskCore?) in
                    if !state.buffer.isEmpty {
                        defer { state.isFull = false }
                        return (.success(state.buffer.takePiece()), state.isFull ? state.core : nil)
                    }
                    if let error = state.error { return (.failure(error), nil) }
                    if state.isFinished { return (.success(nil), nil) }
                    guard state.chunkWaiter == nil else { return (.failure(Self.secondReader), nil) }
                    state.chunkWaiter = waiter
                    return (nil, nil)
                }
                core?.readMore()
                if let known { waiter.resume(with: known) }
            }
        } onCancel: {
            cancel()
        }
    }

    /// Ends the transfer, since nobody reads any more; a stream that has ended takes no harm.
    func cancel() {
        state.withLock { $0.core }?.cancel()
    }

    private static let secondReader = URLError.ferry(
        .unknown,
        url: nil,
        "The bytes of a response are read by two tasks"
    )
}

extension TaskCore {
    /// Tells the engine that there is room for more of the body.
    func readMore() {
        let driver = state.withLock { state -> (any TaskDriver)? in
            guard state.isEngineWaiting else { return nil }
            state.isEngineWaiting = false
            return state.driver
        }
        driver?.perform(.readMore)
    }
}
