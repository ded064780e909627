/// The open file of a stored body, which can be read to its end even if it is renamed or deleted.
///
/// `@unchecked Sendable`: nothing changes, and each read specifies its offset.
final class CacheBodyFile: @unchecked Sendable {
    let name: String
    let length: Int
    let checksum: UInt64
    private let file: RegularFile

    /// Opens a file; `nil` if it does not exist or has another length.
    init?(path: String, name: String, length: Int, checksum: UInt64) {
        guard length >= 0, let file = CacheFile.open(path), (try? file.size()) == Int64(length) else { return nil }
        (self.name, self.length, self.checksum, self.file) = (name, length, checksum, file)
    }

    /// Reads at an offset and returns the number of bytes: zero at the end, `nil` if the file cannot be read.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int? {
        try? file.read(into: buffer, at: Int64(offset))
    }
}
