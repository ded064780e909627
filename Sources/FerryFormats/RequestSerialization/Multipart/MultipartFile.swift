/// A file of a form, with its state at the time it was added.
package struct MultipartFile: Sendable {
    package let url: URL
    package let stamp: FileStamp

    /// Records the state of a file without reading its contents.
    package init(url: URL) throws {
        self.url = url
        stamp = try Self.stamp(of: try Self.open(url), url: url)
    }

    /// Opens the file; throws if it was replaced or changed.
    package func open() throws -> RegularFile {
        let file = try Self.open(url)
        try check(file)
        return file
    }

    /// Throws if the open file is not in the state it had when it was added.
    package func check(_ file: RegularFile) throws {
        let now = try Self.stamp(of: file, url: url)
        guard now != stamp else { return }
        let change =
            if now.size < stamp.size {
                "shrank from \(stamp.size) to \(now.size) bytes"
            } else if now.size > stamp.size {
                "grew from \(stamp.size) to \(now.size) bytes"
            } else {
                "was changed"
            }
        throw Self.error(.fileChanged, "The file \(url.path) \(change) after it was added to the form.", url)
    }

    private static func open(_ url: URL) throws -> RegularFile {
        guard url.isFileURL else { throw error(.fileUnreachable, "Expected URL to be a file URL", url) }
        do throws(FileError) {
            return try RegularFile(reading: url.path, links: .follow)
        } catch {
            throw Self.unreachable(url, error)
        }
    }

    private static func stamp(of file: RegularFile, url: URL) throws -> FileStamp {
        do throws(FileError) {
            return FileStamp(try file.status())
        } catch {
            throw Self.unreachable(url, error)
        }
    }

    private static func unreachable(_ url: URL, _ failure: FileError) -> RequestSerializationError {
        if failure.reason == .notRegular || failure.code == EISDIR {
            return error(.fileUnreachable, "The file URL does not refer to a regular file: \(url.path)", url)
        }
        return error(.fileUnreachable, "The file URL is not reachable: \(url.path)", url, failure.posixError)
    }

    package static func error(
        _ code: RequestSerializationError.Code,
        _ reason: String,
        _ url: URL,
        _ underlying: (any Error)? = nil
    ) -> RequestSerializationError {
        RequestSerializationError(code, reason: reason, failingURL: url.absoluteString, underlyingError: underlying)
    }
}

/// The identity, size and modification time of a file, used to detect changes.
package struct FileStamp: Sendable, Equatable {
    package let size: Int64
    private let device: UInt64
    private let inode: UInt64
    private let seconds: Int64
    private let nanoseconds: Int64

    package init(_ status: stat) {
        size = Int64(status.st_size)
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
        seconds = Int64(status.st_mtim.tv_sec)
        nanoseconds = Int64(status.st_mtim.tv_nsec)
    }
}
