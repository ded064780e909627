/// An upload of a file that continues after a lost connection if the server supports that.
///
/// ```swift
/// let upload = FileUpload(file, to: url)
/// let outcome = try await session.upload(upload) { print($0.fractionCompleted ?? 0) }
/// ```
///
/// The file must not change while it is uploaded: the upload then fails with ``FileUploadError/fileChanged(path:)``.
public struct FileUpload: Sendable {
    /// The protocol by which an upload can be continued.
    public enum Resumption: String, Sendable, Hashable, Codable, CaseIterable {
        /// The protocol that the server offers in its response to `OPTIONS`, or else ``resumableUploads``; the default.
        case automatic
        /// Resumable uploads for HTTP (draft-ietf-httpbis-resumable-upload), if the server supports them; otherwise the
        /// file is sent by an ordinary request.
        case resumableUploads
        /// The tus protocol, version 1.0.
        case tus
        /// Not at all: one ordinary request.
        case none
    }

    /// An upload that a server has created; it can be encoded, so that another process can continue the upload.
    public struct Location: Sendable, Hashable, Codable {
        /// The URL of the upload, which is a secret: any client that has it can add to the upload.
        public var url: URL
        /// The protocol of the URL: ``Resumption/tus`` or ``Resumption/resumableUploads``.
        public var resumption: Resumption
        /// The URLs of the second and later parts of a file whose parts are sent at the same time; empty by default.
        public var laterParts: [URL]
        /// The date at which the server will delete the upload unless it receives more of it; nil if that is unknown.
        ///
        /// It is the `Upload-Expires` of tus or the `max-age` of the draft's `Upload-Limit`.
        public var expirationDate: Date?

        /// Creates a location.
        public init(url: URL, resumption: Resumption, laterParts: [URL] = [], expirationDate: Date? = nil) {
            (self.url, self.resumption) = (url, resumption)
            (self.laterParts, self.expirationDate) = (laterParts, expirationDate)
        }

        /// The URLs of all parts, in their order.
        var urls: [URL] { [url] + laterParts }
    }

    /// The request that begins the upload; its method is `POST` unless it is set, and its body is ignored.
    ///
    /// If a POST has no `Content-Type`, the file is sent as `application/octet-stream`.
    public var request: URLRequest
    /// The file to send, a regular file.
    public var file: URL
    /// The protocol by which the upload can be continued.
    public var resumption = Resumption.automatic
    /// The upload to continue, a location that ``locationDidChange`` received; nil, the default, for a new upload.
    ///
    /// If the server no longer has the upload, it begins again.
    public var location: Location?
    /// Called with the location of the upload when the server has created it, and with nil if the server no longer has
    /// it.
    ///
    /// It is called again if the server changes the date at which the upload expires. With the location, another
    /// process can continue the upload. It is called on the delegate queue or the concurrency pool; nil by default.
    public var locationDidChange: (@Sendable (Location?) -> Void)?
    /// The metadata of the file that is sent with the tus protocol.
    ///
    /// The default has `filename`, and `filetype` from the request's `Content-Type` or else `application/octet-stream`,
    /// which many servers require. A key must consist of at least one visible ASCII character, without commas;
    /// otherwise the upload fails with ``FileUploadError/invalidMetadata(key:)``.
    public var metadata: [String: String]
    /// The algorithm of the digests with which the server can check what it receives; nil, the default, for none.
    ///
    /// With tus the file is sent in parts of 16 MiB with `Upload-Checksum`, and a part that the server refuses is sent
    /// again; if the server does not offer the algorithm, nothing is sent, and the upload fails with
    /// ``FileUploadError/checksumNotOffered``. Other requests have `Repr-Digest` or `Content-Digest` (RFC 9530), which
    /// a server may ignore. The file is read twice.
    public var checksum: ContentDigest.Algorithm?
    /// The number of parts of the file that are sent at the same time, from 1, the default, to 32.
    ///
    /// Each part is an upload of its own, and the server joins them at the end. This requires the `concatenation`
    /// extension of tus; with another server, or a file of fewer than two bytes, there is only one part.
    public var connections = 1
    /// The URL of a request that sends the file itself, if it differs from that of tus; nil by default.
    package var ordinaryURL: URL?
    /// The limit on the bytes per second, which several transfers may share; nil, the default, for none.
    public var limit: BandwidthLimit?

    /// Creates an upload to a URL, with the method POST.
    public init(_ file: URL, to url: URL) {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        self.init(file, for: request)
    }

    /// Creates an upload with a request.
    public init(_ file: URL, for request: URLRequest) {
        (self.file, self.request) = (file, request)
        let type = request.value(forHTTPHeaderField: "Content-Type") ?? "application/octet-stream"
        metadata = ["filename": file.lastPathComponent, "filetype": type]
    }

    /// The outcome of an upload.
    public struct Outcome: Sendable {
        /// The response to the last request.
        public var response: HTTPURLResponse
        /// The body of the response.
        public var data: Data
        /// The number of bytes of the file.
        public var byteCount: Int64
        /// The number of bytes that the server already had when ``FileUpload/location`` was continued.
        public var continuedByteCount: Int64
    }
}

extension FileUpload: RedactedDescription {
    /// The URL without secrets, and the path of the file.
    public var description: String { "\(file.path) to \(request.url?.presentableText ?? "no URL")" }
}

extension FileUpload.Location: RedactedDescription {
    /// The protocol, without the URL.
    public var description: String { resumption.rawValue }
}

/// The reason why a ``FileUpload`` has failed.
///
/// A failed request throws a `URLError` instead, as do cancelled uploads.
public enum FileUploadError: Error, Sendable, Hashable {
    /// The response has a status other than 200 to 299; the body is its first 64 KiB, such as an error code.
    case unacceptableStatusCode(Int, response: HTTPURLResponse?, body: Data)
    /// The file has changed while it was uploaded.
    case fileChanged(path: String)
    /// The server's response does not conform to the protocol; the text is the reason.
    case badResponse(String)
    /// The server does not offer to check the digests of ``FileUpload/checksum``.
    case checksumNotOffered
    /// A key of ``FileUpload/metadata`` is empty, or has a character that tus does not allow.
    case invalidMetadata(key: String)
    /// The server takes no file of this size; the limit is in bytes.
    case tooLarge(limit: Int64)
    /// The file at the path cannot be read, with the error number of the system, such as `ENOENT`.
    case file(path: String, code: Int32, reason: String)
}

extension FileUploadError: DescribedError {
    /// A sentence that describes the error.
    public var description: String {
        switch self {
        case .unacceptableStatusCode(let status, _, _): "The server responded with the status \(status)"
        case .fileChanged(let path): "\(path): the file has changed while it was uploaded"
        case .badResponse(let reason): "The server's response does not fit the upload protocol: \(reason)"
        case .checksumNotOffered: "The server does not offer to check digests of this algorithm"
        case .invalidMetadata(let key):
            "The key \"\(key)\" of the metadata is empty, or has a blank, a comma or a character that is not ASCII"
        case .tooLarge(let limit): "The server takes at most \(limit) bytes"
        case .file(let path, _, let reason): "\(path): \(reason)"
        }
    }

    init(_ error: FileError) { self = .file(path: error.path, code: error.code, reason: error.reasonText) }

    init(_ answer: (data: Data, response: HTTPURLResponse)) {
        let body = Data(answer.data.prefix(HTTPURLResponse.keptBody))
        self = .unacceptableStatusCode(answer.response.statusCode, response: answer.response.presentable, body: body)
    }
}
