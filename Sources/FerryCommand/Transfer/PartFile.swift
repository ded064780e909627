import Ferry

/// A partial file, `NAME.part`, with a record next to it; it is renamed to `NAME` when it is complete.
///
/// At any time, even if the process is killed, the bytes in `NAME.part` are the beginning of the file that the record
/// describes. A small file is kept in memory until it is complete and has no record, since creating and deleting files
/// takes longer than transferring it.
final class PartFile {
    static let partSuffix = ".part"
    static let recordSuffix = ".part.ferry"
    /// The largest size of a file that is kept in memory, in bytes.
    private static let smallSize: Int64 = 131_072
    /// The permission bit of a small file while it is written and renamed, which the system ignores.
    ///
    /// After a kill, it shows the next run that the file was created by ferry.
    private static let mark = mode_t(S_ISVTX)

    private enum Storage: Equatable {
        /// The bytes are in the file, which has a record.
        case file
        /// The bytes are in memory, since the whole file is small.
        case memory(Data)
        /// The bytes are in the file, which is complete and marked, and has no record.
        case marked
    }

    let path: String
    /// Whether another file with this name may be replaced; false if the server has chosen the name.
    private let mayReplace: Bool
    private(set) var size: Int64
    private(set) var record: PartRecord?
    private var file: RegularFile?
    private var storage = Storage.file

    var partPath: String { path + Self.partSuffix }
    private var recordPath: String { path + Self.recordSuffix }

    /// Opens and locks `path.part` for this process; its contents are kept.
    ///
    /// Throws if another transfer has locked the file, if another user owns it or has access to it in a shared folder,
    /// if it is not empty and has no valid record, or if there is a file that must not be replaced.
    init(_ path: String, mayReplace: Bool = true) throws(CommandFailure) {
        self.path = path
        self.mayReplace = mayReplace
        if !mayReplace, Self.exists(path) { throw Self.nameIsTaken(path) }
        guard access(path, F_OK) != 0 || access(path, W_OK) == 0 else {
            throw .file(path, "cannot be written", errno: errno)
        }
        let permissions = RegularFile.permissions(of: path) ?? 0o666
        let file = try Self.openLocked(path + Self.partSuffix, permissions: permissions)
        do throws(FileError) {
            try file.requireOwnership()
            let status = try file.status()
            if status.st_mode & Self.mark != 0, status.st_size <= Self.smallSize {
                try file.truncate(to: 0)
                try file.setPermissions(status.st_mode & 0o777)
            }
            size = try file.size()
        } catch {
            throw .file(error, "cannot be used")
        }
        do throws(CommandFailure) {
            record = try PartRecord.read(path + Self.recordSuffix)
        } catch {
            // An invalid record is ignored if there is nothing to continue; `begin(_:)` replaces it.
            guard size == 0 else { throw error }
        }
        guard size == 0 || record != nil else {
            let part = path + Self.partSuffix
            throw CommandFailure(
                .file,
                "\(part): it exists already and was not created by ferry; remove it or choose another name"
            )
        }
        self.file = file
    }

    /// The record of the partial file, or `nil` if it cannot be continued.
    var continuation: PartRecord? {
        guard size > 0, let record, record.validator != nil else { return nil }
        return record
    }

    /// Empties the file for a new entity and writes its record.
    func begin(_ record: PartRecord) throws(CommandFailure) {
        do throws(FileError) {
            try openFile().truncate(to: 0)
            if storage == .marked { try openFile().setPermissions(RegularFile.newPermissions & ~0o022) }
        } catch {
            throw .file(error, "cannot be emptied")
        }
        (size, storage) = (0, .file)
        if let length = record.length, length <= Self.smallSize {
            storage = .memory(Data())
            unlink(recordPath)
        } else {
            try record.write(to: recordPath)
        }
        self.record = record
    }

    /// Sets the length of the complete file, which is in the response with the rest.
    func expect(_ length: Int64) { record?.length = length }

    func append(_ data: Data) throws(CommandFailure) {
        if case .memory(let bytes) = storage, size + Int64(data.count) <= Self.smallSize {
            storage = .memory(bytes + data)
        } else {
            try keep()
            try write(data, at: size)
        }
        size += Int64(data.count)
    }

    private func write(_ data: Data, at offset: Int64) throws(CommandFailure) {
        do throws(FileError) {
            try openFile().write(data, at: offset)
        } catch {
            // The beginning of the data may have been written.
            size = max(size, (try? file?.size()) ?? 0)
            throw .file(error, "cannot be written")
        }
    }

    /// Writes the bytes in memory to the file, with its record.
    private func keep() throws(CommandFailure) {
        guard case .memory(let bytes) = storage, let record else { return }
        try record.write(to: recordPath)
        try write(bytes, at: 0)
        storage = .file
    }

    /// Writes the whole file if it is in memory; nothing may be appended after that.
    private func finish() throws(CommandFailure) {
        guard case .memory(let bytes) = storage else { return }
        // Some file systems have no permissions, and after a kill the file must be deleted by hand there.
        let permissions = RegularFile.permissions(of: path) ?? RegularFile.newPermissions
        try? file?.setPermissions(permissions & ~0o022 | Self.mark)
        storage = .marked
        try write(bytes, at: 0)
    }

    /// Sets the time of the last change, after which nothing may be appended.
    func setModificationDate(_ date: Date) throws(CommandFailure) {
        try finish()
        do throws(FileError) {
            try openFile().setModificationDate(date)
        } catch {
            throw .file(error, "cannot get the time of Last-Modified")
        }
    }

    private func openFile() throws(FileError) -> RegularFile {
        guard let file else { throw FileError("write to", path: partPath, code: EBADF) }
        return file
    }

    /// Renames the complete file to its name and deletes the record.
    func publish() throws(CommandFailure) {
        if let length = record?.length, length != size {
            throw CommandFailure(.network, "\(partPath): it has \(size) bytes instead of \(length)")
        }
        let permissions = RegularFile.permissions(of: path) ?? RegularFile.newPermissions
        try finish()
        let isMarked = storage == .marked
        // Some file systems have no permissions. A marked file keeps its mark until it has its name.
        if !isMarked { try? file?.setPermissions(permissions) }
        do throws(FileError) {
            try openFile().requireWritten()
        } catch {
            size = (try? file?.size()) ?? 0
            throw .file(error, "cannot be written")
        }
        guard file?.isAt(partPath) == true else {
            throw CommandFailure(.file, "\(partPath): it was removed while it was written")
        }
        if mayReplace {
            guard rename(partPath, path) == 0 else { throw .file(path, "cannot be replaced", errno: errno) }
        } else {
            try renameWithoutReplacing()
        }
        if isMarked { try? file?.setPermissions(permissions) } else { unlink(recordPath) }
        file = nil
    }

    /// Renames the file, unless another one has got its name in the meantime.
    private func renameWithoutReplacing() throws(CommandFailure) {
        if link(partPath, path) == 0 {
            unlink(partPath)
            return
        }
        let code = errno
        guard code != EEXIST, !Self.exists(path) else { throw Self.nameIsTaken(path) }
        // Some file systems have no hard links.
        guard [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(code), rename(partPath, path) == 0 else {
            throw .file(path, "cannot be created", errno: code)
        }
    }

    /// Returns whether there is a file or a link, even a broken one.
    private static func exists(_ path: String) -> Bool {
        var info = stat()
        return lstat(path, &info) == 0
    }

    private static func nameIsTaken(_ path: String) -> CommandFailure {
        CommandFailure(.file, "\(path): the server chose a name that already exists; choose another with --output")
    }

    /// Keeps the partial file if it can be continued and deletes it otherwise; returns whether it was kept.
    func abandon() -> Bool {
        defer { file = nil }
        guard file?.isAt(partPath) == true else {
            // The name may be that of another transfer's file by now.
            if file != nil, access(partPath, F_OK) != 0 { unlink(recordPath) }
            return false
        }
        let isMarked = storage == .marked
        // A marked file was only written to be renamed, and has no record.
        if continuation != nil, !isMarked {
            do {
                try keep()
                return true
            } catch {
                // The rest of the file cannot be continued.
            }
        }
        unlink(partPath)
        unlink(recordPath)
        return false
    }

    /// Opens and locks a partial file, which is created if necessary; no other user can write it until it is complete.
    ///
    /// Another process may publish the file between the two steps, so they are repeated until the locked file is still
    /// the one at `path`.
    private static func openLocked(_ path: String, permissions: mode_t) throws(CommandFailure) -> RegularFile {
        for _ in 0..<100 {
            do throws(FileError) {
                let file = try RegularFile(writing: path, links: .refuse, creatingWith: permissions & ~0o022)
                guard file.tryLock() else { throw FileError("lock", path: path, code: EWOULDBLOCK) }
                guard file.isAt(path) else { continue }
                let status = try file.status()
                let isOurs = status.st_mode & mark != 0 || access(path + ".ferry", F_OK) == 0
                guard isOurs, status.st_nlink > 1 else { return file }
                // After a kill within `renameWithoutReplacing()`, this is the second name of a complete file.
                unlink(path)
            } catch {
                if error.operation == "lock" { throw CommandFailure(.file, "\(path): another transfer is writing it") }
                throw .file(error, "cannot be created")
            }
        }
        throw CommandFailure(.file, "\(path): it is being replaced repeatedly")
    }
}

/// The record of a partial file, stored next to it as JSON.
struct PartRecord: Codable, Equatable, Sendable {
    /// The requested URL, without credentials.
    var url: String

    /// The validator for `If-Range` (RFC 9110, section 13.1.5); `nil` for a file that cannot be continued.
    var validator: String?

    /// The length of the complete file, if known.
    var length: Int64?

    /// The largest size of a record in bytes; most of it is the URL.
    private static let maximumBytes = 1_048_576

    /// Returns the record at `path`, or `nil` if there is none.
    ///
    /// The file is not trusted: every field is checked before it is used in a request.
    static func read(_ path: String) throws(CommandFailure) -> PartRecord? {
        let data: Data
        do throws(FileError) {
            let file = try RegularFile(reading: path, links: .refuse)
            try file.requireOwnership()
            data = try file.read(upToCount: maximumBytes + 1)
            guard data.count <= maximumBytes else {
                throw FileError("read", path: path, reason: .tooLarge(limit: maximumBytes))
            }
        } catch {
            if error.code == ENOENT { return nil }
            throw .file(error, "cannot be read")
        }
        guard let record = try? JSONDecoder().decode(PartRecord.self, from: data) else {
            throw CommandFailure(.file, "\(path): it is damaged")
        }
        if let flaw = record.flaw { throw CommandFailure(.file, "\(path): \(flaw)") }
        return record
    }

    /// A description of the first invalid field, or `nil` if all are valid.
    private var flaw: String? {
        guard URL(string: url)?.isWebAddress == true else { return "its url is not an http or https URL" }
        guard validator.map(ContinuationRule.isValidator) ?? true else {
            return "its validator is neither a strong entity tag nor an HTTP date"
        }
        guard length.map({ $0 >= 0 }) ?? true else { return "its length is negative" }
        return nil
    }

    /// Replaces the record at `path` atomically; only its owner can read it, since URLs may contain secrets.
    func write(to path: String) throws(CommandFailure) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else {
            throw CommandFailure(.file, "\(path): the record cannot be encoded")
        }
        do throws(FileError) {
            try RegularFile.replace(path, with: data)
        } catch {
            throw .file(error, "cannot be replaced")
        }
    }
}
