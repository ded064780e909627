import CFerry

/// The partial file of a download: the engine's thread writes to it, and a queue of its own hashes and renames it.
///
/// `@unchecked Sendable`: the variables are used only on the queue. So is `file`, except that the engine's thread also
/// writes to it, until before it is closed.
final class SegmentFile: @unchecked Sendable {
    let destination: String
    private let queue = FileQueue(convert: VerifiedDownloadError.init)
    private let file: RegularFile
    private var hash: DigestHash?
    private var hashed: Int64 = 0
    /// Whether the bytes of an earlier download were discarded.
    private var isOwn = false

    var partPath: String { destination + VerifiedDownload.partSuffix }
    var statePath: String { partPath + ".state" }

    /// Opens or creates the partial file, and locks it; throws an error if the destination must not be replaced.
    init(destination: String) async throws {
        self.destination = destination
        let path = destination + VerifiedDownload.partSuffix
        file = try await queue.run {
            try RegularFile.requireReplaceable(destination)
            // The longest name is that of a new record, which is needed only after the first second.
            if access(path + ".state.new", F_OK) != 0, errno == ENAMETOOLONG {
                throw FileError("create", path: destination, code: ENAMETOOLONG)
            }
            return try Self.open(path)
        }
    }

    private static func open(_ path: String) throws -> RegularFile {
        for _ in 0..<100 {
            do throws(FileError) {
                let file = try RegularFile(updating: path)
                try file.requireOwnership()
                guard file.tryLock() else { throw FileError("lock", path: path, code: EWOULDBLOCK) }
                // Another process may have published the file between the two steps.
                if file.isAt(path) { return file }
            } catch {
                if error.operation == "lock" { throw VerifiedDownloadError.isBusy(path: path) }
                throw VerifiedDownloadError(error)
            }
        }
        throw VerifiedDownloadError.isBusy(path: path)
    }

    /// Returns the record of the file's parts; `nil` if there is none, or the file is too short for it.
    func state() async throws -> SegmentState? {
        try await queue.run { [self] in
            guard var state = SegmentState.read(statePath), let ranges = state.ranges, let last = ranges.last,
                try file.size() >= last.upperBound
            else { return nil }
            if let boot = state.boot, boot != SystemBoot.number {
                // After a failure of power, bytes that were written may be missing, and read as zeros.
                let kept = try ranges.flatMap { try file.data(in: $0) }
                state.parts = kept.flatMap { [$0.lowerBound, $0.upperBound] }
            }
            return state
        }
    }

    /// Discards what the file has, and starts to hash with an algorithm.
    func begin(hashing algorithm: ContentDigest.Algorithm?, keepsBytes: Bool) async throws {
        try await queue.run { [self] in
            hash = algorithm.map(DigestHash.init)
            hashed = 0
            guard !keepsBytes else { return }
            unlink(statePath)
            try file.truncate(to: 0)
            isOwn = true
        }
    }

    /// Reserves space for the next bytes, so that the file system need not allocate space for each piece.
    ///
    /// A full disk is reported only when the bytes are written.
    func reserve(_ range: Range<Int64>) { ferry_reserve(file.descriptor, range.lowerBound, Int64(range.count)) }

    /// Writes bytes on the calling thread, as downloads to a file do.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(VerifiedDownloadError) {
        do throws(FileError) {
            try file.write(bytes, at: offset)
        } catch {
            throw VerifiedDownloadError(error)
        }
    }

    /// Throws if the partial file was removed, so that its name may be another file's.
    private func requireName() throws {
        guard !file.isAt(partPath) else { return }
        throw VerifiedDownloadError.file(path: partPath, code: ESTALE, reason: "It was removed while it was written")
    }

    /// Replaces the record.
    func save(_ state: SegmentState, synchronized: Bool) async throws {
        try await queue.run { [self] in
            try requireName()
            if synchronized { try file.synchronize() }
            try state.write(to: statePath, synchronized: synchronized)
        }
    }

    /// Hashes the bytes up to an offset that are not hashed yet; returns early if the Swift task is cancelled.
    func hash(upTo end: Int64) async throws {
        let step: Int64 = 1_048_576
        var isDone = false
        while !isDone, !Task.isCancelled {
            isDone = try await queue.run { [self] in
                guard hash != nil, hashed < end else { return true }
                let part = try file.read(hashed..<min(end, hashed + step))
                guard !part.isEmpty else { throw FileError("read", path: partPath, code: EIO) }
                part.withUnsafeBytes { hash?.update($0) }
                hashed += Int64(part.count)
                return false
            }
        }
    }

    /// Returns the digest of the first bytes.
    func digest(of total: Int64) async throws -> [UInt8]? {
        try await hash(upTo: total)
        try Task.checkCancellation()
        return try await queue.run { [self] in hash?.bytes }
    }

    /// Returns the number that identifies the file in its file system, also after it was renamed.
    func inode() async throws -> UInt64 { try await queue.run { [self] in UInt64(try file.status().st_ino) } }

    /// Renames the complete file to its destination.
    func publish(total: Int64, synchronized: Bool) async throws {
        try await queue.run { [self] in
            try file.truncate(to: total)
            try RegularFile.requireReplaceable(destination)
            let permissions = RegularFile.permissions(of: destination) ?? RegularFile.newPermissions
            // Some file systems have no permissions.
            try? file.setPermissions(permissions)
            if synchronized { try file.synchronize() }
            try file.requireWritten()
            try requireName()
            guard rename(partPath, destination) == 0 else { throw FileError("rename to", path: destination) }
            unlink(statePath)
            if synchronized { try RegularFile.synchronizeFolder(of: destination) }
        }
    }

    /// Deletes the partial file and its record, and closes it; `ifOwn` keeps the bytes of an earlier download.
    func remove(ifOwn: Bool = false) async {
        _ = try? await queue.run { [self] in
            let isEmpty = try file.size() == 0
            if file.isAt(partPath), !ifOwn || isOwn || isEmpty || access(statePath, F_OK) != 0 {
                unlink(statePath)
                unlink(partPath)
            }
            try file.close()
        }
    }

    /// Closes the file, so that another download can have it at once: the last reference may be released later.
    func close() async throws { try await queue.run { [self] in try file.close() } }
}
