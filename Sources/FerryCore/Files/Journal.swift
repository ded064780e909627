/// A file of records that several processes read and append to, which survives the end of any of them at any moment.
///
/// A record is a line: a checksum in hexadecimal, a space, and text without line breaks. A line that was cut off, or is
/// damaged, is skipped and counted. The file is locked only during an update.
///
/// `@unchecked Sendable`: it must be used by one thread at a time.
package final class Journal: @unchecked Sendable {
    /// The changes of the file since the last update by this object.
    package struct Changes: Sendable {
        /// The new records, or all records if ``isFromStart`` is true.
        package var records: [Data] = []
        /// Whether earlier records are void.
        package var isFromStart = false
        /// The number of lines that are not records.
        package var damaged = 0
        /// The size of the file in bytes.
        package var size: Int64 = 0
    }

    /// The bytes that an update writes.
    package enum Edit: Sendable {
        case none
        case append([Data])
        /// Replaces the file, atomically.
        case replace([Data])
    }

    package let path: String
    private var file: RegularFile?
    private var position: Int64 = 0
    /// A larger file is neither read nor written.
    private let limit: Int

    /// The default limit on the size of a file, in bytes; callers replace the records before it is reached.
    package static let maximumBytes = 536_870_912

    package init(path: String, maximumBytes: Int = Journal.maximumBytes) {
        (self.path, limit) = (path, maximumBytes)
    }

    /// Returns the number of bytes that a record has in a file, with its checksum and the line break.
    package static func size(of record: Data) -> Int64 { Int64(checksumLength + 1 + record.count + 1) }

    private static let checksumLength = 16

    /// Returns whether the file has changed since the last update, which costs two system calls.
    package var hasChanged: Bool {
        guard let file, file.isAt(path), let size = try? file.size() else { return true }
        return size != position
    }

    /// Reads what has changed, and writes what `body` returns, while no other process does either.
    ///
    /// `body` is called once, with the changes, which later updates do not report again. If `synchronized`, the records
    /// are on the disk when the method returns, and survive a power failure. It also throws if another process keeps
    /// the lock for five seconds or the file would be too large; the records are then not in the file.
    package func update(synchronized: Bool, _ body: (Changes) throws -> Edit) throws {
        var changes = Changes()
        let file = try lockedFile()
        defer { self.file?.unlock() }
        try read(file, &changes)
        switch try body(changes) {
        case .none: break
        case .append(let records):
            guard !records.isEmpty else { break }
            try write(records, to: file, synchronized)
        case .replace(let records): try replace(with: records, synchronized)
        }
    }

    private func lockedFile() throws(FileError) -> RegularFile {
        let deadline = MonotonicTime.now().advanced(by: TimeSpan(seconds: 5))
        while true {
            let open: RegularFile
            if let file {
                open = file
            } else {
                open = try RegularFile(updating: path)
                try open.requireOwnership()
                (file, position) = (open, 0)
            }
            let isLocked = open.tryLock()
            if isLocked, open.isAt(path) { return open }
            if isLocked {
                // Another process has replaced the file.
                try? open.close()
                file = nil
            }
            guard MonotonicTime.now() < deadline else { throw FileError("lock", path: path, code: EWOULDBLOCK) }
            if !isLocked { usleep(1_000) }
        }
    }

    private func read(_ file: RegularFile, _ changes: inout Changes) throws(FileError) {
        var end = try file.size()
        guard end <= Int64(limit) else { throw FileError("read", path: path, reason: .tooLarge(limit: limit)) }
        if end < position { position = 0 }
        // This is also true if an earlier update has opened the file but not read it.
        changes.isFromStart = position == 0
        let data = try file.read(position..<end)
        let lineBreak = UInt8(ascii: "\n")
        let complete = data[..<(data.lastIndex(of: lineBreak).map { $0 + 1 } ?? data.startIndex)]
        for line in complete.split(separator: lineBreak) {
            if let record = Self.record(in: line) { changes.records.append(record) } else { changes.damaged += 1 }
        }
        if complete.count < data.count {
            // A process has ended while it was writing the line, or the disk was full.
            changes.damaged += 1
            end -= Int64(data.count - complete.count)
            try file.truncate(to: end)
        }
        (position, changes.size) = (end, end)
    }

    private func write(_ records: [Data], to file: RegularFile, _ synchronized: Bool) throws(FileError) {
        let lines = try lines(records, after: position)
        do {
            try file.write(lines, at: position)
            if synchronized { try file.synchronize() }
        } catch {
            // The caller does not rely on the records, so they must not appear later.
            try? file.truncate(to: position)
            throw error
        }
        position += Int64(lines.count)
    }

    private func replace(with records: [Data], _ synchronized: Bool) throws(FileError) {
        let lines = try lines(records, after: 0)
        let temporary = path + ".new"
        unlink(temporary)
        // After the rename below, no file has this name.
        defer { unlink(temporary) }
        let new = try RegularFile(creating: temporary)
        guard new.tryLock() else { throw FileError("lock", path: temporary) }
        try new.write(lines)
        // Earlier records may be on the disk already, and a power failure must not lose them.
        try new.synchronize()
        guard rename(temporary, path) == 0 else { throw FileError("rename to", path: path) }
        try? file?.close()
        (file, position) = (new, Int64(lines.count))
        if synchronized { try RegularFile.synchronizeFolder(of: path) }
    }

    /// Returns the lines of records; throws if the file would be too large with them.
    private func lines(_ records: [Data], after start: Int64) throws(FileError) -> Data {
        let end = records.reduce(start) { $0 + Self.size(of: $1) }
        guard end <= Int64(limit) else { throw FileError("write to", path: path, reason: .tooLarge(limit: limit)) }
        return records.reduce(into: Data()) { lines, record in
            lines += Data((ByteHash.of(record).hexadecimal + " ").utf8) + record + Data("\n".utf8)
        }
    }

    private static func record(in line: Data) -> Data? {
        let length = checksumLength
        guard line.count > length, line[line.startIndex + length] == UInt8(ascii: " ") else { return nil }
        let record = Data(line.dropFirst(length + 1))
        return line.prefix(length).elementsEqual(ByteHash.of(record).hexadecimal.utf8) ? record : nil
    }
}
