import Ferry

/// A file on its way: `NAME.part` with a record beside it, which takes its name when it is whole.
///
/// At every moment, a kill included, the bytes in `NAME.part` are the beginning of what the record describes.
final class PartFile {
    static let partSuffix = ".part"
    static let recordSuffix = ".part.ferry"

    /// Where the file is to be in the end.
    let path: String
    private(set) var size: Int64
    private(set) var record: PartRecord?
    private let descriptor: Int32
    private var isOpen = true

    var partPath: String { path + Self.partSuffix }
    private var recordPath: String { path + Self.recordSuffix }

    /// Opens `path.part` for this process alone; what it holds is kept.
    init(_ path: String) throws(CommandFailure) {
        self.path = path
        (descriptor, size) = try Self.openLocked(path + Self.partSuffix)
        record = PartRecord(contentsOf: path + Self.recordSuffix)
        if size > 0, record == nil {
            close(descriptor)
            isOpen = false
            let part = path + Self.partSuffix
            throw CommandFailure(
                .file,
                "\(part): it is there already and not Ferry's; remove it or choose another name"
            )
        }
    }

    deinit {
        closeDescriptor()
    }

    /// The record of what is there, where there is something that can be continued.
    var continuation: PartRecord? {
        guard size > 0, let record, record.validator != nil else { return nil }
        return record
    }

    /// Begins with another entity; what was there is gone.
    func begin(_ record: PartRecord) throws(CommandFailure) {
        guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
            throw .file(partPath, "cannot be emptied", errno: errno)
        }
        size = 0
        try record.write(to: recordPath)
        self.record = record
    }

    /// Goes on behind what is there.
    func seekToEnd() throws(CommandFailure) {
        guard lseek(descriptor, off_t(size), SEEK_SET) == off_t(size) else {
            throw .file(partPath, "cannot be continued", errno: errno)
        }
    }

    func append(_ data: Data) throws(CommandFailure) {
        try FileDescriptor.writeAll(data, to: descriptor, path: partPath)
        size += Int64(data.count)
    }

    /// Gives the file its name.
    func publish() throws(CommandFailure) {
        if let length = record?.length, length != size {
            throw CommandFailure(.network, "\(partPath): it has \(size) bytes instead of \(length)")
        }
        guard rename(partPath, path) == 0 else { throw .file(path, "cannot be replaced", errno: errno) }
        unlink(recordPath)
        closeDescriptor()
    }

    /// Leaves what can be continued, deletes what cannot, and answers whether something is left.
    func abandon() -> Bool {
        defer { closeDescriptor() }
        if continuation != nil { return true }
        if isOpen {
            unlink(partPath)
            unlink(recordPath)
        }
        return false
    }

    private func closeDescriptor() {
        guard isOpen else { return }
        isOpen = false
        close(descriptor)
    }

    /// Opens and locks.
    ///
    /// Between the two another process may have published the file, so both are repeated until the locked file is the
    /// one with the name.
    private static func openLocked(_ path: String) throws(CommandFailure) -> (descriptor: Int32, size: Int64) {
        for _ in 0..<100 {
            let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o666)
            guard descriptor >= 0 else { throw .file(path, "cannot be created", errno: errno) }
            var own = stat()
            var named = stat()
            if flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
                close(descriptor)
                throw CommandFailure(.file, "\(path): another transfer is writing it")
            }
            if fstat(descriptor, &own) == 0, stat(path, &named) == 0, own.st_ino == named.st_ino,
                own.st_dev == named.st_dev
            {
                guard own.st_mode & S_IFMT == S_IFREG else {
                    close(descriptor)
                    throw CommandFailure(.file, "\(path): it is not a regular file")
                }
                return (descriptor, Int64(own.st_size))
            }
            close(descriptor)
        }
        throw CommandFailure(.file, "\(path): it is replaced again and again")
    }
}
