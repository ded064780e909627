/// An upload of a file that continues after a lost connection, where the server can.
///
/// ```swift
/// let upload = FileUpload(file, to: url)
/// let outcome = try await session.upload(upload) { print($0.fraction ?? 0) }
/// ```
///
/// The file must not change while it is uploaded: the upload then fails with ``FileUploadError/fileChanged(path:)``.
public struct FileUpload: Sendable {
    /// How an upload can be continued.
    public enum Resumption: String, Sendable, Hashable, CaseIterable {
        /// As the server offers it in its response to `OPTIONS`, or else like ``resumableUploads``; the default.
        case automatic
        /// Resumable uploads for HTTP (draft-ietf-httpbis-resumable-upload), if the server knows them; otherwise the
        /// file is sent by an ordinary request.
        case resumableUploads
        /// The tus protocol, version 1.0.
        case tus
        /// Not at all: one ordinary request.
        case none
    }

    /// An upload that a server has created.
    public struct Location: Sendable, Hashable {
        /// The URL of the upload, which is a secret: any client that has it can add to the upload.
        public var url: URL
        /// The protocol of the URL: ``Resumption/tus`` or ``Resumption/resumableUploads``.
        public var resumption: Resumption

        /// Makes a location from one that was kept.
        public init(url: URL, resumption: Resumption) { (self.url, self.resumption) = (url, resumption) }
    }

    /// The request that begins the upload; its method is `POST` unless it is set, and its body is ignored.
    public var request: URLRequest
    /// The file to send, a regular file.
    public var file: URL
    /// How the upload can be continued.
    public var resumption = Resumption.automatic
    /// The upload to continue, of which ``locationDidChange`` has told; nil, the default, for a new one.
    ///
    /// If the server no longer has it, the upload begins again.
    public var location: Location?
    /// Called with the URL of the upload when the server has created it, and with nil if the server no longer has it.
    ///
    /// With the URL, another process can continue the upload. It is called on the delegate queue or the concurrency
    /// pool; nil by default.
    public var locationDidChange: (@Sendable (Location?) -> Void)?
    /// What the server learns about the file with the tus protocol.
    ///
    /// By default it is the `filename`, and `filetype` from the request's `Content-Type` or else
    /// `application/octet-stream`, which many servers require.
    public var metadata: [String: String]
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

    /// What an upload has done.
    public struct Outcome: Sendable {
        /// The response to the last request.
        public var response: HTTPURLResponse
        /// The body of the response.
        public var data: Data
        /// The number of bytes of the file.
        public var bytes: Int64
        /// The number of bytes that the server had already, when ``FileUpload/location`` was continued.
        public var continuedBytes: Int64
    }
}

/// The reason why a ``FileUpload`` has failed.
///
/// A failed request throws a `URLError` instead, as do cancelled uploads.
public enum FileUploadError: Error, Sendable, Hashable {
    /// The response has a status other than 200 to 299.
    case status(Int)
    /// The file has changed while it was uploaded.
    case fileChanged(path: String)
    /// The server's response does not fit the protocol; the text says how.
    case badResponse(String)
    /// The server takes no file of this size; the limit is in bytes.
    case tooLarge(limit: Int64)
    /// The file at the path cannot be read, with the error number of the system, such as `ENOENT`.
    case file(path: String, code: Int32, reason: String)
}

extension FileUploadError: LocalizedError, CustomStringConvertible {
    /// A sentence that describes the error.
    public var description: String {
        switch self {
        case .status(let status): "The server responded with the status \(status)"
        case .fileChanged(let path): "\(path): the file has changed while it was uploaded"
        case .badResponse(let reason): "The server's response does not fit the upload protocol: \(reason)"
        case .tooLarge(let limit): "The server takes at most \(limit) bytes"
        case .file(let path, _, let reason): "\(path): \(reason)"
        }
    }

    /// The description.
    public var errorDescription: String? { description }

    init(_ error: FileError) { self = .file(path: error.path, code: error.code, reason: error.reasonText) }
}
