import Ferry

/// What is sent as the body.
enum UploadBody: Sendable {
    case none
    case data(Data)
    /// A file; the length is known where it is a regular one.
    case file(String, length: Int64?)

    init(_ options: FetchOptions) throws(CommandFailure) {
        if let path = options.uploadFile {
            self = try Self.file(path == "-" ? "/dev/stdin" : path)
        } else if options.body.isEmpty {
            self = .none
        } else {
            var data = Data()
            for (index, part) in options.body.enumerated() {
                if index > 0 { data.append(UInt8(ascii: "&")) }
                switch part {
                case .text(let text): data.append(Data(text.utf8))
                case .file(let path): data.append(try InputFile.content(path))
                }
            }
            self = .data(data)
        }
    }

    private static func file(_ path: String) throws(CommandFailure) -> UploadBody {
        var info = stat()
        guard stat(path, &info) == 0, access(path, R_OK) == 0 else {
            throw .file(path, "cannot be read", errno: errno)
        }
        switch info.st_mode & S_IFMT {
        case S_IFDIR: throw .file(path, "cannot be sent", errno: EISDIR)
        // Standard input may stand anywhere in a file, so its length says nothing.
        case S_IFREG where path != "/dev/stdin": return .file(path, length: Int64(info.st_size))
        default: return .file(path, length: nil)
        }
    }

    /// A fresh stream of the body, where it can be read from its beginning.
    func makeStream(isFirst: Bool) -> InputStream? {
        guard case .file(let path, let length) = self, isFirst || length != nil else { return nil }
        return InputStream(fileAtPath: path)
    }
}
