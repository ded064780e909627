/// The open file of a stored body: it can be read to its end whatever becomes of its name.
///
/// `@unchecked Sendable`: nothing changes, and reading names its offset.
final class CacheBodyFile: @unchecked Sendable {
    let name: String
    let length: Int
    let checksum: UInt64
    private let file: RegularFile

    /// Opens a file, or gives `nil` where it is not there or has another length.
    init?(path: String, name: String, length: Int, checksum: UInt64) {
        guard length >= 0, let file = CacheFile.open(path), (try? file.size()) == Int64(length) else { return nil }
        (self.name, self.length, self.checksum, self.file) = (name, length, checksum, file)
    }

    /// Reads at an offset; zero at the end, `nil` where it cannot be read.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int? {
        try? file.read(into: buffer, at: Int64(offset))
    }
}
