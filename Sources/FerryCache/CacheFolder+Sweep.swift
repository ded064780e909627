/// The eviction of files: a sweep in the background, after an eighth of the capacity has been written.
///
/// A sweep removes the least recently used files until the rest takes three quarters of the capacity. No file is stored
/// while a quarter has been written since the last one, so the files never exceed the capacity, however slow the disk
/// is, and even if each process ends before its sweep.
extension CacheFolder {
    private struct File {
        var name: CacheName
        var size: Int64
        /// The time of the last use in seconds since 1970; zero for a time in the future, from before the clock was set
        /// back, which would keep the file for long.
        var time: Double

        init(_ name: CacheName, _ info: stat) {
            (self.name, size) = (name, Int64(info.st_size))
            let isFuture = info.st_mtim.tv_sec > Glibc.time(nil) + CacheFolder.useInterval
            time = isFuture ? 0 : Double(info.st_mtim.tv_sec) + Double(info.st_mtim.tv_nsec) / 1e9
        }
    }

    /// The name of the file with the count of bytes that have been written since the last sweep.
    static let counterName = "written"
    /// The count after which a sweep is due.
    private var interval: Int64 { Int64(capacity / 8) }

    /// Counts a file that is about to be stored, and returns whether there is room for it.
    func reserve(_ size: Int64) -> Bool {
        let written = count(size)
        maintenance.begin(once: written <= interval) { [self] in maintain() }
        guard written > 2 * interval else { return true }
        count(-size)
        return false
    }

    /// Adds to the count of bytes that have been written since the last sweep, and returns it.
    ///
    /// It is in a file, and so includes those of other processes and of earlier ones. While another process has locked
    /// the file, bytes are counted in memory.
    @discardableResult
    private func count(_ bytes: Int64) -> Int64 {
        let limit = Int64(capacity / 2)
        return uncounted.withLock { uncounted in
            uncounted = min(uncounted + bytes, limit)
            guard let file = try? RegularFile(updating: root + "/" + Self.counterName), file.tryLock(),
                let data = try? file.read(0..<8)
            else { return uncounted }
            let number = data.reversed().reduce(0) { $0 << 8 | UInt64($1) }
            // Without a valid count, a sweep is due.
            let old = data.count == 8 ? min(Int64(clamping: number), limit) : interval + 1
            let sum = min(max(0, old + uncounted), limit)
            var bytes = Data()
            bytes.append(littleEndian: sum)
            if (try? file.write(bytes)) != nil { uncounted = 0 }
            return sum
        }
    }

    /// Deletes files that crashes and removals have left, and surplus ones if that is due.
    func maintain() {
        removeLeftovers()
        let written = count(0)
        if written > interval, sweep() { count(-written) }
    }

    /// Removes the least recently used files if there are too many, and returns whether that was possible.
    private func sweep() -> Bool {
        guard var files = files() else { return false }
        var total = Self.size(of: files)
        let target = Int64(capacity / 4 * 3)
        guard total > target else { return true }
        files.sort { $0.time < $1.time }
        for file in files where total > target {
            // It may have been used or replaced meanwhile.
            let path = path(file.name)
            guard Self.info(path).map({ File(file.name, $0).time }) ?? file.time == file.time,
                unlink(path) == 0 || errno == ENOENT
            else { continue }
            total -= file.size
        }
        return total <= target
    }

    /// The current size of all files in bytes.
    package var size: Int { Int(clamping: Self.size(of: files() ?? [])) }

    private static func size(of files: [File]) -> Int64 {
        files.reduce(0) { sum, file in
            let (next, isTooLarge) = sum.addingReportingOverflow(file.size)
            return isTooLarge ? .max : next
        }
    }

    /// Returns all files; `nil` if a folder cannot be read.
    private func files() -> [File]? {
        var files: [File] = []
        for number in 0..<256 {
            let folder = root + "/" + UInt8(number).hexadecimal
            guard Self.isOwnFolder(folder) else { continue }
            guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return nil }
            for fileName in names {
                guard let name = CacheName(fileName), let info = Self.info(folder + "/" + fileName) else { continue }
                files.append(File(name, info))
            }
        }
        return files
    }

    /// Returns the status of a file that is this user's.
    private static func info(_ path: String) -> stat? {
        var info = stat()
        return lstat(path, &info) == 0 && CacheFile.isOurs(info) ? info : nil
    }
}
