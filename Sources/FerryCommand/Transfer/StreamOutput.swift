import Ferry

/// An output that can only be written sequentially: a pipe, a terminal or a device.
final class StreamOutput: Sendable {
    static let standard = StreamOutput(OutputDescriptor(STDOUT_FILENO, name: "standard output"))

    private let output: OutputDescriptor
    /// The queue that writes; a slow reader blocks nothing else.
    private let queue = DispatchQueue(label: "ferry.output")

    private init(_ output: OutputDescriptor) { self.output = output }

    /// Opens an existing file.
    convenience init(path: String) throws(CommandFailure) {
        self.init(try OutputDescriptor(path: path, flags: O_NOCTTY))
    }

    /// Writes all of the data and returns when it has been written.
    func write(_ data: Data) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            queue.async { [output] in continuation.resume(with: Result { try output.writeAll(data) }) }
        }
    }
}

/// A descriptor of any kind that is written to.
final class OutputDescriptor: Sendable {
    private let number: Int32
    private let name: String
    private let isOwned: Bool

    /// Creates an output for a descriptor that stays open.
    init(_ number: Int32, name: String) {
        self.number = number
        self.name = name
        isOwned = false
    }

    /// Opens a file, which is closed when the object is deinitialized.
    init(path: String, flags: Int32) throws(CommandFailure) {
        number = open(path, O_WRONLY | O_CLOEXEC | flags, 0o666)
        name = path
        isOwned = number >= 0
        guard isOwned else { throw .file(path, "cannot be opened", errno: errno) }
    }

    deinit {
        if isOwned { close(number) }
    }

    /// Writes all of the data, with as many system calls as necessary.
    func writeAll(_ data: Data) throws(CommandFailure) {
        var offset = 0
        while offset < data.count {
            let count = data.withUnsafeBytes { write(number, $0.baseAddress.map { $0 + offset }, $0.count - offset) }
            if count >= 0 {
                offset += count
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                // The process may have inherited a descriptor that does not block.
                var entry = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
                poll(&entry, 1, -1)
            case EPIPE: throw CommandFailure(.brokenPipe, "\(name): the reader has closed it")
            case let code: throw .file(name, "cannot be written", errno: code)
            }
        }
    }
}
