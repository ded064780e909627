import FerrySession

/// An open file that is written from one end and cut off at it.
struct OutputFile: Sendable {
    /// How many bytes it has.
    private(set) var byteCount: Int64 = 0

    private let file: RegularFile

    /// Opens or makes a file; a symbolic link is followed, and anything but a regular file is an error.
    init(_ url: URL, append: Bool) throws {
        guard url.isFileURL else {
            throw NetworkError(.fileError, message: "\(url.presentableText) is not a file URL")
        }
        file = try RegularFile(writing: url.path, links: .follow, creatingWith: 0o666)
        // Not when it is opened: what is at the path may be no file.
        if append { byteCount = try file.size() } else { try file.truncate(to: 0) }
    }

    /// Writes all of the bytes behind what is there.
    mutating func write(_ bytes: UnsafeRawBufferPointer) throws {
        try file.write(bytes, at: byteCount)
        byteCount += Int64(bytes.count)
    }

    /// Cuts the file off.
    mutating func truncate(to count: Int64) throws {
        try file.truncate(to: count)
        byteCount = count
    }

    /// Closes the file; a disk that is full or far away may report its failure here only.
    @discardableResult
    func close() -> FileError? {
        do throws(FileError) {
            try file.close()
            return nil
        } catch {
            return error
        }
    }
}
