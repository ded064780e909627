import FerrySession

/// An open file that is appended to and truncated.
struct OutputFile: Sendable {
    /// The number of bytes in the file.
    private(set) var byteCount: Int64 = 0

    private let file: RegularFile

    /// Opens or creates a file; a symbolic link is followed, and anything but a regular file is an error.
    init(_ url: URL, append: Bool) throws {
        guard url.isFileURL else {
            throw NetworkError(.fileError, message: "\(url.presentableText) is not a file URL")
        }
        file = try RegularFile(writing: url.path, links: .follow, creatingWith: 0o666)
        // Not with O_TRUNC: what is at the path may not be a regular file.
        if append { byteCount = try file.size() } else { try file.truncate(to: 0) }
    }

    /// Appends all of the bytes.
    mutating func write(_ bytes: UnsafeRawBufferPointer) throws {
        try file.write(bytes, at: byteCount)
        byteCount += Int64(bytes.count)
    }

    /// Truncates the file.
    mutating func truncate(to count: Int64) throws {
        try file.truncate(to: count)
        byteCount = count
    }

    /// Closes the file; a full or remote disk may report its failure only here.
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
