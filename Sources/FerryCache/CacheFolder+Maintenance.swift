/// The work in the background: deleting files, and rebuilding the index.
///
/// The index is locked for less than a millisecond at a time, so that stores continue, in this process and in others.
extension CacheFolder {
    package struct File {
        package var name: CacheName
        package var size: Int64
        package var time: Int64
    }

    private enum Step { case more, done, failed }

    /// The number of the maintenance's attempts to lock the index: for at least a tenth of a second.
    private static let patientAttempts = 400
    /// The number of records of the current index that are copied at a time.
    private static let copiedAtOnce = 256
    /// The most steps in which records are copied that were added meanwhile: enough for five million.
    private static let maximumSteps = 20_000

    /// Deletes files that crashes and removals have left, rebuilds the index if that is due, and evicts surplus files.
    package func maintain() {
        removeLeftovers()
        // Otherwise there are no files, and the index must not be made.
        guard Self.isOwnFolder(root) else { return }
        let needsRebuild = change(attempts: Self.patientAttempts) { $0.head.needsRebuild(capacity: self.capacity) }
        if needsRebuild == true { rebuild() }
        while evict(attempts: Self.patientAttempts) { usleep(2 * Self.lockPause) }
    }

    // MARK: - Deleting

    private func removeLeftovers() {
        let manager = FileManager.default
        for name in (try? manager.contentsOfDirectory(atPath: url.path)) ?? [] where name.hasPrefix(Self.removedPrefix)
        {
            guard UUID(uuidString: String(name.dropFirst(Self.removedPrefix.count))) != nil else { continue }
            removeFiles(in: url.path + "/" + name)
        }
        let anHourAgo = time(nil) - 3600
        for name in (try? manager.contentsOfDirectory(atPath: partsPath)) ?? [] where name.hasSuffix(Self.partSuffix) {
            let path = partsPath + "/" + name
            var info = stat()
            guard lstat(path, &info) == 0, CacheFile.isOurs(info), info.st_mtim.tv_sec < anHourAgo else { continue }
            unlink(path)
        }
    }

    /// Removes a folder with all files of the cache; files with other names remain, and their folders.
    package func removeFiles(in folder: String) {
        guard Self.isOwnFolder(folder) else { return }
        let manager = FileManager.default
        for part in (try? manager.contentsOfDirectory(atPath: folder)) ?? [] {
            let path = folder + "/" + part
            guard Self.isOwnFolder(path) else {
                if part.hasPrefix("index") { unlink(path) }
                continue
            }
            for name in (try? manager.contentsOfDirectory(atPath: path)) ?? []
            where CacheName(name) != nil || name.hasSuffix(Self.partSuffix) { unlink(path + "/" + name) }
            rmdir(path)
        }
        rmdir(folder)
    }

    // MARK: - Rebuilding

    package func files() -> [File] {
        var files: [File] = []
        for number in 0..<256 {
            let folder = root + "/" + UInt8(number).hexadecimal
            for fileName in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
                guard let name = CacheName(fileName), let info = info(of: name) else { continue }
                let time = CacheIndex.nanoseconds(info.st_mtim)
                files.append(File(name: name, size: Int64(info.st_size), time: time))
            }
        }
        return files
    }

    /// Writes a new index from the files, which takes a moment for each; in the meantime the current one is used.
    package func rebuild() {
        let path = index.withLock { $0.path }
        // The lock belongs to the process that rebuilds the index.
        guard let new = openNewIndex(path + "-new"), new.tryLock(), new.isAt(path + "-new"),
            let mark = change(
                attempts: Self.patientAttempts,
                { access -> Int64 in
                    access.head.rebuildMark = access.head.end
                    return access.head.end
                }
            )
        else { return }
        let files = files().sorted { $0.name < $1.name }
        let order = evictExcess(files, files.indices.sorted { files[$0].time < files[$1].time })
        guard (try? new.truncate(to: 0)) != nil, let next = write(files, order, to: new) else {
            // The disk is full.
            try? new.truncate(to: 0)
            return
        }
        if !finishRebuild(next, files, since: mark) { try? new.truncate(to: 0) }
    }

    private func openNewIndex(_ path: String) -> RegularFile? {
        if let new = try? RegularFile(updating: path) { return new }
        // Something else is in its place.
        guard unlink(path) == 0 || rmdir(path) == 0 else { return nil }
        return try? RegularFile(updating: path)
    }

    /// Deletes the least recently used of too many files, and returns the places of the others.
    ///
    /// This needs no index, so it makes room for the new one on a full disk.
    private func evictExcess(_ files: [File], _ order: [Int]) -> [Int] {
        var head = CacheIndex.Head()
        for file in files { head.note(from: nil, to: file.size) }
        var rest = order[...]
        while head.total > capacity, let place = rest.popFirst() {
            delete(files[place].name)
            head.note(from: files[place].size, to: nil)
        }
        return Array(rest)
    }

    private func write(_ files: [File], _ order: [Int], to new: RegularFile) -> CacheIndex.Access? {
        var next = CacheIndex.Access(head: CacheIndex.Head(), file: new)
        for start in stride(from: 0, to: order.count, by: 4096) {
            let places = order[start..<min(start + 4096, order.count)]
            let records = places.map { CacheIndex.Record(files[$0].name, time: files[$0].time) }
            guard next.append(records) else { return nil }
        }
        for file in files { next.head.note(from: nil, to: file.size) }
        return next
    }

    /// Copies the records that have been added to the current index, replaces it, and returns whether it was replaced.
    private func finishRebuild(_ next: CacheIndex.Access, _ files: [File], since mark: Int64) -> Bool {
        var next = next
        var copied = mark
        // The sizes of files that have changed, where `nil` means that there is no file.
        var sizes: [CacheName: Int64?] = [:]
        for _ in 0..<Self.maximumSteps {
            let step = change(attempts: Self.patientAttempts) { access -> Step in
                // All files may have been removed, or the index damaged.
                guard access.head.rebuildMark == mark, access.head.end >= copied else { return .failed }
                let end = min(access.head.end, copied + Int64(Self.copiedAtOnce * CacheIndex.Record.size))
                let records = access.records(in: copied..<end)
                for name in Set(records.map(\.name)) {
                    let size = info(of: name).map { Int64($0.st_size) }
                    next.head.note(from: sizes[name] ?? Self.size(of: name, in: files), to: size)
                    sizes[name] = .some(size)
                }
                copied = end
                guard next.append(records.filter { sizes[$0.name].flatMap { $0 } != nil }) else { return .failed }
                guard end == access.head.end else { return .more }
                return next.commit() && rename(next.file.path, access.file.path) == 0 ? .done : .failed
            }
            guard step == .more else { return step == .done }
            usleep(2 * Self.lockPause)
        }
        return false
    }

    /// Returns the size of a file, if it is among files that are sorted by name.
    private static func size(of name: CacheName, in files: [File]) -> Int64? {
        let index = files.insertionIndex(isBefore: { $0.name < name })
        return index < files.count && files[index].name == name ? files[index].size : nil
    }
}
