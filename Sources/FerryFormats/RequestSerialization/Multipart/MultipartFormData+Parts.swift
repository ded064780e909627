extension MultipartFormData {
    /// Appends a string as a form value in UTF-8, without a `Content-Type`.
    ///
    /// - Parameters:
    ///   - text: The value.
    ///   - name: The field's name.
    public mutating func append(_ text: String, name: String) { append(Data(text.utf8), name: name) }

    /// Appends data as a form value, without a `Content-Type`.
    ///
    /// AFNetworking: `appendPartWithFormData:name:`.
    ///
    /// - Parameters:
    ///   - data: The value.
    ///   - name: The field's name.
    public mutating func append(_ data: Data, name: String) {
        // This cannot fail: the name is escaped, and data in memory is far below the limit on lengths.
        try? append(MultipartPart(name: name, body: .data(data), length: Int64(data.count)))
    }

    /// Appends data as a form value with a content type, such as JSON, but without a file name.
    ///
    /// - Parameters:
    ///   - data: The value.
    ///   - name: The field's name.
    ///   - mimeType: The content type.
    /// - Throws: ``RequestSerializationError`` for a content type that contains a line break or NUL.
    public mutating func append(_ data: Data, name: String, mimeType: String) throws {
        try append(MultipartPart(name: name, mimeType: mimeType, body: .data(data), length: Int64(data.count)))
    }

    /// Appends data as a file.
    ///
    /// AFNetworking: `appendPartWithFileData:name:fileName:mimeType:`.
    ///
    /// - Parameters:
    ///   - data: The file's contents.
    ///   - name: The field's name.
    ///   - fileName: The file's name.
    ///   - mimeType: The content type; by default, the one for the file name's extension.
    /// - Throws: ``RequestSerializationError`` for a content type that contains a line break or NUL.
    public mutating func append(_ data: Data, name: String, fileName: String, mimeType: String? = nil) throws {
        try append(.data(data), length: Int64(data.count), name: name, fileName: fileName, mimeType: mimeType)
    }

    /// Appends a file, which is read when the body is sent.
    ///
    /// If the file is missing or was changed by the time it is read, reading the body fails with an error that names
    /// the file. AFNetworking: `appendPartWithFileURL:name:fileName:mimeType:error:`.
    ///
    /// - Parameters:
    ///   - fileURL: The URL of a regular, readable file.
    ///   - name: The field's name.
    ///   - fileName: The file name to send; by default, the last component of the URL.
    ///   - mimeType: The content type; by default, the one for the extension of the URL.
    /// - Throws: ``RequestSerializationError``, with ``RequestSerializationError/Code/fileUnreachable`` if the file
    ///   does not exist, is not readable or is not a regular file.
    public mutating func append(fileURL: URL, name: String, fileName: String? = nil, mimeType: String? = nil) throws {
        let file = try MultipartFile(url: fileURL)
        let mimeType = mimeType ?? Self.mimeType(of: fileURL.lastPathComponent)
        let fileName = fileName ?? fileURL.lastPathComponent
        try append(.file(file), length: file.version.size, name: name, fileName: fileName, mimeType: mimeType)
    }

    /// Appends a part with the given header fields.
    ///
    /// AFNetworking: `appendPartWithHeaders:body:`.
    ///
    /// - Parameters:
    ///   - headers: The part's header fields, in order.
    ///   - body: The part's contents.
    /// - Throws: ``RequestSerializationError`` with ``RequestSerializationError/Code/invalidHeader`` for an invalid
    ///   header field.
    public mutating func append(headers: HTTPHeaders, body: Data) throws {
        try append(MultipartPart(headers: headers, body: .data(body), length: Int64(body.count)))
    }

    /// Appends a stream that is created each time the body is read.
    ///
    /// Exactly `length` bytes are sent: a stream that ends earlier is an error, and further bytes are not read.
    ///
    /// - Parameters:
    ///   - length: The number of bytes in the stream.
    ///   - name: The field's name.
    ///   - fileName: The file's name.
    ///   - mimeType: The content type; by default, the one for the file name's extension.
    ///   - makeStream: A closure that returns a new stream, opened or not. It is called on the thread that reads the
    ///     body.
    /// - Throws: ``RequestSerializationError`` for a negative length or a content type that contains a line break or
    ///   NUL.
    public mutating func append(
        length: Int64,
        name: String,
        fileName: String,
        mimeType: String? = nil,
        makeStream: @escaping @Sendable () throws -> InputStream
    ) throws {
        try append(.provider(makeStream), length: length, name: name, fileName: fileName, mimeType: mimeType)
    }

    /// Appends a stream that can be read only once, so that the body cannot be sent a second time.
    ///
    /// The length and the content type are as in ``append(length:name:fileName:mimeType:makeStream:)``. AFNetworking:
    /// `appendPartWithInputStream:name:fileName:length:mimeType:`.
    ///
    /// - Parameters:
    ///   - inputStream: The stream, opened or not. The form takes ownership of it.
    ///   - length: The number of bytes in the stream.
    ///   - name: The field's name.
    ///   - fileName: The file's name.
    ///   - mimeType: The content type; by default, the one for the file name's extension.
    /// - Throws: ``RequestSerializationError`` for a negative length or a content type that contains a line break or
    ///   NUL.
    public mutating func append(
        inputStream: sending InputStream,
        length: Int64,
        name: String,
        fileName: String,
        mimeType: String? = nil
    ) throws {
        let body = MultipartPart.Body.stream(OneShotStream(inputStream))
        try append(body, length: length, name: name, fileName: fileName, mimeType: mimeType)
    }

    /// Appends a part without a `Content-Type` for each parameter, named as in a form (`a[b]`, `a[]`).
    ///
    /// Data is sent as it is, and null as an empty part unless ``QueryEncoding/nulls`` omits it.
    ///
    /// - Parameters:
    ///   - parameters: A dictionary, or a type that encodes as one.
    ///   - encoding: The encoding of the names and values.
    ///   - stringEncoding: The string encoding of the values; UTF-8 by default. Names are always UTF-8.
    /// - Throws: ``RequestSerializationError`` for an array or a set without a key, an array that cannot be joined with
    ///   commas, or characters that the string encoding cannot represent.
    public mutating func append(
        _ parameters: Parameters,
        encoding: QueryEncoding = QueryEncoding(),
        stringEncoding: String.Encoding = .utf8
    ) throws {
        for field in try encoding.fields(of: try parameters.value()) {
            let value: Data =
                switch field.value {
                case .none: Data()
                case .text(let text): try text.data(in: stringEncoding)
                case .data(let data): data
                case .joined(let texts): try texts.joined(separator: ",").data(in: stringEncoding)
                }
            append(value, name: field.key)
        }
    }

    /// Appends a file, by default with the content type for its name's extension.
    private mutating func append(
        _ body: MultipartPart.Body,
        length: Int64,
        name: String,
        fileName: String,
        mimeType: String?
    ) throws {
        let type = mimeType ?? Self.mimeType(of: fileName)
        try append(MultipartPart(name: name, fileName: fileName, mimeType: type, body: body, length: length))
    }

    private static func mimeType(of fileName: String) -> String {
        guard let dot = fileName.lastIndex(of: ".") else { return MIMEType.octetStream }
        return MIMEType.forExtension(String(fileName[dot...]))
    }
}
