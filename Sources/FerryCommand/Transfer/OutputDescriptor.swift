import Ferry

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
    ///
    /// A name of one of the process's descriptors, such as `/dev/stdout`, is a copy of that descriptor: a file that is
    /// opened again would be written from its beginning, over what the process has written already.
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
            var info = stat()
            let isPipe = stat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFIFO
            guard code == EINTR || code == ENXIO && isPipe else { throw .file(path, "cannot be opened", errno: code) }
            guard ContinuousClock.now - start < longestWait else {
                throw CommandFailure(.file, "\(path): no program reads this pipe")
            }
            // The reader may be starting at the same time.
            usleep(20_000)
        }
    }

    private static let longestWait = Duration.seconds(2)

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
                var entry = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
                poll(&entry, 1, -1)
            case EPIPE: throw CommandFailure(.brokenPipe, "\(name): the reader has closed it")
            case let code: throw .file(name, "cannot be written", errno: code)
            }
        }
    }
}
