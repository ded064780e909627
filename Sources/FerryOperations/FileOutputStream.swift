/// An output stream to a file, which an operation can pause, resume and start over.
///
/// ```swift
/// operation.outputStream = FileOutputStream(url: file)
/// ```
///
/// The file is created if it does not exist; a symbolic link is followed. Opening a pipe, a socket or a device is an
/// error and does not block. The stream does not use run loops and has no stream events.
public final class FileOutputStream: OutputStream, ResumableOutputStream {
    private struct State: Sendable {
        var status = Stream.Status.notOpen
        var file: RegularFile?
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
    private let state = Mutex(State())

    /// Creates a stream; opening it creates the file, or empties it unless `append` is true.
    override public init(url: URL, append: Bool = false) {
        self.url = url
        appends = append
        super.init(toMemory: ())
    }

    /// Creates a stream that cannot be opened, because it has no file.
    public required init(toMemory: ()) {
        url = URL(fileURLWithPath: "/", isDirectory: true)
        appends = true
        super.init(toMemory: ())
    }

    /// Opens the file; ``streamStatus`` indicates whether that succeeded.
    override public func open() {
        state.withLock { state in
            guard state.status == .notOpen else { return }
            do {
                guard url.isFileURL else {
                    throw NetworkError(.fileError, message: "\(url.presentableText) is not a file URL")
                }
                let file = try RegularFile(writing: url.path, links: .follow, creatingWith: 0o666)
                // Not with O_TRUNC: the path may not lead to a regular file.
                if appends { state.byteCount = try file.size() } else { try file.truncate(to: 0) }
                (state.file, state.status) = (file, .open)
            } catch {
                state.fail(error)
            }
        }
    }

    /// Closes the file; if that fails, or the file has been removed or replaced since, ``streamError`` is set.
    override public func close() {
        state.withLock { state in
            defer { state.file = nil }
            do {
                if let file = state.file, !file.isAt(url.path, links: .follow) {
                    throw NetworkError(.fileError, message: "\(url.path) was removed or replaced")
                }
                // A full or remote disk may report its failure only here.
                try state.file?.close()
                if state.status != .error { state.status = .closed }
            } catch {
                state.fail(error)
            }
        }
    }

    /// Appends bytes to the file, and returns their number, or -1 with ``streamError`` set.
    override public func write(_ buffer: UnsafePointer<UInt8>, maxLength length: Int) -> Int {
        nonisolated(unsafe) let source = UnsafeRawBufferPointer(start: buffer, count: max(0, length))
        return state.withLock { state in
            guard state.status == .open, let file = state.file else { return -1 }
            do {
                // Otherwise the bytes would follow a gap of zeros.
                guard try file.size() >= state.byteCount else {
                    throw NetworkError(.fileError, message: "\(url.path) was truncated by something else")
                }
                try file.write(source, at: state.byteCount)
                state.byteCount += Int64(source.count)
                return source.count
            } catch {
                state.fail(error)
                return -1
            }
        }
    }

    /// The number of bytes in the file.
    public var byteCount: Int64 { state.withLock { $0.byteCount } }

    /// Truncates the file, which must be open.
    ///
    /// - Parameter byteCount: The number of bytes to keep.
    /// - Throws: `NetworkError` with `NetworkError.Code.fileError` if the file is not open or has fewer bytes;
    ///   otherwise the error of the file system.
    public func truncate(toByteCount byteCount: Int64) throws {
        try state.withLock { state in
            guard let file = state.file, (0...state.byteCount).contains(byteCount) else {
                throw NetworkError(.fileError, message: "\(url.path) cannot be truncated to \(byteCount) bytes")
            }
            try file.truncate(to: byteCount)
            state.byteCount = byteCount
        }
    }

    /// A Boolean value that indicates whether the stream can be written to.
    override public var hasSpaceAvailable: Bool { state.withLock { $0.status == .open } }

    /// The status of the stream.
    override public var streamStatus: Stream.Status { state.withLock { $0.status } }

    /// The error of the stream, or nil.
    override public var streamError: (any Error)? { state.withLock { $0.error } }

    /// Returns the number of bytes for `fileCurrentOffsetKey`; nil for any other key.
    override public func property(forKey key: Stream.PropertyKey) -> AnyObject? {
        key == .fileCurrentOffsetKey ? NSNumber(value: byteCount) : nil
    }

    /// Does nothing, and returns false.
    override public func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }

    /// Does nothing: there are no stream events.
    override public func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {}

    /// Does nothing: there are no stream events.
    override public func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {}
}

/// An output stream that can be truncated, so that an operation can write to it again after a pause.
///
/// If the server has a different entity after a pause, it sends this from the beginning, and the operation truncates
/// the stream. With a stream that cannot be truncated, the operation fails.
public protocol ResumableOutputStream: OutputStream {
    /// The number of bytes in the stream.
    var byteCount: Int64 { get }

    /// Truncates the stream; the next write appends to what is left.
    ///
    /// - Parameter byteCount: The number of bytes to keep, at most ``byteCount``.
    /// - Throws: An error if the stream cannot be truncated.
    func truncate(toByteCount byteCount: Int64) throws
}
