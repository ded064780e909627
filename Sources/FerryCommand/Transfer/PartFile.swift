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
    private var file: RegularFile?

    var partPath: String { path + Self.partSuffix }
    private var recordPath: String { path + Self.recordSuffix }

    /// Opens `path.part` for this process alone; what it holds is kept.
    init(_ path: String) throws(CommandFailure) {
        self.path = path
        let file = try Self.openLocked(path + Self.partSuffix)
        do throws(FileError) {
            size = try file.size()
        } catch {
            throw .file(error, "cannot be read")
        }
        do throws(CommandFailure) {
            record = try PartRecord.read(path + Self.recordSuffix)
        } catch {
            // Where there is nothing to continue, a record that cannot be used is replaced.
            guard size == 0 else { throw error }
        }
        guard size == 0 || record != nil else {
            let part = path + Self.partSuffix
            throw CommandFailure(
                .file,
                "\(part): it is there already and not Ferry's; remove it or choose another name"
            )
        }
        self.file = file
    }

    /// The record of what is there, where there is something that can be continued.
    var continuation: PartRecord? {
        guard size > 0, let record, record.validator != nil else { return nil }
        return record
    }

    /// Begins with another entity; what was there is gone.
    func begin(_ record: PartRecord) throws(CommandFailure) {
        do throws(FileError) {
            try openFile().truncate(to: 0)
        } catch {
            throw .file(error, "cannot be emptied")
        }
        size = 0
        try record.write(to: recordPath)
        self.record = record
    }

    /// Writes behind what is there.
    func append(_ data: Data) throws(CommandFailure) {
        do throws(FileError) {
            try openFile().write(data, at: size)
        } catch {
            throw .file(error, "cannot be written")
        }
        size += Int64(data.count)
    }

    private func openFile() throws(FileError) -> RegularFile {
        guard let file else { throw FileError("write to", path: partPath, code: EBADF) }
        return file
    }

    /// Gives the file its name.
    func publish() throws(CommandFailure) {
        if let length = record?.length, length != size {
            throw CommandFailure(.network, "\(partPath): it has \(size) bytes instead of \(length)")
        }
        guard rename(partPath, path) == 0 else { throw .file(path, "cannot be replaced", errno: errno) }
        unlink(recordPath)
        file = nil
    }

    /// Leaves what can be continued, deletes what cannot, and answers whether something is left.
    func abandon() -> Bool {
        defer { file = nil }
        if continuation != nil { return true }
        if file != nil {
            unlink(partPath)
            unlink(recordPath)
        }
        return false
    }

    /// Opens and locks.
    ///
    /// Between the two another process may have published the file, so both are repeated until the locked file is the
    /// one with the name.
    private static func openLocked(_ path: String) throws(CommandFailure) -> RegularFile {
        for _ in 0..<100 {
            do throws(FileError) {
                let file = try RegularFile(writing: path, links: .refuse, creatingWith: 0o666)
                guard file.tryLock() else {
                    throw FileError("lock", path: path, code: EWOULDBLOCK)
                }
                let own = try file.status()
                var named = stat()
                if lstat(path, &named) == 0, own.st_ino == named.st_ino, own.st_dev == named.st_dev { return file }
            } catch {
                if error.operation == "lock" { throw CommandFailure(.file, "\(path): another transfer is writing it") }
                throw .file(error, "cannot be created")
            }
        }
        throw CommandFailure(.file, "\(path): it is replaced again and again")
    }
}
