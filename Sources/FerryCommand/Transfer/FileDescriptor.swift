import Ferry

/// Writes to descriptors of any kind.
enum FileDescriptor {
    /// Writes all of the data, with as many system calls as necessary.
    static func writeAll(_ data: Data, to descriptor: Int32, path: String) throws(CommandFailure) {
        var offset = 0
        while offset < data.count {
            let count = data.withUnsafeBytes { bytes in
                let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
                return write(descriptor, rest.baseAddress, rest.count)
            }
            if count >= 0 {
                offset += count
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN: waitUntilWritable(descriptor)
            case EPIPE: throw CommandFailure(.brokenPipe, "\(path): the reader has closed it")
            case let number: throw .file(path, "cannot be written", errno: number)
            }
        }
    }

    /// Waits until a non-blocking descriptor can be written; the process may have inherited it as such.
    private static func waitUntilWritable(_ descriptor: Int32) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&entry, 1, -1)
    }
}
