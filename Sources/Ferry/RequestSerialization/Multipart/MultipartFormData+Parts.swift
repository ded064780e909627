import Foundation

extension MultipartFormData {
    /// Appends a string as a form value in UTF-8, without a `Content-Type`.
    ///
    /// - Parameters:
    ///   - text: The value.
    ///   - name: The field's name.
    public mutating func append(_ text: String, name: String) {
        append(Data(text.utf8), name: name)
    }

    /// Appends data as a form value, without a `Content-Type`.
    ///
    /// AFNetworking: `appendPartWithFormData:name:`.
    ///
    /// - Parameters:
    ///   - data: The value.
    ///   - name: The field's name.
    public mutating func append(_ data: Data, name: String) {
        // This cannot fail: the name is escaped, and data in memory is far below the limit on lengths.
        try? append(data, disposition: MultipartDisposition(name: name))
    }

    /// Appends data as a form value with a content type, such as JSON, but without a file name.
    ///
    /// - Parameters:
    ///   - data: The value.
    ///   - name: The field's name.
    ///   - mimeType: The content type.
    /// - Throws: ``RequestSerializationError`` for a content type that contains a line break or NUL.
    public mutating func append(_ data: Data, name: String, mimeType: String) throws {
        try append(data, disposition: MultipartDisposition(name: name, mimeType: mimeType))
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
        let type = mimeType ?? Self.mimeType(of: fileName)
        try append(data, disposition: MultipartDisposition(name: name, fileName: fileName, mimeType: type))
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

    private mutating func append(_ data: Data, disposition: MultipartDisposition) throws {
        try append(MultipartPart(headers: disposition.headers, body: .data(data), length: Int64(data.count)))
    }

    /// Returns the content type for the extension of a file name.
    static func mimeType(of fileName: String) -> String {
        guard let dot = fileName.lastIndex(of: ".") else { return MIMEType.octetStream }
        return MIMEType.forExtension(String(fileName[dot...]))
    }
}
