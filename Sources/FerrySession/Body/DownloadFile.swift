/// The temporary file of a download, created with the first byte and readable only by its owner.
///
/// `@unchecked Sendable`: the engine's thread writes it, and releases it before the delegate queue receives it.
final class DownloadFile: @unchecked Sendable {
    let url: URL
    private let requestURL: URL?
    private var file: RegularFile?
    private(set) var size = ByteCount.zero
    /// Whether the file was opened with resume data, which may be used again after this process.
    let isResumed: Bool
    /// Whether the last bytes could not be written, for example because the disk is full.
    private(set) var hasFailed = false

    private static let prefix = "ferry-"
    private static let suffix = ".download"

    init(in directory: URL, for requestURL: URL?) {
        self.requestURL = requestURL
        isResumed = false
        let name = Self.prefix + UUID.random.uuidString + Self.suffix
        url = directory.appendingPathComponent(name, isDirectory: false)
    }

    /// Opens the partial file of an earlier download, truncated to its valid bytes.
    init(resuming data: ResumeData) throws(CurlSessionError) {
        (requestURL, url, isResumed) = (data.url, data.file, true)
        guard let offset = ByteCount(data.offset) else {
            throw CurlSessionError(.invalidResumeData, "The resume data cannot be used: its offset is not positive")
        }
        do throws(FileError) {
            let partial = try RegularFile(writing: url.path, links: .refuse)
            try partial.requireOwnership()
            // The file must not be truncated, deleted or extended by two tasks.
            guard partial.tryLock() else { throw FileError("lock", path: url.path, code: EWOULDBLOCK) }
            let found = try partial.size()
            guard found >= data.offset else {
                throw FileError("continue", path: url.path, reason: .tooSmall(found, needed: data.offset))
            }
            try partial.truncate(to: data.offset)
            file = partial
        } catch {
            throw CurlSessionError(.invalidResumeData, "The partial file cannot be used: \(error.description)")
        }
        size = offset
    }

    /// Makes a file from the bytes received so far, and closes it if they are complete.
    convenience init(keeping data: Data, in directory: URL, for requestURL: URL?, isWhole: Bool) throws(URLError) {
        self.init(in: directory, for: requestURL)
        do throws(URLError) {
            try append(data)
            if isWhole { try finish() }
        } catch {
            remove()
            throw error
        }
    }

    /// Returns whether this type makes such a name, so that no other file is mistaken for a partial download.
    static func isName(_ name: String) -> Bool {
        guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return false }
        return UUID(uuidString: String(name.dropFirst(prefix.count).dropLast(suffix.count))) != nil
    }

    private func opened() throws(URLError) -> RegularFile {
        if let file { return file }
        do throws(FileError) {
            let file = try RegularFile(creating: url.path)
            self.file = file
            return file
        } catch {
            throw failure(.cannotCreateFile, "could not be created", error)
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(URLError) {
        let file = try opened()
        do throws(FileError) {
            try file.write(bytes, at: size.int64)
        } catch {
            hasFailed = true
            throw failure(.cannotWriteToFile, "could not be written", error)
        }
        hasFailed = false
        size.add(ByteCount(clamping: bytes.count))
    }

    func append(_ data: Data) throws(URLError) {
        try data.withUnsafeBytes { bytes in Result { () throws(URLError) in try write(bytes) } }.get()
    }

    /// Discards the bytes, to start again.
    func truncate() throws(URLError) {
        do throws(FileError) {
            try file?.truncate(to: 0)
        } catch {
            throw failure(.cannotWriteToFile, "could not be truncated", error)
        }
        size = .zero
    }

    /// Closes the file, which must still have its name; some file systems report a full disk only now.
    func finish() throws(URLError) {
        let open = try opened()
        file = nil
        guard open.isAt(url.path) else {
            size = .zero
            throw failure(.cannotWriteToFile, "was removed", FileError("find", path: url.path, code: ENOENT))
        }
        do throws(FileError) {
            try open.close()
        } catch {
            // It is not known which bytes the file has, so the download cannot be continued.
            size = .zero
            throw failure(.cannotCloseFile, "could not be closed", error)
        }
    }

    /// Deletes the file if it still exists.
    func remove() {
        file = nil
        unlink(url.path)
    }

    /// Closes the file and leaves it for a later download to continue.
    func keep() { file = nil }

    private func failure(_ code: URLError.Code, _ what: String, _ error: FileError) -> URLError {
        let cocoa: CocoaError.Code =
            switch error.code {
            case ENOSPC, EDQUOT: .fileWriteOutOfSpace
            case EACCES, EPERM: .fileWriteNoPermission
            case EROFS: .fileWriteVolumeReadOnly
            case ENOENT, ENOTDIR: .fileNoSuchFile
            default: .fileWriteUnknown
            }
        let posix = NSError(domain: NSPOSIXErrorDomain, code: Int(error.code))
        let info: [String: Any] = [NSFilePathErrorKey: url.path, NSUnderlyingErrorKey: posix]
        let cause = NSError(domain: NSCocoaErrorDomain, code: cocoa.rawValue, userInfo: info)
        let text = "The download \(what) at \(url.path): \(error.reasonText)"
        return .ferry(code, url: requestURL, text, underlying: cause)
    }
}
