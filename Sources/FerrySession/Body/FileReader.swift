/// A body in a file, of the size the file has when the upload begins.
final class FileReader: BodyReader {
    private let url: URL
    private let descriptor: Int32
    private let size: Int64
    private var offset: Int64 = 0
    private var isOpen = true

    /// Opens the file, or throws the `URLError` that says why it cannot be read.
    init(_ url: URL) throws(URLError) {
        guard url.isFileURL else {
            throw URLError.ferry(.unsupportedURL, url: url, "The body's URL is not a file URL: \(url.presentableText)")
        }
        // Without O_NONBLOCK, opening a fifo would wait for its writer, and the engine with it.
        let descriptor = open(url.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.openError(errno, url) }
        var info = stat()
        guard fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG else {
            let isDirectory = info.st_mode & S_IFMT == S_IFDIR
            Posix.closeFile(descriptor)
            let code: URLError.Code = isDirectory ? .fileIsDirectory : .cannotOpenFile
            throw URLError.ferry(code, url: url, "The body is not a regular file: \(url.path)")
        }
        self.url = url
        self.descriptor = descriptor
        size = Int64(info.st_size)
    }

    deinit {
        close()
    }

    var length: ByteCount? { ByteCount(size) }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyPiece {
        let wanted = min(Int64(buffer.count), size - offset)
        guard wanted > 0 else { return .end }
        let count = pread(descriptor, buffer.baseAddress, Int(wanted), off_t(offset))
        if count < 0 {
            if errno == EINTR { return .bytes(0) }
            return .failed(.ferry(.cannotOpenFile, url: url, "The body could not be read: \(url.path)", posix: errno))
        }
        if count == 0 {
            let error = CurlSessionError(
                .bodyLengthMismatch,
                "The file shrank while it was sent: \(url.path) had \(size) bytes, and has \(offset)"
            )
            return .failed(.ferry(.requestBodyStreamExhausted, url: url, underlying: error))
        }
        offset += Int64(count)
        return .bytes(count)
    }

    func rewind() -> Bool {
        offset = 0
        return true
    }

    func close() {
        guard isOpen else { return }
        isOpen = false
        Posix.closeFile(descriptor)
    }

    private static func openError(_ number: Int32, _ url: URL) -> URLError {
        let code: URLError.Code
        switch number {
        case ENOENT, ENOTDIR: code = .fileDoesNotExist
        case EACCES, EPERM: code = .noPermissionsToReadFile
        default: code = .cannotOpenFile
        }
        return .ferry(code, url: url, "The body's file could not be opened: \(url.path)", posix: number)
    }
}
