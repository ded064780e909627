/// The open file of a stored body: it can be read to its end whatever becomes of its name.
///
/// `@unchecked Sendable`: nothing changes, and reading names its offset.
final class CacheBodyFile: @unchecked Sendable {
    let name: String
    let length: Int
    let checksum: UInt64
    private let descriptor: Int32

    /// Opens a file, or gives `nil` where it is not there or has another length.
    init?(path: String, name: String, length: Int, checksum: UInt64) {
        let descriptor = path.withCString { open($0, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) }
        guard descriptor >= 0 else { return nil }
        var info = stat()
        guard fstat(descriptor, &info) == 0, CacheFile.isOurs(info), Int(info.st_size) == length else {
            Posix.closeFile(descriptor)
            return nil
        }
        CacheFile.touch(descriptor, info)
        (self.name, self.length, self.checksum, self.descriptor) = (name, length, checksum, descriptor)
    }

    deinit {
        Posix.closeFile(descriptor)
    }

    /// Reads at an offset; zero at the end, `nil` where it cannot be read.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int? {
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            if count >= 0 { return count }
            if errno != EINTR { return nil }
        }
    }
}
