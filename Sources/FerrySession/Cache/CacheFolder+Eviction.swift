/// Keeps the size of the files within the capacity.
extension CacheFolder {
    func removeAll() {
        for file in files() { delete(file.name) }
        usage.withLock { $0.total = 0 }
    }

    private struct File {
        var name: String
        var size: Int
        var used: timespec
    }

    /// The current size of all files in bytes.
    var size: Int { Self.size(of: files()) }

    /// Adds up sizes without overflow, since a sparse file may claim to be of any size.
    private static func size(of files: [File]) -> Int {
        files.reduce(0) { sum, file in
            let (next, isTooLarge) = sum.addingReportingOverflow(file.size)
            return isTooLarge ? .max : next
        }
    }

    private func files() -> [File] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
        return names.filter(Self.isName).compactMap { name in
            var info = stat()
            guard lstat(path(name), &info) == 0, CacheFile.isOurs(info) else { return nil }
            return File(name: name, size: Int(info.st_size), used: info.st_mtim)
        }
    }

    /// Counts stored bytes and evicts files if necessary; from time to time includes what other processes have stored.
    func note(_ count: Int) {
        let looksAfter = 64
        let mustLook = usage.withLock { usage -> Bool in
            usage.storesSinceLook += 1
            usage.total = usage.total.map { $0 > .max - count ? .max : $0 + count }
            let isDue = usage.total.map { $0 > capacity } ?? true || usage.storesSinceLook >= looksAfter
            guard isDue, !usage.isLooking else { return false }
            usage.isLooking = true
            return true
        }
        guard mustLook else { return }
        let total = evict()
        usage.withLock { $0 = Usage(total: total) }
    }

    /// Removes leftovers of crashes and the least recently used responses.
    private func evict() -> Int {
        let now = time(nil)
        let hour = 3600
        var kept: [File] = []
        for file in files() {
            if file.name.hasSuffix(Self.partSuffix), now - file.used.tv_sec > hour {
                delete(file.name)
            } else {
                kept.append(file)
            }
        }
        var total = Self.size(of: kept)
        guard total > capacity else { return total }
        kept.sort { ($0.used.tv_sec, $0.used.tv_nsec) < ($1.used.tv_sec, $1.used.tv_nsec) }
        // More is removed than necessary, so that not every new response triggers an eviction.
        for file in kept where !file.name.hasSuffix(Self.partSuffix) {
            guard total > capacity - capacity / 8 else { break }
            delete(file.name)
            total = max(0, total - file.size)
        }
        return total
    }
}
