/// An open regular file.
///
/// Opening never blocks: a pipe, socket or device in place of the file is refused with a ``FileError`` before anything
/// is read or written. Child processes do not inherit the descriptor. Reads and writes specify their offset, do not use
/// the file position, and are retried after signals.
///
/// `@unchecked Sendable`: the descriptor changes only in `close()`, which must not run concurrently with other uses.
package final class RegularFile: @unchecked Sendable {
    /// The treatment of a symbolic link in the last component of a path.
    package enum Links: Sendable {
        /// Follow it, because the path was chosen by the user.
        case follow
        /// Fail, because the path was chosen by Ferry.
        case refuse
    }

    package let path: String

    package private(set) var descriptor: Int32
    private var isLocked = false

    private init(_ path: String, flags: Int32, mode: mode_t = 0, operation: String) throws(FileError) {
        self.path = path
        descriptor = try Self.open(path, flags: flags, mode: mode, operation: operation)
    }

    deinit {
        guard descriptor >= 0 else { return }
        unlock()
        closeDescriptor(descriptor)
    }

    package convenience init(reading path: String, links: Links) throws(FileError) {
        try self.init(path, flags: O_RDONLY | links.flag, operation: "open")
    }

    /// Opens a file for writing, and keeps its contents; a missing one is created with the permissions `mode`, and is
    /// an error if they are `nil`.
    package convenience init(writing path: String, links: Links, creatingWith mode: mode_t? = nil) throws(FileError) {
        let creation = mode == nil ? 0 : O_CREAT
        try self.init(path, flags: O_WRONLY | creation | links.flag, mode: mode ?? 0, operation: "open")
    }

    /// Opens a file that Ferry keeps for writing and reading, or creates it.
    package convenience init(updating path: String, mode: mode_t = 0o600) throws(FileError) {
        try self.init(path, flags: O_RDWR | O_CREAT | O_NOFOLLOW, mode: mode, operation: "open")
    }

    /// Creates a file that must not exist yet, for writing and reading.
    package convenience init(creating path: String, mode: mode_t = 0o600) throws(FileError) {
        try self.init(path, flags: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode, operation: "create")
    }

    /// Reads a whole file, which must have at most `limit` bytes.
    package static func contents(of path: String, links: Links, limit: Int) throws(FileError) -> Data {
        let file = try RegularFile(reading: path, links: links)
        let data = try file.read(upToCount: limit == .max ? limit : limit + 1)
        guard data.count <= limit else { throw FileError("read", path: path, reason: .tooLarge(limit: limit)) }
        return data
    }

    private static func open(
        _ path: String,
        flags: Int32,
        mode: mode_t,
        operation: String
    ) throws(FileError) -> Int32 {
        // Without O_NONBLOCK, opening a pipe blocks until its other end is opened.
        let all = flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        let descriptor = Int32(truncatingIfNeeded: retrying { Int(openDescriptor(path, all, mode)) })
        guard descriptor >= 0 else {
            // The path is a socket, or a pipe without a reader.
            if errno == ENXIO { throw FileError(operation, path: path, reason: .notRegular) }
            throw FileError(operation, path: path)
        }
        var info = stat()
        guard fstat(descriptor, &info) == 0 else {
            let error = FileError(operation, path: path)
            closeDescriptor(descriptor)
            throw error
        }
        switch info.st_mode & S_IFMT {
        case S_IFREG: return descriptor
        case S_IFDIR:
            closeDescriptor(descriptor)
            throw FileError(operation, path: path, code: EISDIR)
        default:
            closeDescriptor(descriptor)
            throw FileError(operation, path: path, reason: .notRegular)
        }
    }

    // MARK: - The file

    /// Returns the file's current size, owner and times.
    package func status() throws(FileError) -> stat {
        var info = stat()
        guard fstat(descriptor, &info) == 0 else { throw FileError("examine", path: path) }
        return info
    }

    /// Returns the current size of the file in bytes.
    package func size() throws(FileError) -> Int64 { Int64(try status().st_size) }

    /// Throws unless the file belongs to the user of this process, and in a shared folder only that user can write it.
    ///
    /// Where others can create files, they may have prepared the file, or keep it open and change it later.
    package func requireOwnership() throws(FileError) {
        let info = try status()
        guard info.st_uid == geteuid() else { throw FileError("open", path: path, reason: .foreignOwner) }
        let others = S_IWGRP | S_IWOTH
        guard info.st_mode & others != 0 else { return }
        var folder = stat()
        guard stat(parent, &folder) == 0 else {
            throw FileError("examine the folder of", path: path)
        }
        guard folder.st_mode & others == 0 else { throw FileError("open", path: path, reason: .writableByOthers) }
    }

    private var parent: String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return String(path[...slash])
    }

    /// Locks the file exclusively, without waiting, and returns whether that was possible; closing it unlocks it.
    package func tryLock() -> Bool {
        isLocked = Self.retrying { Int(flock(descriptor, LOCK_EX | LOCK_NB)) } == 0
        return isLocked
    }

    /// Ends a lock.
    package func unlock() {
        guard isLocked else { return }
        isLocked = false
        flock(descriptor, LOCK_UN)
    }

    package func isAt(_ path: String, links: Links = .refuse) -> Bool {
        var other = stat()
        let isFound = links == .follow ? stat(path, &other) == 0 : lstat(path, &other) == 0
        guard isFound, let own = try? status() else { return false }
        return own.st_ino == other.st_ino && own.st_dev == other.st_dev
    }

    /// Throws if a rename to a path would replace a folder, a pipe, a socket or a device.
    ///
    /// A symbolic link can be replaced, whatever it leads to. If the path cannot be examined, the rename will fail too.
    package static func requireReplaceable(_ path: String) throws(FileError) {
        var info = stat()
        guard lstat(path, &info) == 0 else { return }
        switch info.st_mode & S_IFMT {
        case S_IFREG, S_IFLNK: return
        case S_IFDIR: throw FileError("replace", path: path, code: EISDIR)
        default: throw FileError("replace", path: path, reason: .notRegular)
        }
    }

    /// Sets the times of last access and last modification to the current time.
    package func setTimesToNow() { futimens(descriptor, nil) }

    /// Sets the time of last modification to a date, in whole seconds.
    package func setModificationDate(_ date: Date) throws(FileError) {
        guard let seconds = Int(exactly: date.timeIntervalSince1970.rounded(.down)) else {
            throw FileError("change the time of", path: path, code: EINVAL)
        }
        let time = timespec(tv_sec: seconds, tv_nsec: 0)
        guard futimens(descriptor, [time, time]) == 0 else { throw FileError("change the time of", path: path) }
    }

    package func setPermissions(_ permissions: mode_t) throws(FileError) {
        guard fchmod(descriptor, permissions) == 0 else { throw FileError("change the permissions of", path: path) }
    }

    /// Truncates the file to a size, or extends it with zeros.
    package func truncate(to size: Int64) throws(FileError) {
        // ext4 writes a file that was truncated to the disk when it is closed, even if its size has not changed.
        if try self.size() == size { return }
        guard Self.retrying({ Int(ftruncate(descriptor, off_t(size))) }) == 0 else {
            throw FileError("truncate", path: path)
        }
    }

    /// Waits until the contents of the file are on the disk, and survive a power failure.
    package func synchronize() throws(FileError) {
        guard Self.retrying({ Int(fsync(descriptor)) }) == 0 else { throw FileError("synchronize", path: path) }
    }

    /// Waits until the names in the folder of a path are on the disk.
    package static func synchronizeFolder(of path: String) throws(FileError) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let descriptor = openDescriptor(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        guard descriptor >= 0 else {
            let error = FileError("open", path: folder)
            // A folder that may only be written to; the change of names has happened already.
            if error.code == EACCES { return }
            throw error
        }
        defer { closeDescriptor(descriptor) }
        guard retrying({ Int(fsync(descriptor)) }) != 0 else { return }
        let error = FileError("synchronize", path: folder)
        // Some file systems cannot do it for folders.
        if error.code != EINVAL { throw error }
    }

    /// Closes the file; a full or remote disk may report a failure only now.
    package func close() throws(FileError) {
        guard descriptor >= 0 else { return }
        // A child process that is just being started has the descriptor too, and would keep the lock.
        unlock()
        let open = descriptor
        descriptor = -1
        // The descriptor is closed even if a signal interrupts the call.
        guard closeDescriptor(open) == 0 || errno == EINTR else { throw FileError("close", path: path) }
    }

    /// Throws if bytes may not have been written, and keeps the file open and locked.
    ///
    /// A full or remote disk may report a write error only when a descriptor is closed, which may be a copy. After an
    /// error it is not known which bytes are missing, so the file is emptied.
    package func requireWritten() throws(FileError) {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw FileError("close", path: path) }
        guard closeDescriptor(copy) == 0 || errno == EINTR else {
            let error = FileError("close", path: path)
            try? truncate(to: 0)
            throw error
        }
    }

    // MARK: - Bytes

    /// Reads at an offset and returns the number of bytes read, zero at the end.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileError) -> Int {
        guard !buffer.isEmpty else { return 0 }
        let count = Self.retrying { pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset)) }
        guard count >= 0 else { throw FileError("read", path: path) }
        return count
    }

    /// Reads a part, or as much of it as there is before the end.
    package func read(_ range: Range<Int64>) throws(FileError) -> Data {
        var data = Data(count: max(0, Int(clamping: min(range.upperBound, try size()) - range.lowerBound)))
        var count = 0
        while count < data.count {
            let result = data.withUnsafeMutableBytes { bytes in
                let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[count...])
                return Result { () throws(FileError) in try read(into: rest, at: range.lowerBound + Int64(count)) }
            }
            let next = try result.get()
            guard next > 0 else { break }
            count += next
        }
        return data.prefix(count)
    }

    /// Returns the parts of a range that have data; the others are holes, which were never written to the disk.
    package func data(in range: Range<Int64>) throws(FileError) -> [Range<Int64>] {
        let (seekData, seekHole): (Int32, Int32) = (3, 4)
        var parts: [Range<Int64>] = []
        var position = range.lowerBound
        while position < range.upperBound {
            let start = Int64(lseek(descriptor, Int(position), seekData))
            if start < 0, errno == ENXIO { break }
            let end = start < 0 ? -1 : Int64(lseek(descriptor, Int(start), seekHole))
            guard end > position else { throw FileError("read", path: path) }
            if start < range.upperBound { parts.append(max(start, position)..<min(end, range.upperBound)) }
            position = end
        }
        return parts
    }

    /// Reads from the beginning to the end, or up to `limit` bytes.
    package func read(upToCount limit: Int) throws(FileError) -> Data {
        let expected = Int(clamping: try size())
        var data = Data()
        data.reserveCapacity(min(expected, limit))
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        defer { buffer.deallocate() }
        while data.count < limit {
            let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, limit - data.count)])
            let count = try read(into: piece, at: Int64(data.count))
            guard count > 0 else { break }
            data.append(contentsOf: UnsafeRawBufferPointer(rebasing: piece[..<count]))
        }
        return data
    }

    /// Writes all bytes at an offset.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileError) {
        var written = 0
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            let (place, isTooFar) = offset.addingReportingOverflow(Int64(written))
            guard !isTooFar else { throw FileError("write to", path: path, code: EFBIG) }
            let count = Self.retrying { pwrite(descriptor, rest.baseAddress, rest.count, off_t(place)) }
            // Retrying after zero could loop forever.
            guard count > 0 else { throw FileError("write to", path: path, code: count == 0 ? EIO : errno) }
            written += count
        }
    }

    /// Writes all data at an offset.
    package func write(_ data: Data, at offset: Int64 = 0) throws(FileError) {
        let result = data.withUnsafeBytes { bytes in
            Result { () throws(FileError) in try write(bytes, at: offset) }
        }
        try result.get()
    }

    /// Replaces a file, or creates it, in one step; only its owner can read it.
    ///
    /// The bytes are first written to a file beside it, whose name ends in `suffix`. If `synchronized`, they are on the
    /// disk before the file is replaced.
    package static func replace(
        _ path: String,
        with data: Data,
        suffix: String = ".new",
        synchronized: Bool = false
    ) throws(FileError) {
        let temporary = path + suffix
        unlink(temporary)
        do throws(FileError) {
            let file = try RegularFile(creating: temporary)
            try file.write(data)
            if synchronized { try file.synchronize() }
            // A full or remote disk may report a write error only when the file is closed.
            try file.close()
            guard rename(temporary, path) == 0 else { throw FileError("rename to", path: path) }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// Maps the first `count` bytes into memory, which stays readable after the file is closed or deleted.
    package func mapped(count: Int) throws(FileError) -> Data {
        guard count > 0 else { return Data() }
        guard try size() >= Int64(count) else { throw FileError("map", path: path, code: EIO) }
        guard let base = mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0), base != MAP_FAILED else {
            throw FileError("map", path: path)
        }
        return Data(bytesNoCopy: base, count: count, deallocator: .unmap)
    }

    /// Repeats a system call while signals interrupt it.
    private static func retrying(_ call: () -> Int) -> Int {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }
}

extension RegularFile.Links {
    fileprivate var flag: Int32 { self == .refuse ? O_NOFOLLOW : 0 }
}

/// Calls `open`, under a name that no method shadows.
private func openDescriptor(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }

/// Calls `close`, under a name that no method shadows.
@discardableResult
private func closeDescriptor(_ descriptor: Int32) -> Int32 { close(descriptor) }
