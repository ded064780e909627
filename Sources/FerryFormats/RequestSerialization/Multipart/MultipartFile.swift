/// A file of a form, with its state at the time it was added.
package struct MultipartFile: Sendable {
    package let url: URL
    package let version: FileVersion

    /// Records the state of a file without reading its contents.
    package init(url: URL) throws {
        self.url = url
        version = try Self.version(of: try Self.open(url), url: url)
    }

    /// Opens the file; throws if it was replaced or changed.
    package func open() throws -> RegularFile {
        let file = try Self.open(url)
        try check(file)
        return file
    }

    /// Throws if the open file is not in the state it had when it was added.
    package func check(_ file: RegularFile) throws {
        let now = try Self.version(of: file, url: url)
        guard now != version else { return }
        let change =
            if now.size < version.size {
                "shrank from \(version.size) to \(now.size) bytes"
            } else if now.size > version.size {
                "grew from \(version.size) to \(now.size) bytes"
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

    private static func version(of file: RegularFile, url: URL) throws -> FileVersion {
        do throws(FileError) {
            return FileVersion(try file.status())
        } catch {
            throw Self.unreachable(url, error)
        }
    }

    private static func unreachable(_ url: URL, _ failure: FileError) -> RequestSerializationError {
        if failure.reason == .notRegular || failure.code == EISDIR {
            return error(.fileUnreachable, "The file URL does not refer to a regular file: \(url.path)", url)
        }
        let reason = "The file URL is not reachable: \(url.path): \(failure.reasonText)"
        return error(.fileUnreachable, reason, url, failure.posixError)
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
