/// A bounded buffer between the code that makes a request's body and libcurl, which reads it on the engine's thread.
///
/// Both sides may use it at any time. The writing side waits with ``waitForRoom()``, so that no more is made than the
/// socket takes; the reading side is woken when there are bytes again after it has found none.
package final class BodyPipe: Sendable {
    fileprivate enum End {
        case finished(trailers: [RequestField])
        case failed(any Error)
    }

    fileprivate typealias Waiter = (number: Int, continuation: CheckedContinuation<Void, any Error>)

    fileprivate struct State {
        var pieces: [Data] = []
        /// The piece that is read next, and how much of it has been read.
        var position = (piece: 0, offset: 0)
        /// The bytes that have not been read.
        var count = 0
        /// The bytes that have been appended.
        var total = ByteCount.zero
        var length: ByteCount?
        var end: End?
        var isClosed = false
        var isReaderWaiting = false
        var wake: (@Sendable () -> Void)?
        var onStarvation: (@Sendable () -> Void)?
        var onClose: (@Sendable () -> Void)?
        var waiters: [Waiter] = []
        var waiterCount = 0
    }

    /// Pieces up to this size are joined, so that many small ones cost little.
    private static let smallPiece = 4_096
    private let capacity: Int
    private let state: Mutex<State>

    /// Makes an empty pipe, to which `length` bytes must be appended, if that is known.
    ///
    /// `capacity` is how many may wait to be read before ``waitForRoom()`` waits, until half of them are read.
    package init(length: ByteCount? = nil, capacity: Int = 262_144) {
        self.capacity = max(1, capacity)
        state = Mutex(State(length: length))
    }

    // MARK: - The writing side

    /// Appends bytes without waiting, even beyond the capacity; throws if the body is over or is not read any more, or
    /// is longer than announced.
    package func append(_ data: Data) throws(CurlSessionError) {
        guard !data.isEmpty else { return }
        let (error, wake) = state.withLock { state -> (CurlSessionError?, (@Sendable () -> Void)?) in
            if let refusal = state.refusal { return (refusal, nil) }
            state.total.add(ByteCount(clamping: data.count))
            if let length = state.length, state.total > length {
                let error = Self.mismatch(state.total, length)
                state.end = .failed(error)
                return (error, state.takeWake())
            }
            state.add(data, joiningUpTo: Self.smallPiece)
            return (nil, state.takeWake())
        }
        wake?()
        if let error { throw error }
    }

    /// The numbers of bytes that were appended and that were read.
    package var position: (appended: ByteCount, read: ByteCount) {
        state.withLock { ($0.total, $0.total.subtracting(ByteCount(clamping: $0.count)) ?? .zero) }
    }

    /// Whether ``waitForRoom(isolation:)`` would wait.
    package var isFull: Bool { state.withLock { $0.count >= capacity } }

    /// Waits until there is room for more bytes; stays on the caller's actor, since there mostly is room.
    ///
    /// - Throws: A ``CurlSessionError`` if nothing is read any more, or `CancellationError`.
    package func waitForRoom(isolation: isolated (any Actor)? = #isolation) async throws {
        let number = try state.withLock { state -> Int? in
            if let refusal = state.refusal { throw refusal }
            guard state.count >= capacity else { return nil }
            state.waiterCount += 1
            return state.waiterCount
        }
        guard let number else { return try Task.checkCancellation() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let known = state.withLock { state -> Result<Void, any Error>? in
                    if let refusal = state.refusal { return .failure(refusal) }
                    if Task.isCancelled { return .failure(CancellationError()) }
                    guard state.count >= capacity else { return .success(()) }
                    state.waiters.append((number, continuation))
                    return nil
                }
                if let known { continuation.resume(with: known) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0) }
            }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Ends the body after what was appended, with the fields that follow it.
    package func finish(trailers: [RequestField] = []) {
        end { state in
            guard let length = state.length, state.total < length else { return .finished(trailers: trailers) }
            return .failed(Self.mismatch(state.total, length))
        }
    }

    /// Ends the body with an error, which becomes the error of its task; what was appended is not sent any more.
    package func fail(_ error: any Error) { end { _ in .failed(error) } }

    private func end(_ make: (State) -> End) {
        let (wake, waiters, dropped) = state.withLock { state -> ((@Sendable () -> Void)?, [Waiter], [Data]) in
            guard state.end == nil, !state.isClosed else { return (nil, [], []) }
            let end = make(state)
            state.end = end
            var dropped: [Data] = []
            if case .failed = end { dropped = state.takeAll() }
            return (state.takeWake(), state.takeWaiters(), dropped)
        }
        wake?()
        for waiter in waiters { waiter.continuation.resume(throwing: Self.over) }
        withExtendedLifetime(dropped) {}
    }

    /// Calls a closure once, when nothing is read any more, or now if the pipe is closed already.
    package func whenClosed(_ body: @escaping @Sendable () -> Void) {
        let isClosed = state.withLock { state in
            if !state.isClosed { state.onClose = body }
            return state.isClosed
        }
        if isClosed { body() }
    }

    /// Sets the closure that is called, on the engine's thread, each time that the reader finds nothing to read.
    package func whenStarved(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.onStarvation = body } }

    /// The error of appending; `nil` if bytes may be appended.
    var refusal: CurlSessionError? { state.withLock { $0.refusal } }

    /// Whether there is a writer that waits for room.
    var hasWaiter: Bool { state.withLock { !$0.waiters.isEmpty } }

    /// Whether the reader has found nothing to read, so that what is held back should be appended.
    package var isStarved: Bool { state.withLock { $0.isReaderWaiting && $0.count == 0 } }

    // MARK: - The reading side

    /// Sets the length, if it is not known yet, and the closure that is called, on any thread, when there are bytes
    /// again after a read returned `.wait`.
    package func attach(length: ByteCount?, wake: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.wake = wake
            guard let length, state.length == nil else { return }
            state.length = length
            let isOver = if case .finished = state.end { true } else { false }
            if state.total > length || isOver && state.total < length {
                state.end = .failed(Self.mismatch(state.total, length))
            }
        }
    }

    /// Copies the next bytes into a buffer that is not empty; an error comes from the writing side.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyPiece {
        // The pieces are released outside the lock, because that may run their owner's code.
        var done: [Data] = []
        typealias Outcome = (BodyPiece, [Waiter], onStarvation: (@Sendable () -> Void)?)
        let (piece, waiters, onStarvation) = state.withLock { state -> Outcome in
            if case .failed(let error) = state.end { return (.thrown(error), [], nil) }
            let count = state.copy(into: buffer, &done)
            guard count == 0 else {
                return (.bytes(count), state.count <= capacity / 2 ? state.takeWaiters() : [], nil)
            }
            if state.end != nil { return (.end, [], nil) }
            state.isReaderWaiting = true
            return (.wait, [], state.onStarvation)
        }
        for waiter in waiters { waiter.continuation.resume() }
        onStarvation?()
        return piece
    }

    /// The fields after the body, once it has been read to its end.
    package var trailers: [RequestField] {
        state.withLock { if case .finished(let trailers) = $0.end { trailers } else { [] } }
    }

    /// Ends reading, so that writers receive an error.
    package func close() {
        typealias Released = (waiters: [Waiter], onClose: (@Sendable () -> Void)?, dropped: [Data])
        let released = state.withLock { state -> Released? in
            guard !state.isClosed else { return nil }
            state.isClosed = true
            (state.wake, state.onStarvation) = (nil, nil)
            defer { state.onClose = nil }
            return (state.takeWaiters(), state.onClose, state.takeAll())
        }
        released?.onClose?()
        for waiter in released?.waiters ?? [] { waiter.continuation.resume(throwing: Self.unread) }
    }

    // MARK: - Errors

    fileprivate static let unread = CurlSessionError(
        .requestHasEnded,
        "The request has ended, so that nothing more of its body is sent"
    )
    fileprivate static let over = CurlSessionError(.bodyHasEnded, "The body has ended already")

    private static func mismatch(_ total: ByteCount, _ length: ByteCount) -> CurlSessionError {
        let found = total > length ? "more than" : "\(total) bytes instead of"
        return CurlSessionError(.bodyLengthMismatch, "The body has \(found) the \(length) bytes that were announced")
    }
}

extension BodyPipe.State {
    fileprivate var refusal: CurlSessionError? {
        guard let end else { return isClosed ? BodyPipe.unread : nil }
        if case .failed(let error) = end, let error = error as? CurlSessionError { return error }
        return BodyPipe.over
    }

    fileprivate mutating func takeWake() -> (@Sendable () -> Void)? {
        guard isReaderWaiting else { return nil }
        isReaderWaiting = false
        return wake
    }

    fileprivate mutating func takeWaiters() -> [BodyPipe.Waiter] {
        guard !waiters.isEmpty else { return [] }
        defer { waiters = [] }
        return waiters
    }

    fileprivate mutating func takeAll() -> [Data] {
        defer { (pieces, position, count) = ([], (0, 0), 0) }
        return pieces
    }

    fileprivate mutating func add(_ data: Data, joiningUpTo limit: Int) {
        count += data.count
        if let last = pieces.indices.last, pieces[last].count <= limit - data.count {
            pieces[last].append(data)
        } else {
            pieces.append(data)
        }
    }

    /// Copies what fits, and moves the pieces that have been read to `done`.
    fileprivate mutating func copy(into buffer: UnsafeMutableRawBufferPointer, _ done: inout [Data]) -> Int {
        var copied = 0
        while copied < buffer.count, position.piece < pieces.count {
            let size = min(buffer.count - copied, pieces[position.piece].count - position.offset)
            pieces[position.piece].withUnsafeBytes { bytes in
                let part = UnsafeRawBufferPointer(rebasing: bytes[position.offset..<position.offset + size])
                UnsafeMutableRawBufferPointer(rebasing: buffer[copied...]).copyMemory(from: part)
            }
            copied += size
            position.offset += size
            guard position.offset == pieces[position.piece].count else { break }
            done.append(pieces[position.piece])
            pieces[position.piece] = Data()
            position = (position.piece + 1, 0)
        }
        count -= copied
        // The pieces that were read are removed once they are more than half, so that this takes linear time.
        if position.piece > pieces.count / 2 || position.piece == pieces.count {
            pieces.removeSubrange(..<position.piece)
            position.piece = 0
        }
        return copied
    }
}
