/// A request body read from a file, with the size that the file has when the upload begins.
final class FileReader: BodyReader {
    private let url: URL
    private var file: RegularFile?
    private let size: Int64
    private var offset: Int64 = 0

    /// Opens the file.
    ///
    /// - Throws: A `URLError` that gives the reason why the file cannot be read.
    init(_ url: URL) throws(URLError) {
        guard url.isFileURL else {
            throw URLError.ferry(.unsupportedURL, url: url, "The body's URL is not a file URL: \(url.presentableText)")
        }
        do throws(FileError) {
            let file = try RegularFile(reading: url.path, links: .follow)
            size = try file.size()
            self.file = file
        } catch {
            throw Self.openError(error, url)
        }
        self.url = url
    }

    var length: ByteCount? { ByteCount(size) }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyPiece {
        let wanted = min(Int64(buffer.count), size - offset)
        guard wanted > 0 else { return .end }
        let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(wanted)])
        let count: Int
        do throws(FileError) {
            guard let file else { throw FileError("read", path: url.path, code: EBADF) }
            count = try file.read(into: piece, at: offset)
        } catch {
            let text = "The body could not be read: \(url.path)"
            return .failed(.ferry(.cannotOpenFile, url: url, text, posix: error.code))
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
        file = nil
    }

    private static func openError(_ error: FileError, _ url: URL) -> URLError {
        let code: URLError.Code
        switch error.code {
        case ENOENT, ENOTDIR: code = .fileDoesNotExist
        case EACCES, EPERM: code = .noPermissionsToReadFile
        case EISDIR: code = .fileIsDirectory
        default: code = .cannotOpenFile
        }
        let text = "The body's file could not be opened: \(url.path): \(error.reasonText)"
        return .ferry(code, url: url, text, underlying: error.posixError)
    }
}
