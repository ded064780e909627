/// The temporary file of a download: made when the first byte comes, readable by its owner alone.
///
/// `@unchecked Sendable`: the engine's thread writes it, and gives it up before the delegate queue sees it.
final class DownloadFile: @unchecked Sendable {
    let url: URL
    private let requestURL: URL?
    private var descriptor: Int32 = -1
    private(set) var size = ByteCount.zero

    private static let prefix = "ferry-"
    private static let suffix = ".download"

    init(directory: URL, requestURL: URL?) {
        self.requestURL = requestURL
        let name = Self.prefix + UUID().uuidString + Self.suffix
        url = directory.appendingPathComponent(name, isDirectory: false)
    }

    /// Opens the partial file of an earlier download, cut to the bytes that count.
    init(resuming data: ResumeData) throws(CurlSessionError) {
        requestURL = data.url
        url = data.file
        descriptor = url.path.withCString { open($0, O_WRONLY | O_NOFOLLOW | O_CLOEXEC) }
        guard descriptor >= 0 else {
            let reason = String(cString: strerror(errno))
            throw CurlSessionError(.invalidResumeData, "The partial file \(url.path) cannot be opened: \(reason)")
        }
        var info = stat()
        guard fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG, info.st_uid == geteuid() else {
            throw CurlSessionError(.invalidResumeData, "The partial file \(url.path) is not a file of this user")
        }
        guard let offset = ByteCount(data.offset), let found = ByteCount(Int64(info.st_size)), found >= offset else {
            throw CurlSessionError(
                .invalidResumeData,
                "The partial file \(url.path) has \(info.st_size) bytes, and \(data.offset) were to be there"
            )
        }
        guard ftruncate(descriptor, off_t(data.offset)) == 0, lseek(descriptor, 0, SEEK_END) >= 0 else {
            throw CurlSessionError(.invalidResumeData, "The partial file \(url.path) cannot be written")
        }
        size = offset
    }

    /// Makes a file of what has come of a body, and closes it where that is all.
    convenience init(keeping data: Data, in directory: URL, requestURL: URL?, isWhole: Bool) throws(URLError) {
        self.init(directory: directory, requestURL: requestURL)
        do throws(URLError) {
            try append(data)
            if isWhole { try finish() }
        } catch {
            remove()
            throw error
        }
    }

    /// Whether a name is one that this type gives, so that no other file is ever taken for a partial download.
    static func isName(_ name: String) -> Bool {
        guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return false }
        return UUID(uuidString: String(name.dropFirst(prefix.count).dropLast(suffix.count))) != nil
    }

    deinit {
        closeDescriptor()
    }

    /// Makes the file if it is not there yet; an empty body makes an empty file.
    func create() throws(URLError) {
        guard descriptor < 0 else { return }
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        descriptor = url.path.withCString { open($0, flags, 0o600) }
        guard descriptor >= 0 else { throw failure(.cannotCreateFile, "could not be created", errno) }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(URLError) {
        try create()
        var rest = bytes
        while let base = rest.baseAddress, rest.count > 0 {
            let count = Posix.writeFile(descriptor, base, rest.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw failure(.cannotWriteToFile, "could not be written", errno)
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            size.add(ByteCount(clamping: count))
        }
    }

    func append(_ data: Data) throws(URLError) {
        let result = data.withUnsafeBytes { bytes in
            Result { () throws(URLError) in try write(bytes) }
        }
        try result.get()
    }

    /// Forgets the bytes, to begin again.
    func truncate() throws(URLError) {
        guard descriptor >= 0 else { return }
        guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
            throw failure(.cannotWriteToFile, "could not be truncated", errno)
        }
        size = .zero
    }

    /// Closes the file; some file systems report a full disk only now.
    func finish() throws(URLError) {
        try create()
        let open = descriptor
        descriptor = -1
        guard Posix.closeFile(open) == 0 || errno == EINTR else {
            throw failure(.cannotCloseFile, "could not be closed", errno)
        }
    }

    /// Deletes the file where it still is.
    func remove() {
        closeDescriptor()
        unlink(url.path)
    }

    /// Closes the file, and leaves it for a later download to continue.
    func keep() {
        closeDescriptor()
    }

    private func closeDescriptor() {
        guard descriptor >= 0 else { return }
        Posix.closeFile(descriptor)
        descriptor = -1
    }

    private func failure(_ code: URLError.Code, _ what: String, _ number: Int32) -> URLError {
        let cocoa: CocoaError.Code
        switch number {
        case ENOSPC, EDQUOT: cocoa = .fileWriteOutOfSpace
        case EACCES, EPERM: cocoa = .fileWriteNoPermission
        case EROFS: cocoa = .fileWriteVolumeReadOnly
        case ENOENT, ENOTDIR: cocoa = .fileNoSuchFile
        default: cocoa = .fileWriteUnknown
        }
        let reason = String(cString: strerror(number))
        let cause = NSError(
            domain: NSCocoaErrorDomain,
            code: cocoa.rawValue,
            userInfo: [
                NSFilePathErrorKey: url.path,
                NSUnderlyingErrorKey: NSError(domain: NSPOSIXErrorDomain, code: Int(number)),
            ]
        )
        return .ferry(code, url: requestURL, "The download \(what) at \(url.path): \(reason)", underlying: cause)
    }
}
