import FerrySession

/// An output stream into a file, which an operation can pause, resume and start over.
///
/// ```swift
/// operation.outputStream = FileOutputStream(url: file)
/// ```
///
/// The file is a regular one or is made; a symbolic link is followed. A pipe, a socket or a device is an error, and is
/// never waited for. The stream takes no part in run loops: there are no stream events.
public final class FileOutputStream: OutputStream, ResumableOutputStream {
    private struct State: Sendable {
        var status = Stream.Status.notOpen
        var file: OutputFile?
        var byteCount: Int64 = 0
        var error: (any Error)?

        mutating func fail(_ error: any Error) {
            self.error = error
            status = .error
        }
    }

    /// The file.
    public let url: URL

    private let appends: Bool
    private let state = Locked(State())

    /// Makes a stream, closed; opening it makes the file.
    ///
    /// - Parameters:
    ///   - url: The file's URL.
    ///   - append: Whether what the file holds is kept.
    override public init(url: URL, append: Bool = false) {
        self.url = url
        appends = append
        super.init(toMemory: ())
    }

    /// Makes a stream that cannot be opened: a file stream needs a file.
    public required init(toMemory: ()) {
        url = URL(fileURLWithPath: "/", isDirectory: true)
        appends = true
        super.init(toMemory: ())
    }

    deinit {
        _ = state.withLock { $0.file }?.close()
    }

    /// Opens the file; ``streamStatus`` tells whether that went well.
    override public func open() {
        state.withLock { state in
            guard state.status == .notOpen else { return }
            do {
                let file = try OutputFile(url, append: appends)
                (state.file, state.byteCount, state.status) = (file, file.byteCount, .open)
            } catch {
                state.fail(error)
            }
        }
    }

    /// Closes the file; what goes wrong in it is ``streamError``.
    override public func close() {
        state.withLock { state in
            let failure = state.file?.close()
            state.file = nil
            if let failure { state.fail(failure) } else if state.status != .error { state.status = .closed }
        }
    }

    /// Writes bytes behind what is there.
    ///
    /// - Parameters:
    ///   - buffer: The bytes.
    ///   - length: How many there are.
    /// - Returns: How many were written, or -1 with ``streamError`` set.
    override public func write(_ buffer: UnsafePointer<UInt8>, maxLength length: Int) -> Int {
        let bytes = UnsafeRawBufferPointer(start: buffer, count: max(0, length))
        nonisolated(unsafe) let source = bytes
        return state.withLock { state in
            guard state.status == .open, var file = state.file else { return -1 }
            do {
                try file.write(source)
                (state.file, state.byteCount) = (file, file.byteCount)
                return source.count
            } catch {
                state.fail(error)
                return -1
            }
        }
    }

    /// How many bytes the file has.
    public var byteCount: Int64 { state.withLock { $0.byteCount } }

    /// Cuts the file off; it must be open.
    ///
    /// - Parameter byteCount: How many bytes are left.
    /// - Throws: ``NetworkError`` with ``NetworkError/Code/fileError`` if that cannot be done.
    public func truncate(toByteCount byteCount: Int64) throws {
        try state.withLock { state in
            guard var file = state.file, (0...file.byteCount).contains(byteCount) else {
                throw NetworkError(.fileError, message: "\(url.path) cannot be cut off at \(byteCount) bytes")
            }
            try file.truncate(to: byteCount)
            (state.file, state.byteCount) = (file, byteCount)
        }
    }

    /// Whether the stream can be written to.
    override public var hasSpaceAvailable: Bool { state.withLock { $0.status == .open } }

    /// Where the stream is in its life.
    override public var streamStatus: Stream.Status { state.withLock { $0.status } }

    /// What went wrong, if anything did.
    override public var streamError: (any Error)? { state.withLock { $0.error } }

    /// The number of bytes for `fileCurrentOffsetKey`; nil for all else.
    override public func property(forKey key: Stream.PropertyKey) -> AnyObject? {
        key == .fileCurrentOffsetKey ? NSNumber(value: byteCount) : nil
    }

    /// Sets nothing.
    override public func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }

    /// Does nothing: there are no stream events.
    override public func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {}

    /// Does nothing: there are no stream events.
    override public func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {}
}
