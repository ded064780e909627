import Ferry

enum UploadBody: Sendable {
    case none
    /// No body; the data is in the query of the URL.
    case query(String)
    case data(Data, type: String)
    case form(MultipartFormData)
    /// A file; the length is known for a regular file.
    case file(String, length: Int64?)

    init(_ options: FetchOptions) throws(CommandFailure) {
        if let path = options.uploadFile {
            self = try Self.file(path)
        } else if !options.form.isEmpty {
            self = .form(try Self.form(options.form))
        } else if !options.json.isEmpty {
            self = .data(try Self.joined(options.json, by: ""), type: "application/json")
        } else if options.hasDataItems {
            self = try Self.items(options)
        } else if options.sendsDataInQuery {
            self = .query(QueryText.query(try Self.joined(options.body, by: "&")))
        } else if !options.body.isEmpty {
            self = .data(try Self.joined(options.body, by: "&"), type: "application/x-www-form-urlencoded")
        } else {
            self = .none
        }
    }

    private static func joined(_ parts: [BodyPart], by separator: String) throws(CommandFailure) -> Data {
        var data = Data()
        for (index, part) in parts.enumerated() {
            if index > 0 { data.append(Data(separator.utf8)) }
            data.append(try part.data())
        }
        return data
    }

    static func file(_ path: String) throws(CommandFailure) -> UploadBody {
        // A descriptor may be that of a file that is partly read, so the file's length is not the body's.
        if ProcessDescriptor.forReading(path) != nil { return .file(path, length: nil) }
        var info = stat()
        guard stat(path, &info) == 0, access(path, R_OK) == 0 else {
            throw .file(path, "cannot be read", errno: errno)
        }
        switch info.st_mode & S_IFMT {
        case S_IFDIR: throw .file(path, "cannot be sent", errno: EISDIR)
        case S_IFREG: return .file(path, length: Int64(info.st_size))
        default: return .file(path, length: nil)
        }
    }

    /// Throws an error if there are several URLs, and the file of `-T` can be read only once.
    static func checkUpload(_ options: FetchOptions) throws(CommandFailure) {
        // Other failures are reported by the transfers.
        guard options.urls.count > 1, let path = options.uploadFile, case .file(_, .none)? = try? file(path) else {
            return
        }
        let name = path == "-" ? "standard input" : path
        throw CommandFailure(.usage, "--upload-file: \(name) can be read only once, but there are several URLs")
    }

    /// Returns the contents of a file, or of standard input for `-`; more than `limit` bytes are an error.
    static func content(_ path: String, limit: Int = .max) throws(CommandFailure) -> Data {
        let inherited = ProcessDescriptor.forReading(path)
        let number = inherited ?? open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw .file(path, "cannot be read", errno: errno) }
        defer { if inherited == nil { close(number) } }
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = buffer.withUnsafeMutableBytes { ProcessDescriptor.read(number, into: $0) }
            guard count >= 0 else { throw .file(path, "cannot be read", errno: errno) }
            data.append(contentsOf: buffer.prefix(count))
            if data.count > limit { throw CommandFailure(.file, "\(path): it has more than \(limit) bytes") }
            if count == 0 { return data }
        }
    }

    /// Returns the text of a file; bytes that are not UTF-8 are an error, since Swift would replace them.
    static func text(_ path: String, limit: Int = .max) throws(CommandFailure) -> String {
        try text(of: try content(path, limit: limit), path)
    }

    /// Returns the data of a file as text.
    static func text(of data: Data, _ path: String) throws(CommandFailure) -> String {
        guard let text = String(validating: data, as: UTF8.self) else {
            throw CommandFailure(.file, "\(path): it is not UTF-8 text")
        }
        return text
    }

    /// Returns a new stream of a form or a file, or `nil` for other bodies and if a file cannot be read again from its
    /// beginning.
    func makeStream(isFirst: Bool) -> InputStream? {
        if case .form(let form) = self { return form.makeInputStream() }
        guard case .file(let path, let length) = self, isFirst || length != nil else { return nil }
        if let number = ProcessDescriptor.forReading(path) { return DescriptorStream(number) }
        return length == nil ? InputStream(fileAtPath: path) : FileBodyStream(URL(fileURLWithPath: path))
    }
}

extension UploadBody {
    /// Returns the form that `-F` describes; regular files are read while they are sent.
    static func form(_ fields: [FormField]) throws(CommandFailure) -> MultipartFormData {
        var form = MultipartFormData()
        for field in fields {
            do {
                try append(field, to: &form)
            } catch let failure as CommandFailure {
                throw failure
            } catch {
                throw CommandFailure(.file, error.localizedDescription)
            }
        }
        return form
    }

    private static func append(_ field: FormField, to form: inout MultipartFormData) throws {
        let data: Data
        var fileName = field.fileName
        switch field.content {
        case .text(let text): data = Data(text.utf8)
        case .textFile(let path): data = try content(path)
        case .file(let path):
            if case .file(_, .some) = try file(path) {
                let url = URL(fileURLWithPath: path)
                return try form.append(fileURL: url, name: field.name, fileName: fileName, mimeType: field.type)
            }
            // The length of a form is sent first, so a file of unknown length has to be read now.
            data = try content(path)
            fileName = fileName ?? path.lastPathComponent
        }
        if let fileName {
            try form.append(data, name: field.name, fileName: fileName, mimeType: field.type)
        } else if let type = field.type {
            try form.append(data, name: field.name, mimeType: type)
        } else {
            form.append(data, name: field.name)
        }
    }
}

extension URLRequest {
    init(_ url: URL, _ options: FetchOptions, _ body: UploadBody, to destination: Destination) {
        self.init(url: Self.target(url, options))
        httpMethod = options.effectiveMethod
        timeoutInterval = options.timeout
        switch body {
        case .none, .query: break
        case .data(let data, let type):
            httpBody = data
            setValue(type, forHTTPHeaderField: "Content-Type")
        case .form(let form):
            httpBodyStream = body.makeStream(isFirst: true)
            setValue(form.contentType, forHTTPHeaderField: "Content-Type")
            setValue(String(form.contentLength), forHTTPHeaderField: "Content-Length")
        case .file(_, let length):
            httpBodyStream = body.makeStream(isFirst: true)
            if let length { setValue(String(length), forHTTPHeaderField: "Content-Length") }
        }
        // A file must be the bytes on the server, with a known length, so that a download can be continued.
        if destination != .standardOutput, !options.asksForCompression {
            setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        }
        setValue(Version.userAgent, forHTTPHeaderField: "User-Agent")
        setValue(options.accept, forHTTPHeaderField: "Accept")
        for header in options.ownHeaders { setValue(header.value, forHTTPHeaderField: header.name) }
        for name in Set(options.headers.map(\.name)) { setValue(nil, forHTTPHeaderField: name) }
        for header in options.headers { add(header) }
        // Without the boundary, a server cannot find the parts.
        if case .form(let form) = body, let type = value(forHTTPHeaderField: "Content-Type"), type != form.contentType,
            let start = form.contentType.firstIndex(of: ";"), !type.lowercased().contains("boundary=")
        {
            setValue(type + form.contentType[start...], forHTTPHeaderField: "Content-Type")
        }
        if !options.usesDigest, let header = options.credential?.header {
            setValue(header.value, forHTTPHeaderField: header.name)
        }
    }

    /// Adds a field of `-H` to those of the same name.
    mutating func add(_ header: HeaderLine) {
        guard let text = header.value else { return }
        // A comma would be a part of the cookie (RFC 9113, section 8.2.3).
        if header.name.lowercased() == "cookie", let former = value(forHTTPHeaderField: header.name) {
            setValue(former + "; " + text, forHTTPHeaderField: header.name)
        } else {
            addValue(text, forHTTPHeaderField: header.name)
        }
    }

    /// Returns the URL of the request; the name of an uploaded file is appended to a path that is empty or ends in a
    /// slash.
    static func target(_ url: URL, _ options: FetchOptions) -> URL {
        guard let file = options.uploadFile, file != "-",
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return url }
        if parts.percentEncodedPath.isEmpty { parts.percentEncodedPath = "/" }
        guard parts.percentEncodedPath.hasSuffix("/") else { return url }
        // The rest of the path stays as it is, with encoded slashes and bytes that are not UTF-8.
        parts.percentEncodedPath += QueryText.component(file.lastPathComponent.utf8)
        return parts.url ?? url
    }
}

extension String {
    /// The text without the byte order mark at the start of some files.
    var withoutByteOrderMark: String {
        let mark = "\u{FEFF}".utf8
        return utf8.starts(with: mark) ? String(Substring(utf8.dropFirst(mark.count))) : self
    }
}
