/// A part of a form: its header lines and the source of its bytes.
package struct MultipartPart: Sendable {
    package enum Body: Sendable {
        case data(Data)
        case file(MultipartFile)
        case provider(@Sendable () throws -> InputStream)
        case stream(OneShotStream)
    }

    /// The header lines, including the empty line at their end.
    package let header: Data
    package let body: Body
    /// The number of bytes in the body.
    package let length: Int64

    package init(headers: HTTPHeaders, body: Body, length: Int64) throws {
        try headers.validate()
        // The description of a field is for logs, and has no secrets.
        header = Data((headers.map { "\($0.name): \($0.value)\r\n" }.joined() + "\r\n").utf8)
        self.body = body
        self.length = length
    }

    /// Creates a part for a field of a form, with `Content-Disposition` as its first header field.
    package init(name: String, fileName: String? = nil, mimeType: String? = nil, body: Body, length: Int64) throws {
        let file = fileName.map { "; filename=\"\(Self.escape($0))\"" } ?? ""
        var headers: HTTPHeaders = ["Content-Disposition": "form-data; name=\"\(Self.escape(name))\"\(file)"]
        if let mimeType { headers.add(.contentType(mimeType)) }
        try self.init(headers: headers, body: body, length: length)
    }

    /// Whether the bytes can be read more than once.
    package var isReplayable: Bool { if case .stream = body { false } else { true } }

    /// Returns a name as browsers write it: in UTF-8, with double quotes and line breaks percent-encoded.
    ///
    /// Follows WHATWG HTML, "multipart form data", but leaves the kind of a line break as it is. NUL is encoded too,
    /// since a header field must not contain it.
    private static func escape(_ name: String) -> String {
        var bytes: [UInt8] = []
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "\""): bytes += "%22".utf8
            case 0x0D: bytes += "%0D".utf8
            case 0x0A: bytes += "%0A".utf8
            case 0x00: bytes += "%00".utf8
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A stream that can be read only once, kept until a reader takes it.
///
/// `@unchecked Sendable`: `InputStream` is not `Sendable`, but this one was transferred by its owner (`sending`), the
/// lock gives it to one reader only, and it is not used in between.
package final class OneShotStream: @unchecked Sendable {
    private let isTaken = Mutex(false)
    private let stream: InputStream

    package init(_ stream: sending InputStream) {
        self.stream = stream
    }

    /// Whether no reader has taken the stream.
    package var isUnread: Bool { isTaken.withLock { !$0 } }

    /// Returns the stream on the first call, and `nil` on later calls.
    package func take() -> InputStream? { isTaken.claim() ? stream : nil }
}
