/// A download to a file that appears at its destination only when it is complete and checked.
///
/// ```swift
/// var download = VerifiedDownload(url, to: file, connections: 8)
/// download.digest = try ContentDigest(.sha256, hexadecimal: "ba7816bf…")
/// try await session.download(download) { print($0.fractionCompleted ?? 0, $0.timeLeft ?? 0) }
/// ```
///
/// While it runs, the bytes are in `NAME.segments` next to the destination, with a record in `NAME.segments.state`. If
/// the download fails, is cancelled, or its process is killed, the next download of the same URL to the same
/// destination continues with what has arrived, where the server has a strong validator: an entity tag, or a date that
/// is older than the response (RFC 9110, section 8.8). At most the last second is lost.
public struct VerifiedDownload: Sendable {
    /// The suffix of the partial file's name.
    package static let partSuffix = ".segments"

    /// The request for the file, with the method GET.
    public var request: URLRequest

    /// The file to create or replace, whose folder must exist.
    public var destination: URL

    /// The number of ranges that are fetched at the same time, from 1, the default, to 64.
    ///
    /// More than one is used only if the response has a strong validator and a length, and ranges are served exactly.
    /// Otherwise the file is fetched as one stream.
    public var connections = 1

    /// The expected digest; with nil, the default, the digest that the server announces is checked, if any.
    public var digest: ContentDigest?

    /// Whether the server's `Repr-Digest` or `Content-Digest` (RFC 9530), or `Digest` (RFC 3230), is checked; true by
    /// default.
    public var checksAnnouncedDigest = true

    /// The expected number of bytes; nil, the default, for any.
    public var size: Int64?

    /// Other URLs of the same file, of which the first 16 are used.
    ///
    /// A mirror is used for ranges if it has the same size as the first server and either the same entity tag, or a
    /// digest is known. Other mirrors are dropped. If the first server does not have the file, the whole file comes
    /// from a mirror. Header fields of the request are not sent to other origins.
    public var mirrors: [URL] = []

    /// Whether the server's links with the relation `duplicate` (RFC 6249) are mirrors too; false by default.
    ///
    /// They are used only if a digest is known: ``digest``, or the one that the server announces. If the request's URL
    /// is https, other links are left out.
    public var usesOfferedMirrors = false

    /// The limit on the bytes per second, which several downloads may share; nil, the default, for none.
    public var limit: BandwidthLimit?

    /// Whether the file is written to the disk before it is renamed, to survive a power failure; false by default.
    public var synchronizes = false

    /// Whether a failed or cancelled download keeps its partial file for the next one; true by default.
    public var keepsPartialFile = true

    /// Whether the download continues one of another URL to this destination, such as a newly signed URL; false by
    /// default.
    ///
    /// The validators must be equal.
    public var continuesOtherURL = false

    /// Creates a download of a URL.
    public init(_ url: URL, to destination: URL, connections: Int = 1, digest: ContentDigest? = nil) {
        self.init(URLRequest(url: url), to: destination, connections: connections, digest: digest)
    }

    /// Creates a download with a request, which must be a GET without a body and without a `Range`.
    public init(_ request: URLRequest, to destination: URL, connections: Int = 1, digest: ContentDigest? = nil) {
        (self.request, self.destination, self.connections, self.digest) = (request, destination, connections, digest)
    }

    /// Whether the request is a plain GET for the whole file.
    var hasPlainRequest: Bool {
        request.httpMethod ?? "GET" == "GET" && request.httpBody == nil && request.httpBodyStream == nil
            && request.value(forHTTPHeaderField: "Range") == nil
    }

    /// The outcome of a download.
    public struct Outcome: Sendable, Hashable {
        /// The number of bytes of the file.
        public var byteCount: Int64
        /// The number of bytes that an earlier download had left.
        public var continuedByteCount: Int64
        /// The time of `Last-Modified`, if the response with the whole file had one.
        public var lastModified: Date?
        /// The digest that the file was checked against; nil if none was known.
        public var digest: ContentDigest?
    }
}

extension VerifiedDownload: RedactedDescription {
    /// The URL without secrets, and the path of the destination.
    public var description: String { "\(request.url?.presentableText ?? "no URL") to \(destination.path)" }
}
