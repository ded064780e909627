/// The files of a cache's folder in the order of their use, and their total size; protected by the folder's lock.
///
/// It is a file: a head, followed by a queue of records. A file of the cache gets a record when it is stored, and
/// another one when it is used, so the first records are those of the least recently used files. A record is ignored if
/// its file does not exist any more, or has been used since. Thus all operations take constant time, nothing is kept in
/// memory, and several processes can use a folder: each operation locks the index.
///
/// The record is written before its file appears, so that no file is without one, even if the process ends in between.
package struct CacheIndex {
    /// The index while no other process can change it.
    package struct Access {
        package var head: Head
        package let file: RegularFile

        /// Adds a record, and returns whether that was possible.
        package mutating func append(_ record: Record) -> Bool { append([record]) && commit() }

        /// Adds records without writing the head, and returns whether that was possible.
        package mutating func append(_ records: [Record]) -> Bool {
            let bytes = records.reduce(into: Data()) { $0 += $1.bytes }
            let (end, isTooFar) = head.end.addingReportingOverflow(Int64(bytes.count))
            guard !isTooFar, (try? file.write(bytes, at: head.end)) != nil else { return false }
            head.end = end
            return true
        }

        /// Removes and returns the first record.
        ///
        /// If it is damaged, the index is to be rebuilt.
        package mutating func takeFirst() -> Record? {
            guard head.first < head.end, head.rebuildMark == 0 else { return nil }
            guard let record = records(in: head.first..<head.first + Int64(Record.size)).first else {
                head.rebuildMark = head.end
                return nil
            }
            head.first += Int64(Record.size)
            return record
        }

        /// Returns the intact records in a part of the file.
        package func records(in range: Range<Int64>) -> [Record] {
            guard let bytes = try? file.read(range) else { return [] }
            return stride(from: 0, to: bytes.count, by: Record.size).compactMap {
                Record(Data(bytes.dropFirst($0).prefix(Record.size)))
            }
        }

        /// Notes that a file does not exist any more.
        package mutating func noteRemoval(of name: CacheName, size: Int64) {
            head.note(from: size, to: nil)
            // A rebuild may have seen the file.
            if head.rebuildMark > 0 { _ = append(Record(name)) }
        }

        @discardableResult
        package func commit() -> Bool { (try? file.write(head.bytes)) != nil }
    }

    /// The result of a change.
    package enum Outcome<Value: Sendable>: Sendable {
        case done(Value)
        /// Another process, or another cache of this one, has locked the index.
        case locked
        /// There is no index, and it cannot be made.
        case unavailable

        package var value: Value? { if case .done(let value) = self { value } else { nil } }
    }

    /// Differs after a restart of the system, which may have lost the end of the index.
    package static var boot: UInt64 { SystemBoot.number }
    /// The current time in nanoseconds since 1970.
    package static var now: Int64 { nanoseconds(SystemClock.read(CLOCK_REALTIME)) }

    package let folder: String
    private var file: RegularFile?
    /// The files that were removed while the index was locked, which the next change notes.
    package var removed: [(name: CacheName, size: Int64)] = []
    /// Whether the index has been locked for too long; the lock is not waited for again until it was free once.
    package var isBusy = false

    package init(folder: String) { self.folder = folder }

    package var path: String { folder + "/index" }

    /// Calls `body` while no other process can change the index, and writes the head if it has changed.
    ///
    /// It does not wait for the lock, because the caller may hold the folder's lock.
    package mutating func change<Value: Sendable>(_ body: (inout Access) -> Value) -> Outcome<Value> {
        var isReplaced = false
        // Another process may replace or remove the index while it is being locked.
        for _ in 0..<5 {
            guard let file = file ?? open() else { return .unavailable }
            self.file = file
            guard file.tryLock() else { return .locked }
            isBusy = false
            defer { file.unlock() }
            guard file.isAt(path) else {
                self.file = nil
                isReplaced = true
                continue
            }
            var access = Access(head: head(of: file), file: file)
            let old = access.head
            noteRemoved(in: &access, isReplaced: isReplaced)
            let result = body(&access)
            if access.head != old { access.commit() }
            return .done(result)
        }
        return .locked
    }

    /// Notes the files that were removed while the index was locked.
    private mutating func noteRemoved(in access: inout Access, isReplaced: Bool) {
        guard !removed.isEmpty else { return }
        if !isReplaced {
            for (name, size) in removed { access.noteRemoval(of: name, size: size) }
        } else if access.head.rebuildMark == 0 {
            // It is not known whether the new index counts them.
            access.head.rebuildMark = access.head.end
        }
        removed = []
    }

    /// Returns the head of the index; a damaged one is replaced by the head of an index that must be rebuilt.
    private func head(of file: RegularFile) -> Head {
        let bytes = (try? file.read(0..<Int64(Head.size))) ?? Data()
        if var head = Head(bytes, fileSize: (try? file.size()) ?? 0) {
            guard head.boot != Self.boot else { return head }
            (head.boot, head.rebuildMark) = (Self.boot, head.end)
            try? file.write(head.bytes)
            return head
        }
        var head = Head()
        head.rebuildMark = head.end
        try? file.truncate(to: 0)
        try? file.write(head.bytes)
        return head
    }

    /// Opens or makes the index.
    private func open() -> RegularFile? {
        let isNew = mkdir(folder, 0o700) == 0
        // Others could replace the files of a folder that is not this user's.
        guard CacheFolder.isOwnFolder(folder) else { return nil }
        if isNew, let file = try? RegularFile(creating: path) {
            // Another process may have found the empty index already, and lists its files there.
            guard file.tryLock() else { return file }
            if (try? file.size()) == 0 { try? file.write(Head().bytes) }
            file.unlock()
            return file
        }
        do throws(FileError) {
            return try openFile()
        } catch {
            // A link, a pipe or a folder in its place was not made by the cache.
            let isForeign = [ELOOP, EISDIR, EINVAL].contains(error.code)
            guard isForeign, unlink(path) == 0 || rmdir(path) == 0 else { return nil }
            return try? openFile()
        }
    }

    private func openFile() throws(FileError) -> RegularFile {
        let file = try RegularFile(updating: path)
        try file.requireOwnership()
        return file
    }

    package static func nanoseconds(_ time: timespec) -> Int64 {
        let (seconds, isTooLarge) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        return isTooLarge ? (time.tv_sec < 0 ? .min : .max) : seconds &+ Int64(time.tv_nsec)
    }
}
