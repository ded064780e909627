/// Provides a request's body to libcurl piece by piece; used only on the engine's thread.
package protocol BodyReader: AnyObject {
    /// The total number of bytes, or `nil` if it is not known.
    var length: ByteCount? { get }

    /// Copies the next bytes into `buffer`; blocks on nothing but a disk.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyPiece

    /// Returns to the first byte; `false` if that is not possible.
    func rewind() -> Bool

    /// Called when the body will not be read any more.
    func close()
}

/// The result of a read.
package enum BodyPiece {
    case bytes(Int)
    case end
    /// No bytes are available now; the reader reports when there are.
    case wait
    case failed(URLError)
    /// The user's code that makes the body has failed with an error, which becomes the error of the task.
    case thrown(any Error)
}

package final class DataReader: BodyReader {
    private let data: Data
    private var offset = 0

    package init(_ data: Data) { self.data = data }

    package var length: ByteCount? { ByteCount(clamping: data.count) }

    package func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyPiece {
        let count = min(buffer.count, data.count - offset)
        guard count > 0 else { return .end }
        data.withUnsafeBytes { bytes in
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
        }
        offset += count
        return .bytes(count)
    }

    package func rewind() -> Bool {
        offset = 0
        return true
    }

    package func close() {}
}

/// A request body read from a file, with the size that the file has when the upload begins.
package final class FileReader: BodyReader {
    private let url: URL
    private var file: RegularFile?
    private let size: Int64
    private var offset: Int64 = 0

    /// Opens the file, or throws the reason why it cannot be read.
    package init(_ url: URL) throws(URLError) {
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

    package var length: ByteCount? { ByteCount(size) }

    package func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyPiece {
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

    package func rewind() -> Bool {
        offset = 0
        return true
    }

    package func close() { file = nil }

    private static func openError(_ error: FileError, _ url: URL) -> URLError {
        let code: URLError.Code =
            switch error.code {
            case ENOENT, ENOTDIR: .fileDoesNotExist
            case EACCES, EPERM: .noPermissionsToReadFile
            case EISDIR: .fileIsDirectory
            default: .cannotOpenFile
            }
        let text = "The body's file could not be opened: \(url.path): \(error.reasonText)"
        return .ferry(code, url: url, text, underlying: error.posixError)
    }
}

/// The source of a request's body.
package enum BodySource: Sendable {
    case none
    case data(Data)
    case file(URL)
    /// A stream that can be read once; if it is needed again, the delegate is asked for a new one.
    case stream(StreamBox)
    /// A body that is made while it is sent.
    case made(MadeBody)
    /// A stream that the delegate provides.
    case delegateStream

    package var isNone: Bool { if case .none = self { true } else { false } }
    /// Whether the request asks the server to switch protocols.
    package var isUpgrade: Bool { if case .made(let body) = self { body.isUpgrade } else { false } }

    /// Whether the session can send the body again without asking the delegate for it.
    package var isReplayable: Bool {
        switch self {
        case .none, .data, .file: true
        // A body that can be read only once becomes `.delegateStream` as soon as it is read.
        case .made(let body): !body.isUpgrade
        case .stream, .delegateStream: false
        }
    }

    /// Whether there is no body, or an empty one in memory.
    package var isEmpty: Bool {
        switch self {
        case .none: true
        case .data(let data): data.isEmpty
        case .file, .stream, .made, .delegateStream: false
        }
    }
}

/// Carries an `InputStream` from the thread that provides it to the one that reads it.
///
/// `@unchecked Sendable`: after it is boxed, only its ``StreamPump``'s thread touches the stream.
package final class StreamBox: @unchecked Sendable {
    package let stream: InputStream

    package init(_ stream: InputStream) { self.stream = stream }
}
