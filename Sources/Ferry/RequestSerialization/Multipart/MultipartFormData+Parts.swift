import FerrySession

extension MultipartFormData {
    /// Appends a text, as UTF-8, without a `Content-Type`.
    ///
    /// - Parameters:
    ///   - text: The value.
    ///   - name: The field's name.
    public mutating func append(_ text: String, name: String) {
        append(Data(text.utf8), name: name)
    }

    /// Appends bytes as a plain form value, without a `Content-Type`.
    ///
    /// AFNetworking: `appendPartWithFormData:name:`.
    ///
    /// - Parameters:
    ///   - data: The value.
    ///   - name: The field's name.
    public mutating func append(_ data: Data, name: String) {
        // Neither step can fail: the name is escaped, and data in memory never reaches the limit of lengths.
        try? append(data, disposition: MultipartDisposition(name: name))
    }

    /// Appends bytes as a form value with a content type, such as JSON, without a file name.
    ///
    /// - Parameters:
    ///   - data: The value.
    ///   - name: The field's name.
    ///   - mimeType: The content type.
    /// - Throws: ``RequestSerializationError`` for a content type with a line break in it.
    public mutating func append(_ data: Data, name: String, mimeType: String) throws {
        try append(data, disposition: MultipartDisposition(name: name, mimeType: mimeType))
    }

    /// Appends bytes as a file.
    ///
    /// AFNetworking: `appendPartWithFileData:name:fileName:mimeType:`.
    ///
    /// - Parameters:
    ///   - data: The file's bytes.
    ///   - name: The field's name.
    ///   - fileName: The file's name.
    ///   - mimeType: The content type; by default the one of the file name's extension.
    /// - Throws: ``RequestSerializationError`` for a content type with a line break in it.
    public mutating func append(_ data: Data, name: String, fileName: String, mimeType: String? = nil) throws {
        let type = mimeType ?? Self.mimeType(of: fileName)
        try append(data, disposition: MultipartDisposition(name: name, fileName: fileName, mimeType: type))
    }

    /// Appends a file, which is read when the body is sent.
    ///
    /// A file that is missing, or no longer the same, when its turn comes makes the body fail with an error naming it.
    /// AFNetworking: `appendPartWithFileURL:name:fileName:mimeType:error:`.
    ///
    /// - Parameters:
    ///   - fileURL: A regular file that can be read.
    ///   - name: The field's name.
    ///   - fileName: The name to send; by default the file's own.
    ///   - mimeType: The content type; by default the one of the file's extension.
    /// - Throws: ``RequestSerializationError`` with ``RequestSerializationError/Code/fileUnreachable``.
    public mutating func append(
        fileURL: URL,
        name: String,
        fileName: String? = nil,
        mimeType: String? = nil
    ) throws {
        let file = try MultipartFile(url: fileURL)
        let disposition = MultipartDisposition(
            name: name,
            fileName: fileName ?? fileURL.lastPathComponent,
            mimeType: mimeType ?? Self.mimeType(of: fileURL.lastPathComponent)
        )
        try append(MultipartPart(headers: disposition.headers, body: .file(file), length: file.stamp.size))
    }

    /// Appends a part with fields of the caller's choice.
    ///
    /// AFNetworking: `appendPartWithHeaders:body:`.
    ///
    /// - Parameters:
    ///   - headers: The part's fields, in order.
    ///   - body: The part's bytes.
    /// - Throws: ``RequestSerializationError`` with ``RequestSerializationError/Code/invalidHeader``.
    public mutating func append(headers: HTTPHeaders, body: Data) throws {
        try append(MultipartPart(headers: headers, body: .data(body), length: Int64(body.count)))
    }

    private mutating func append(_ data: Data, disposition: MultipartDisposition) throws {
        try append(MultipartPart(headers: disposition.headers, body: .data(data), length: Int64(data.count)))
    }

    /// The content type of a file of that name.
    static func mimeType(of fileName: String) -> String {
        guard let dot = fileName.lastIndex(of: ".") else { return MIMEType.octetStream }
        return MIMEType.forExtension(String(fileName[dot...]))
    }
}
