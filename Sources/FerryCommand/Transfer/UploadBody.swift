import Ferry

/// A request body.
enum UploadBody: Sendable {
    case none
    case data(Data, type: String)
    case form(MultipartFormData)
    /// A file; the length is known for a regular file.
    case file(String, length: Int64?)

    init(_ options: FetchOptions) throws(CommandFailure) {
        if let path = options.uploadFile {
            self = try Self.file(path == "-" ? "/dev/stdin" : path)
        } else if !options.form.isEmpty {
            self = .form(try Self.form(options.form))
        } else if !options.json.isEmpty {
            self = .data(try Self.joined(options.json, by: ""), type: "application/json")
        } else if !options.body.isEmpty {
            self = .data(try Self.joined(options.body, by: "&"), type: "application/x-www-form-urlencoded")
        } else {
            self = .none
        }
    }

    private static func joined(
        _ parts: [FetchOptions.BodyPart],
        by separator: String
    ) throws(CommandFailure) -> Data {
        var data = Data()
        for (index, part) in parts.enumerated() {
            if index > 0 { data.append(Data(separator.utf8)) }
            switch part {
            case .text(let text): data.append(Data(text.utf8))
            case .file(let path): data.append(try content(path))
            }
        }
        return data
    }

    static func file(_ path: String) throws(CommandFailure) -> UploadBody {
        var info = stat()
        guard stat(path, &info) == 0, access(path, R_OK) == 0 else {
            throw .file(path, "cannot be read", errno: errno)
        }
        switch info.st_mode & S_IFMT {
        case S_IFDIR: throw .file(path, "cannot be sent", errno: EISDIR)
        // Standard input may be redirected from a file that is partly read, so the file's length is not the body's.
        case S_IFREG where path != "/dev/stdin": return .file(path, length: Int64(info.st_size))
        default: return .file(path, length: nil)
        }
    }

    /// Returns the contents of a file, or of standard input for `-`.
    static func content(_ path: String) throws(CommandFailure) -> Data {
        guard let file = fopen(path == "-" ? "/dev/stdin" : path, "rb") else {
            throw .file(path, "cannot be read", errno: errno)
        }
        defer { fclose(file) }
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            data.append(contentsOf: buffer.prefix(count))
            if ferror(file) != 0 { throw .file(path, "cannot be read", errno: errno) }
            if count == 0 { return data }
        }
    }

    /// Returns a new stream of a form or a file, or `nil` for other bodies and if a file cannot be read again from its
    /// beginning.
    func makeStream(isFirst: Bool) -> InputStream? {
        if case .form(let form) = self { return form.makeInputStream() }
        guard case .file(let path, let length) = self, isFirst || length != nil else { return nil }
        return InputStream(fileAtPath: path)
    }
}
