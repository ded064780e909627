import FerrySession

/// What tells one state of a file from another: which file it is, its size, and when it was last written.
struct FileStamp: Sendable, Equatable {
    let size: Int64
    private let device: UInt64
    private let inode: UInt64
    private let seconds: Int64
    private let nanoseconds: Int64

    /// The stamp of a file with this status.
    init(_ status: stat) {
        size = Int64(status.st_size)
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
        #if canImport(Darwin)
        let modified = status.st_mtimespec
        #else
        let modified = status.st_mtim
        #endif
        seconds = Int64(modified.tv_sec)
        nanoseconds = Int64(modified.tv_nsec)
    }
}
