/// The names in the folder, each of which appears and disappears with one system call.
extension CacheFolder {
    package static let partSuffix = ".ferry-part"
    package static let removedPrefix = "ferry-cache-removed-"

    /// The folder of files that are being written, of which few remain after a crash.
    package var partsPath: String { root + "/parts" }

    /// Creates a file that is being written, and missing folders.
    package func makePart() -> RegularFile? {
        let path = partsPath + "/" + UUID.random.uuidString + Self.partSuffix
        if Self.isOwnFolder(root), let part = try? RegularFile(creating: path) { return part }
        try? FileManager.default.createDirectory(
            at: url,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        mkdir(root, 0o700)
        // Others could replace the files of a folder that is not this user's.
        guard Self.isOwnFolder(root) else { return nil }
        mkdir(partsPath, 0o700)
        return try? RegularFile(creating: path)
    }

    /// Renames a file that was written, replacing another one of that name, and returns whether that was possible.
    package func publish(_ part: String, as name: CacheName, size: Int64) -> Bool {
        guard reserve(size) else { return false }
        if rename(part, path(name)) == 0 { return true }
        guard errno == ENOENT else { return false }
        mkdir(root + "/" + name.path.prefix(2), 0o700)
        return rename(part, path(name)) == 0
    }

    package func delete(_ name: CacheName) { unlink(path(name)) }

    /// Removes all files: they cannot be found when this returns, and are deleted soon afterwards.
    package func removeAll() {
        // Anything else in its place was not made by the cache.
        guard Self.isOwnFolder(root) else { return }
        let removed = url.path + "/" + Self.removedPrefix + UUID.random.uuidString
        if rename(root, removed) != 0 {
            // The folder around it may belong to others, or be on another disk.
            removeFiles(in: root)
        }
        maintenance.begin { [self] in maintain() }
    }

    /// Returns whether a path leads to a folder of this user, without following a link.
    package static func isOwnFolder(_ path: String) -> Bool {
        var info = stat()
        return lstat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR && info.st_uid == geteuid()
    }

    /// Deletes files that crashes and removals have left.
    func removeLeftovers() {
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
    private func removeFiles(in folder: String) {
        guard Self.isOwnFolder(folder) else { return }
        let manager = FileManager.default
        for part in (try? manager.contentsOfDirectory(atPath: folder)) ?? [] {
            let path = folder + "/" + part
            guard Self.isOwnFolder(path) else {
                if part == Self.counterName { unlink(path) }
                continue
            }
            for name in (try? manager.contentsOfDirectory(atPath: path)) ?? []
            where CacheName(name) != nil || name.hasSuffix(Self.partSuffix) { unlink(path + "/" + name) }
            rmdir(path)
        }
        rmdir(folder)
    }
}
