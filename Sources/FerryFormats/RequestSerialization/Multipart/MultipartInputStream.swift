/// A stream of the body of a ``MultipartFormData``.
///
/// The stream can be read with buffers of any size. It has no stream events and cannot be scheduled in a run loop. When
/// a part fails, the bytes before it are returned first; then ``read(_:maxLength:)`` returns -1 and ``streamError`` is
/// set. A failure is never reported as the end of the body. `copy()` returns a new stream of the same body.
package final class MultipartInputStream: InputStream {
    /// The form whose body the stream returns.
    package let form: MultipartFormData
    private let state: Mutex<State>
    private let closing = DispatchSemaphore(value: 0)

    /// The exact number of bytes in the body.
    package var contentLength: Int64 { form.contentLength }

    private struct State: Sendable {
        package var status = Stream.Status.notOpen
        package var error: (any Error)?
        /// The position in the body; `nil` while a thread is reading and after the stream was closed.
        package var cursor: MultipartCursor?
        package var hasRead = false
        package var wasAtEnd = false
    }

    package init(form: MultipartFormData) {
        self.form = form
        state = Mutex(State(cursor: MultipartCursor(form: form)))
        super.init(data: Data())
    }

    /// Opens the stream; if the form has no parts, the stream is then at its end.
    override public func open() {
        state.withLock { state in
            guard state.status == .notOpen else { return }
            state.wasAtEnd = form.isEmpty
            state.status = form.isEmpty ? .atEnd : .open
        }
    }

    /// Closes the stream and the part that it is reading.
    ///
    /// A throttled read that is sleeping on another thread returns -1 immediately.
    override public func close() {
        let cursor = state.withLock { state -> MultipartCursor? in
            state.status = .closed
            defer { state.cursor = nil }
            return state.cursor
        }
        cursor?.close()
        closing.signal()
    }

    /// Reads bytes into a buffer.
    ///
    /// - Parameters:
    ///   - buffer: The buffer for the bytes.
    ///   - maxLength: The size of the buffer in bytes.
    /// - Returns: The number of bytes read; 0 at the end of the body; or -1 if a part failed, another thread is
    ///   reading, or the stream is not open.
    override public func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
        guard maxLength > 0 else { return 0 }
        switch state.withLock({ state in Self.begin(&state) }) {
        case .end: return 0
        case .refuse: return -1
        case .read(let cursor, let isFirst):
            if let delay = form.throttle?.delay, !isFirst, closing.wait(timeout: .now() + delay) == .success {
                cursor.close()
                return -1
            }
            let size = min(maxLength, form.throttle?.packetSize ?? maxLength)
            let result = Result { try cursor.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size)) }
            return finish(result, cursor: cursor)
        }
    }

    /// Returns `false`: the stream has no internal buffer.
    override public func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
        length len: UnsafeMutablePointer<Int>
    ) -> Bool {
        false
    }

    /// A Boolean value that indicates whether the stream is open and neither at its end nor failed.
    override public var hasBytesAvailable: Bool {
        state.withLock { state in state.status == .open || state.status == .reading }
    }

    /// The status of the stream.
    override public var streamStatus: Stream.Status { state.withLock { $0.status } }

    /// The ``RequestSerializationError`` with which the stream failed, or `nil`.
    override public var streamError: (any Error)? { state.withLock { $0.error } }

    /// Returns `nil`: the stream has no properties.
    override public func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }

    /// Returns `false`: the stream has no properties.
    override public func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }

    /// Does nothing: the stream has no events.
    override public func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {}

    /// Does nothing: the stream has no events.
    override public func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {}

    // MARK: - Reading

    private enum Decision: Sendable {
        case read(MultipartCursor, isFirst: Bool)
        case end
        case refuse
    }

    private static func begin(_ state: inout State) -> Decision {
        switch state.status {
        case .atEnd: return .end
        case .closed where state.wasAtEnd: return .end
        case .open:
            guard let cursor = state.cursor else { return .refuse }
            state.cursor = nil
            state.status = .reading
            defer { state.hasRead = true }
            return .read(cursor, isFirst: !state.hasRead)
        default: return .refuse
        }
    }

    private func finish(_ result: Result<Int, any Error>, cursor: MultipartCursor) -> Int {
        let (count, isOver) = state.withLock { state -> (Int, Bool) in
            let isClosed = state.status == .closed
            switch result {
            case .success(let count):
                state.wasAtEnd = cursor.isAtEnd
                guard !isClosed else { return (count, true) }
                state.status = cursor.isAtEnd ? .atEnd : .open
                state.cursor = cursor
                return (count, cursor.isAtEnd)
            case .failure(let error):
                state.error = error
                state.status = isClosed ? .closed : .error
                return (-1, true)
            }
        }
        if isOver { cursor.close() }
        return count
    }
}

extension MultipartInputStream: ReplayableStream {
    /// A new stream of the same body, unless one of its parts can be read only once and was read.
    package var unreadStream: InputStream? {
        let isRead = form.parts.contains { if case .stream(let stream) = $0.body { !stream.isUnread } else { false } }
        return isRead ? nil : form.makeInputStream()
    }

    package var anotherStream: InputStream? { form.isReplayable ? form.makeInputStream() : nil }
}

extension MultipartInputStream: NSCopying {
    /// Returns a new stream of the same body, not yet opened.
    public func copy(with zone: NSZone? = nil) -> Any { form.makeInputStream() }
}
