/// An upload of a file in parts, several at once, for the multipart uploads of S3 and similar stores.
///
/// ```swift
/// var upload = PartUpload(file) { part in
///     var request = URLRequest(url: signedURL(part.number))
///     request.httpMethod = "PUT"
///     return request
/// }
/// upload.manifest = { receipts in completion(of: receipts.map(\.entityTag)) }
/// let outcome = try await session.upload(upload)
/// ```
///
/// The file must not change while it is uploaded: the upload then fails with ``FileUploadError/fileChanged(path:)``.
public struct PartUpload: Sendable {
    /// A part of the file.
    public struct Part: Sendable, Hashable {
        /// The number of the part, from 1.
        public var number: Int
        /// The bytes of the file.
        public var range: Range<Int64>
    }

    /// A part that the server has.
    public struct Receipt: Sendable, Hashable, Codable {
        /// The number of the part, from 1.
        public var number: Int
        /// The `ETag` of the response, unchanged, with its quotation marks.
        public var entityTag: String?
        /// The number of bytes of the part; nil if it is not known.
        public var length: Int64?
    }

    /// The file to send, a regular file.
    public var file: URL
    /// Returns the request for a part, without its body; it is called before each attempt, on the concurrency pool.
    ///
    /// If the closure throws an error, the upload fails with it.
    public var request: @Sendable (Part) async throws -> URLRequest
    /// The number of bytes of each part but the last; 8 MiB by default.
    ///
    /// A number below one counts as one.
    public var partSize: Int64 = 8_388_608
    /// The maximum number of parts that are sent at the same time; 4 by default.
    ///
    /// A number below one counts as one.
    public var maximumConcurrentParts = 4
    /// The parts that an earlier run has sent, with the same part size; empty by default.
    ///
    /// They are not sent again, unless the part has another length now.
    public var receipts: [Receipt] = []
    /// Called on the concurrency pool when the server has a part, so that another process can continue; `nil` by
    /// default.
    public var partDidFinish: (@Sendable (Receipt) -> Void)?
    /// Returns the request that completes the upload, with the receipts of all parts in order; `nil`, the default, for
    /// none.
    public var manifest: (@Sendable ([Receipt]) async throws -> URLRequest)?
    /// The limit on the bytes per second, which several transfers may share; `nil`, the default, for none.
    public var limit: BandwidthLimit?

    /// Creates an upload of a file, whose parts are sent by the requests of a closure.
    public init(_ file: URL, request: @escaping @Sendable (Part) async throws -> URLRequest) {
        (self.file, self.request) = (file, request)
    }

    /// The outcome of an upload.
    public struct Outcome: Sendable {
        /// The receipts of all parts, in order.
        public var receipts: [Receipt]
        /// The response to the request of the manifest, with its body.
        public var manifest: (response: HTTPURLResponse, data: Data)?
    }
}
