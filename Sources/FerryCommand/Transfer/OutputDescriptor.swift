import Ferry

/// A descriptor of any kind that is written to.
final class OutputDescriptor: Sendable {
    static let standardOutput = OutputDescriptor(STDOUT_FILENO, name: "standard output")
    static let standardError = OutputDescriptor(STDERR_FILENO, name: "standard error")

    private let number: Int32
    private let name: String
    private let isOwned: Bool
    /// The queue for writing without blocking a thread of the concurrency pool.
    private let queue = DispatchQueue(label: "ferry.output")

    /// Creates an output for a descriptor that stays open.
    init(_ number: Int32, name: String) {
        self.number = number
        self.name = name
        isOwned = false
    }

    /// Opens a file, which is closed when the object is deinitialized.
    ///
    /// For a name of a descriptor of the process, such as `/dev/stdout`, that descriptor is copied: a file that is
    /// opened again would be written from its beginning, over earlier output.
    init(path: String, flags: Int32) throws(CommandFailure) {
        name = path
        isOwned = true
        if let inherited = ProcessDescriptor.number(path) {
            number = fcntl(inherited, F_DUPFD_CLOEXEC, 0)
            guard number >= 0 else { throw .file(path, "cannot be opened", errno: errno) }
        } else {
            number = try Self.opened(path, flags: flags)
        }
    }

    /// Opens a file; it waits for the reader of a pipe only for a moment.
    private static func opened(_ path: String, flags: Int32) throws(CommandFailure) -> Int32 {
        let start = ContinuousClock.now
        while true {
            // Without O_NONBLOCK, opening a pipe waits for its reader, and no time limit or signal ends that.
            let number = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | flags, 0o666)
            if number >= 0 { return number }
            let code = errno
            guard code == EINTR || code == ENXIO && path.fileType == S_IFIFO else {
                throw .file(path, "cannot be opened", errno: code)
            }
            guard ContinuousClock.now - start < maximumWait else {
                throw CommandFailure(.file, "\(path): no program reads this pipe")
            }
            // The reader may be starting at the same time.
            usleep(20_000)
        }
    }

    private static let maximumWait = Duration.seconds(2)

    deinit {
        if isOwned { close(number) }
    }

    /// Writes all of the data and returns when it has been written; throws a `CommandFailure`, or the error of
    /// `--deadline` if the reader has not taken the data by then.
    func write(_ data: Data, until deadline: ContinuousClock.Instant? = nil) async throws {
        try await queue.run { [self] in
            guard let deadline else { return try writeAll(data) }
            guard try writeAll(data, until: deadline) else {
                let cause = CurlSessionError(.deadlineExceeded, "the output was not read before the deadline")
                throw URLError(.timedOut, userInfo: [NSUnderlyingErrorKey: cause])
            }
        }
    }

    /// Writes all of the data, with as many system calls as necessary.
    func writeAll(_ data: Data) throws(CommandFailure) {
        var offset = 0
        while offset < data.count {
            let count = try writeNext(data, from: offset, atMost: .max)
            if count == 0 { _ = waitForRoom(until: nil) }
            offset += count
        }
    }

    /// Writes the data until a deadline, and returns whether all of it has been written.
    ///
    /// The descriptor may be shared with other programs, so it is not made non-blocking: `poll` waits for room, and a
    /// pipe with room takes `PIPE_BUF` bytes without blocking.
    private func writeAll(_ data: Data, until deadline: ContinuousClock.Instant) throws(CommandFailure) -> Bool {
        var offset = 0
        while offset < data.count {
            guard waitForRoom(until: deadline) else { return false }
            offset += try writeNext(data, from: offset, atMost: Int(PIPE_BUF))
        }
        return true
    }

    /// Writes some bytes of the data and returns their number, which is zero if nothing could be written yet.
    private func writeNext(_ data: Data, from offset: Int, atMost limit: Int) throws(CommandFailure) -> Int {
        let count = data.withUnsafeBytes { bytes in
            Glibc.write(number, bytes.baseAddress.map { $0 + offset }, min(bytes.count - offset, limit))
        }
        if count >= 0 { return count }
        switch errno {
        case EINTR, EAGAIN: return 0
        // For another pipe, only one transfer fails, and the command continues.
        case EPIPE where !isOwned || ProcessDescriptor.number(name) == STDOUT_FILENO:
            throw CommandFailure(.brokenPipe, "\(name): the reader has closed it")
        case let code: throw .file(name, "cannot be written", errno: code)
        }
    }

    /// Waits until the descriptor can be written to, and returns whether that is so before a deadline.
    private func waitForRoom(until deadline: ContinuousClock.Instant?) -> Bool {
        while true {
            let rest = deadline.map { max(0, ContinuousClock.now.duration(to: $0) / Duration.milliseconds(1)) }
            var entry = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
            // A longer wait is repeated.
            let longest = 1e6
            let count = poll(&entry, 1, rest.map { Int32(min($0.rounded(.up), longest)) } ?? -1)
            // Other errors are reported by the next write.
            if count > 0 || (count < 0 && errno != EINTR) { return true }
            if count == 0, rest == 0 { return false }
        }
    }
}
