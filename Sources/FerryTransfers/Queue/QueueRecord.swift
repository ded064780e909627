/// A transfer in the journal; each record is complete, so that only the last one of a transfer counts.
struct QueueRecord: Codable, Sendable, Hashable {
    enum State: String, Codable, Sendable {
        case waiting, paused, finished, failed
        /// The transfer was removed; the record keeps its number from being used again.
        case removed
    }

    struct Download: Codable, Sendable, Hashable {
        var request: KeptRequest
        var path: String
        var connections: Int
        var digest: String?
        var checksAnnounced: Bool
        var size: Int64?
        var mirrors: [URL]
        var usesOffered: Bool
        var synchronizes: Bool
        var continuesOtherURL: Bool
    }

    struct Upload: Codable, Sendable, Hashable {
        var request: KeptRequest
        var path: String
        var resumption: String
        var metadata: [String: String]
        /// The URL of the upload that the server has created; nil if there is none.
        var location: URL?
        /// The protocol of that URL.
        var used: String?
        /// The URLs of the second and later parts, if there are several.
        var laterParts: [URL]?
        var ordinaryURL: URL?
        var connections: Int?
        var checksum: ContentDigest.Algorithm?
        /// The version of the file that was sent last, also in part.
        var version: FileVersion?
        /// Whether the queue has set the request's `Idempotency-Key`, which then changes with the version of the file.
        var makesKey: Bool?

        static var newKey: String { "\"\(UUID.random.uuidString)\"" }

        /// Notes the upload that the server has created, and the version of the file that is sent.
        mutating func note(_ new: FileUpload.Location?, of version: FileVersion?) {
            (location, used) = (new?.url, new?.resumption.rawValue)
            (laterParts, self.version) = (new?.laterParts, version)
        }
    }

    var version = 1
    var id: Int
    var state: State
    var priority = 0
    var download: Download?
    var upload: Upload?
    /// The description of the error of a failed transfer.
    var error: String?
    /// The number of bytes of a finished transfer.
    var bytes: Int64?
    /// The inode of a download's complete file, set just before the file is renamed to its destination.
    var published: UInt64?

    /// Reads a record; `nil` if it is of another version, or incomplete.
    init?(_ data: Data) {
        guard let record = try? JSONDecoder().decode(Self.self, from: data), record.version == 1, record.id > 0,
            record.id < Self.maximumID
        else { return nil }
        let isTransfer = (record.download == nil) != (record.upload == nil)
        guard record.state == .removed || (isTransfer && record.path.hasPrefix("/")) else { return nil }
        self = record
    }

    /// The limit on the numbers of transfers, so that each can be followed by a greater one.
    private static let maximumID = 1 << 52

    init(id: Int, priority: Int, download: Download? = nil, upload: Upload? = nil) {
        (self.id, self.priority, self.download, self.upload, state) = (id, priority, download, upload, .waiting)
    }

    /// The record that replaces this one when the transfer is removed.
    var removed: Self {
        var record = Self(id: id, priority: 0)
        record.state = .removed
        return record
    }

    var data: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .withoutEscapingSlashes
            return try encoder.encode(self)
        }
    }

    var request: KeptRequest? { download?.request ?? upload?.request }
    var path: String { download?.path ?? upload?.path ?? "" }
}

// MARK: - Conversions

extension KeptRequest {
    /// Describes the request of a transfer, or throws the reason why it cannot be kept.
    fileprivate init(of request: URLRequest, keepsSecrets: Bool) throws(TransferQueueError) {
        guard let url = request.url, url.isWebAddress else {
            throw .invalidTransfer("The URL of a queued transfer must begin with http:// or https://")
        }
        guard let kept = KeptRequest(request, keepsSecrets: keepsSecrets) else {
            throw .invalidTransfer("The URL cannot be kept without its user: \(url.presentableText)")
        }
        self = kept
    }
}

extension QueueRecord.Download {
    init(_ download: VerifiedDownload, keepsSecrets: Bool) throws(TransferQueueError) {
        guard download.destination.isFileURL else { throw .invalidTransfer("The destination must be a file URL") }
        guard download.hasPlainRequest else {
            throw .invalidTransfer(VerifiedDownloadError.invalidRequest.description)
        }
        request = try .init(of: download.request, keepsSecrets: keepsSecrets)
        path = download.destination.standardizedFileURL.path
        connections = download.connections
        digest = download.digest?.description
        checksAnnounced = download.checksAnnouncedDigest
        size = download.size
        mirrors = download.mirrors.prefix(16)
            .compactMap { keepsSecrets ? $0 : URL(string: PresentableText.withoutUserInfo($0.absoluteString)) }
        usesOffered = download.usesOfferedMirrors
        synchronizes = download.synchronizes
        continuesOtherURL = download.continuesOtherURL
    }

    /// The download; `nil` if the expected digest is invalid, so that the file could not be checked.
    var value: VerifiedDownload? {
        let expected = digest.flatMap { ContentDigest($0) }
        guard (expected == nil) == (digest == nil) else { return nil }
        var download = VerifiedDownload(request.value, to: URL(fileURLWithPath: path, isDirectory: false))
        download.connections = connections
        download.digest = expected
        download.checksAnnouncedDigest = checksAnnounced
        download.size = size
        download.mirrors = mirrors
        download.usesOfferedMirrors = usesOffered
        download.synchronizes = synchronizes
        download.continuesOtherURL = continuesOtherURL
        return download
    }
}

extension QueueRecord.Upload {
    init(_ upload: FileUpload, keepsSecrets: Bool) throws(TransferQueueError) {
        guard upload.file.isFileURL else { throw .invalidTransfer("The file of an upload must have a file URL") }
        request = try .init(of: upload.request, keepsSecrets: keepsSecrets)
        path = upload.file.standardizedFileURL.path
        resumption = upload.resumption.rawValue
        metadata = upload.metadata
        ordinaryURL = upload.ordinaryURL.map { keepsSecrets ? $0 : $0.presentable }
        connections = upload.connections
        checksum = upload.checksum
        note(upload.location, of: nil)
    }

    var value: FileUpload {
        var upload = FileUpload(URL(fileURLWithPath: path, isDirectory: false), for: request.value)
        upload.resumption = FileUpload.Resumption(rawValue: resumption) ?? .automatic
        upload.metadata = metadata
        upload.ordinaryURL = ordinaryURL
        upload.connections = connections ?? 1
        upload.checksum = checksum
        if let location, let used = used.flatMap({ FileUpload.Resumption(rawValue: $0) }) {
            upload.location = FileUpload.Location(url: location, resumption: used, laterParts: laterParts ?? [])
        }
        return upload
    }
}
