import Foundation

extension MultipartFormData {
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
        let type = mimeType ?? Self.mimeType(of: fileName)
        let disposition = MultipartDisposition(name: name, fileName: fileName, mimeType: type)
        try append(MultipartPart(headers: disposition.headers, body: .provider(makeStream), length: length))
    }

    /// Appends a stream that can be read only once, so that the body cannot be sent a second time.
    ///
    /// Exactly `length` bytes are sent: a stream that ends earlier is an error, and further bytes are not read.
    /// AFNetworking: `appendPartWithInputStream:name:fileName:length:mimeType:`.
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
        let type = mimeType ?? Self.mimeType(of: fileName)
        let disposition = MultipartDisposition(name: name, fileName: fileName, mimeType: type)
        let body = MultipartBody.stream(OneShotStream(inputStream))
        try append(MultipartPart(headers: disposition.headers, body: body, length: length))
    }
}
