/// The files of the folder, each of which appears, is used and disappears with a change of the index.
extension CacheFolder {
    package static let partSuffix = ".ferry-part"
    package static let removedPrefix = "ferry-cache-removed-"
    /// The number of files that are evicted at a time, so that no store waits for long.
    package static let evictedAtOnce = 8
    /// The number of attempts to lock the index: for about ten milliseconds, since the engine's thread waits.
    package static let lockAttempts = 40
    /// The time between two attempts, in microseconds; others hold the lock for less.
    package static let lockPause: UInt32 = 250

    /// The folder of files that are being written, of which few remain after a crash.
    package var partsPath: String { root + "/parts" }

    /// Changes the index, and begins the maintenance that is due; `nil` if the index cannot be changed now.
    ///
    /// While another process has locked the index, no lock of this process is held.
    @discardableResult
    package func change<Result: Sendable>(
        attempts: Int = lockAttempts,
        _ body: (inout CacheIndex.Access) -> Result
    ) -> Result? {
        var attemptsLeft = attempts
        while true {
            let outcome = index.withLock { index in
                index.change { access in (body(&access), access.head.needsRebuild(capacity: capacity)) }
            }
            switch outcome {
            case .done((let result, let needsRebuild)):
                maintenance.begin(needsRebuild ? .rebuild : .firstUse) { [self] in maintain() }
                return result
            case .unavailable: return nil
            case .locked:
                attemptsLeft -= 1
                // A process that was stopped may hold the lock for hours; only the maintenance waits for it each time.
                if attemptsLeft == 0, attempts > 1 { index.withLock { $0.isBusy = true } }
                let isGivenUp = attempts <= Self.lockAttempts && index.withLock { $0.isBusy }
                guard attemptsLeft > 0, !isGivenUp else { return nil }
                usleep(Self.lockPause)
            }
        }
    }

    /// Creates a file that is being written, and missing folders.
    package func makePart() -> RegularFile? {
        let path = partsPath + "/" + UUID.random.uuidString + Self.partSuffix
        if let part = try? RegularFile(creating: path) { return part }
        try? FileManager.default.createDirectory(
            at: url,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        // Opening the index makes the cache's folder.
        guard change({ _ in }) != nil else { return nil }
        mkdir(partsPath, 0o700)
        return try? RegularFile(creating: path)
    }

    /// Renames a file that was written, replacing another one of that name, and returns whether that was possible.
    package func publish(_ part: String, as name: CacheName, _ status: stat) -> Bool {
        let capacity = capacity
        // The clock may have been set back since the file was written, and a record is not older than its file.
        let record = CacheIndex.Record(name, time: max(CacheIndex.now, CacheIndex.nanoseconds(status.st_mtim)))
        let isPublished = change { access -> (isDone: Bool, isFull: Bool) in
            let old = info(of: name).map { Int64($0.st_size) }
            guard access.append(record) else { return (false, false) }
            if rename(part, path(name)) != 0 {
                guard errno == ENOENT else { return (false, false) }
                mkdir(root + "/" + name.path.prefix(2), 0o700)
                guard rename(part, path(name)) == 0 else { return (false, false) }
            }
            access.head.note(from: old, to: Int64(status.st_size))
            return (true, access.head.total > capacity)
        }
        guard let isPublished, isPublished.isDone else { return false }
        if isPublished.isFull, evict() {
            maintenance.begin(.removal) { [self] in maintain() }
        }
        return true
    }

    package func delete(_ name: CacheName) {
        guard let present = info(of: name) else { return }
        let isNoted: Void? = change { access in
            guard let old = info(of: name), unlink(path(name)) == 0 else { return }
            access.noteRemoval(of: name, size: Int64(old.st_size))
        }
        // A removed file must not be found, even if the index can only be changed later.
        guard isNoted == nil, unlink(path(name)) == 0 else { return }
        index.withLock { $0.removed.append((name, Int64(present.st_size))) }
    }

    /// Removes some of the least recently used files if there are too many, and returns whether there are more to
    /// remove.
    package func evict(attempts: Int = lockAttempts) -> Bool {
        let isDone = change(attempts: attempts) { access in
            for _ in 0..<Self.evictedAtOnce {
                guard access.head.total > capacity, let record = access.takeFirst() else { return true }
                guard let info = info(of: record.name), CacheIndex.nanoseconds(info.st_mtim) <= record.time,
                    unlink(path(record.name)) == 0
                else { continue }
                access.head.note(from: Int64(info.st_size), to: nil)
                access.commit()
            }
            return access.head.total <= capacity
        }
        return isDone == false
    }

    /// Removes all files: they cannot be found when this returns, and are deleted soon afterwards.
    package func removeAll() {
        // Anything else in its place was not made by the cache.
        guard Self.isOwnFolder(root) else { return }
        let removed = url.path + "/" + Self.removedPrefix + UUID.random.uuidString
        if rename(root, removed) != 0 {
            // The folder around it may belong to others, or be on another disk.
            removeFiles(in: root)
        }
        maintenance.begin(.removal) { [self] in maintain() }
    }

    /// Returns whether a path leads to a folder of this user, without following a link.
    package static func isOwnFolder(_ path: String) -> Bool {
        var info = stat()
        return lstat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR && info.st_uid == geteuid()
    }

    /// The current size of all files in bytes.
    package var size: Int {
        guard Self.isOwnFolder(root) else { return 0 }
        let known = change { $0.head.rebuildMark > 0 ? nil : $0.head.total } ?? nil
        if let known { return Int(clamping: known) }
        var head = CacheIndex.Head()
        for file in files() { head.note(from: nil, to: file.size) }
        return Int(clamping: head.total)
    }

    /// Returns the status of a file that is this user's.
    package func info(of name: CacheName) -> stat? {
        var info = stat()
        return lstat(path(name), &info) == 0 && CacheFile.isOurs(info) ? info : nil
    }
}
