import Ferry

/// The descriptors that the command was started with.
///
/// They are used as they are: opening `/dev/stdin` or `/dev/stdout` would begin a file again at its first byte, and
/// fails for a socket and after `su`.
enum ProcessDescriptor {
    /// Returns the open descriptor that a path such as `-`, `/dev/stdin` or `/dev/fd/3` names for reading.
    static func forReading(_ path: String) -> Int32? { path == "-" ? STDIN_FILENO : number(path) }

    /// Returns the open descriptor that a path such as `/dev/stdout` or `/dev/fd/3` names.
    static func number(_ path: String) -> Int32? {
        let names = ["/dev/stdin": STDIN_FILENO, "/dev/stdout": STDOUT_FILENO, "/dev/stderr": STDERR_FILENO]
        let folder = ["/dev/fd/", "/proc/self/fd/"].first(where: path.hasPrefix)
        let digits = folder.map { path.dropFirst($0.count) } ?? ""
        guard let number = names[path] ?? (digits.utf8.allSatisfy { 48...57 ~= $0 } ? Int32(digits) : nil),
            fcntl(number, F_GETFD) >= 0
        else { return nil }
        return number
    }

    /// Opens those of the descriptors 0 to 2 that are closed, so that no other file gets their numbers.
    ///
    /// As in GNU's programs, they are opened for the other direction: to read standard input, and to write to the
    /// others, stays an error.
    static func openStandard() {
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) < 0 {
            guard open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY) == number else {
                perror("ferry: /dev/null")
                exit(ExitStatus.file.rawValue)
            }
        }
    }

    /// Reads the next bytes and returns their number, zero at the end; waits for them even if the descriptor is
    /// non-blocking; returns `-1` with `errno` if that fails.
    static func read(_ number: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            let count = Glibc.read(number, buffer.baseAddress, buffer.count)
            guard count < 0, errno == EINTR || errno == EAGAIN else { return count }
            guard errno == EAGAIN else { continue }
            var entry = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
            _ = poll(&entry, 1, -1)
        }
    }
}

/// The body of a request that is read from a descriptor while it is sent; the descriptor stays open.
final class DescriptorStream: InputStream {
    private let number: Int32
    private var failure: POSIXError?

    init(_ number: Int32) {
        self.number = number
        super.init(data: Data())
    }

    override func open() {}
    override func close() {}
    override var hasBytesAvailable: Bool { true }
    override var streamStatus: Stream.Status { failure == nil ? .open : .error }
    override var streamError: (any Error)? { failure }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength count: Int) -> Int {
        let count = ProcessDescriptor.read(number, into: UnsafeMutableRawBufferPointer(start: buffer, count: count))
        if count < 0 { failure = POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return count
    }

    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
        length: UnsafeMutablePointer<Int>
    ) -> Bool {
        false
    }
}
