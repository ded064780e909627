import FerrySession

extension MultipartFormData {
    /// Appends a stream that can be made anew each time the body is read.
    ///
    /// Exactly `length` bytes are sent: a stream that ends before is an error, and what comes after is not read.
    ///
    /// - Parameters:
    ///   - length: The number of bytes in the stream.
    ///   - name: The field's name.
    ///   - fileName: The file's name.
    ///   - mimeType: The content type; by default the one of the file name's extension.
    ///   - makeStream: Gives a new stream, opened or not, on the thread that reads the body.
    /// - Throws: ``RequestSerializationError`` for a length below zero or a content type with a line break in it.
    public mutating func append(
        length: Int64,
        name: String,
        fileName: String,
        mimeType: String? = nil,
        makeStream: @escaping @Sendable () throws -> InputStream
    ) throws {
        let type = mimeType ?? Self.mimeType(of: fileName)
        let disposition = MultipartDisposition(name: name, fileName: fileName, mimeType: type)
        try append(MultipartPart(headers: disposition.headers, body: .provider(makeStream), length: length))
    }

    /// Appends a stream that exists only once: the body cannot be sent a second time.
    ///
    /// Exactly `length` bytes are sent: a stream that ends before is an error, and what comes after is not read.
    /// AFNetworking: `appendPartWithInputStream:name:fileName:length:mimeType:`.
    ///
    /// - Parameters:
    ///   - inputStream: The stream, opened or not; the form takes it over.
    ///   - length: The number of bytes in the stream.
    ///   - name: The field's name.
    ///   - fileName: The file's name.
    ///   - mimeType: The content type; by default the one of the file name's extension.
    /// - Throws: ``RequestSerializationError`` for a length below zero or a content type with a line break in it.
    public mutating func append(
        inputStream: sending InputStream,
        length: Int64,
        name: String,
        fileName: String,
        mimeType: String? = nil
    ) throws {
        let type = mimeType ?? Self.mimeType(of: fileName)
        let disposition = MultipartDisposition(name: name, fileName: fileName, mimeType: type)
        let body = MultipartBody.stream(OneShotStream(inputStream))
        try append(MultipartPart(headers: disposition.headers, body: body, length: length))
    }
}
