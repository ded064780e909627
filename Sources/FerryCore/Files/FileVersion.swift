/// The identity and state of a file, which differ if the file was replaced or changed.
package struct FileVersion: Codable, Sendable, Hashable {
    package let size: Int64
    private let inode: UInt64
    private let modified: [Int]

    package init(_ status: stat) {
        (size, inode) = (Int64(status.st_size), UInt64(truncatingIfNeeded: status.st_ino))
        modified = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
    }

    /// Reads the version of the file at a path; `nil` if there is none.
    package init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }
}
