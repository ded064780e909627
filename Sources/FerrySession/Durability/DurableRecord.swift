/// The record of a task in the journal of a durable session; the last record of a task is enough.
struct DurableRecord: Codable, Sendable, Hashable {
    /// The file of a download and the response that it comes from.
    struct Partial: Codable, Sendable, Hashable {
        var name: String
        var url: URL
        var validator: String
        var total: Int64?
        /// The start of the system when the file was written; after a later one, bytes of the file may be missing.
        var boot: UInt64

        var isValid: Bool {
            DownloadFile.isName(name) && url.isWebAddress && ContinuationRule.isValidator(validator) && total ?? 0 >= 0
        }

        /// Leaves out the user and the password in the URL.
        mutating func removeUser() { url = URL(string: PresentableText.withoutUserInfo(url.absoluteString)) ?? url }
    }

    var version = 1
    var id: Int
    var request: KeptRequest
    /// The file that is uploaded; `nil` for a download.
    var upload: String?
    var isSuspended = false
    var text: String?
    var priority: Float
    var partial: Partial?
    /// Whether the task is complete; its partial file, if there is one, belongs to resume data.
    var hasEnded = false

    private static let maximumID = 1 << 52

    /// Reads a record; `nil` if it is of another version or not valid.
    init?(_ data: Data) {
        guard let record = try? JSONDecoder().decode(Self.self, from: data), record.version == 1, record.id > 0,
            record.id < Self.maximumID, record.request.url.isWebAddress, record.upload?.hasPrefix("/") != false,
            record.partial?.isValid != false
        else { return nil }
        self = record
    }

    /// Describes a task with a request; `nil` if the request cannot be sent again.
    init?(id: Int, _ request: URLRequest, upload: URL?, keepsSecrets: Bool) {
        guard request.httpBody == nil, request.httpBodyStream == nil,
            let kept = KeptRequest(request, keepsSecrets: keepsSecrets)
        else { return nil }
        (self.id, self.request, self.upload) = (id, kept, upload?.standardizedFileURL.path)
        priority = URLSessionTask.defaultPriority
    }

    var data: Data {
        get throws { try JSONEncoder().encode(self) }
    }

    /// Returns the resume data of the partial file in a folder; `nil` if there is nothing to continue.
    func resumeData(in folder: String) -> ResumeData? {
        guard let partial, partial.boot == SystemBoot.number, upload == nil else { return nil }
        let file = URL(fileURLWithPath: folder, isDirectory: true).appendingPathComponent(partial.name)
        guard let size = try? RegularFile(reading: file.path, links: .refuse).size() else { return nil }
        // If everything has arrived, the last byte is requested again: no server has a range after the end.
        let offset = min(size, (partial.total ?? .max) - 1)
        guard offset > 0 else { return nil }
        var data = ResumeData(
            url: partial.url,
            originalURL: request.url,
            headers: request.fields,
            file: file,
            offset: offset,
            expectedTotal: partial.total,
            validator: partial.validator
        )
        (data.handlesCookies, data.timeout) = (request.handlesCookies, request.timeout)
        return data
    }
}

extension DurableRecord.Partial {
    /// Describes the file that a task continues.
    init(_ data: ResumeData) {
        self.init(
            name: data.fileName,
            url: data.url,
            validator: data.validator,
            total: data.expectedTotal,
            boot: SystemBoot.number
        )
    }
}
