/// The resume data of a download: a versioned record that is checked when it is used, also by another process.
///
/// It contains the request's header fields, including credentials, so it must be kept as confidential as they are.
struct ResumeData: Codable, Hashable, Sendable {
    static let currentVersion = 1
    private static let magic = Data("ferry-resume-data\n".utf8)

    var version = Self.currentVersion
    /// The URL that the partial response came from, after all redirects.
    var url: URL
    var originalURL: URL
    var headers: [String: String]
    var fileName: String
    var folder: String
    /// The number of bytes of the file that are valid.
    var offset: Int64
    var expectedTotal: Int64?
    /// The strong entity tag or date to send in `If-Range`.
    var validator: String
    /// `false` if the request neither sends nor stores cookies.
    var handlesCookies: Bool?
    /// The time limit of the request, unless it is the default one.
    var timeout: Double?

    /// The maximum size of a record in bytes, most of which is header fields.
    static let maximumBytes = 1_048_576

    /// Returns the encoded record, or `nil` if its header fields are too long.
    func encoded() -> Data? {
        guard let json = try? JSONEncoder().encode(self), json.count + Self.magic.count <= Self.maximumBytes else {
            return nil
        }
        return Self.magic + json
    }

    /// Deletes the partial file that an error's resume data names, if the error cannot be delivered any more.
    static func discard(_ error: (any Error)?) {
        guard let data = data(of: error), let record = try? decode(data), DownloadFile.isName(record.fileName) else {
            return
        }
        unlink(record.file.path)
    }

    static func data(of error: (any Error)?) -> Data? {
        (error as? URLError)?.userInfo[URLSessionDownloadTaskResumeData] as? Data
    }

    private static func decode(_ data: Data) throws(CurlSessionError) -> ResumeData {
        guard data.starts(with: magic) else { throw .resumeData("Ferry did not create it") }
        guard data.count <= maximumBytes else { throw .resumeData("it has more than \(maximumBytes) bytes") }
        do {
            return try JSONDecoder().decode(ResumeData.self, from: data.dropFirst(magic.count))
        } catch let error as DecodingError {
            throw .resumeData(error.place)
        } catch {
            throw .resumeData("it is damaged")
        }
    }

    /// Decodes a record, which anyone may have written, and checks its fields; the error names the field that is wrong.
    init(_ data: Data, folder: URL) throws(CurlSessionError) {
        let record = try Self.decode(data)
        if record.version != Self.currentVersion { throw .resumeData("it has the unknown version \(record.version)") }
        let own = folder.standardizedFileURL.path
        if record.folder != own { throw .resumeData("its folder is not \(own), the folder of this session's files") }
        if let flaw = record.flaw { throw .resumeData(flaw) }
        self = record
    }

    /// The flaw of the record, as the end of a sentence; `nil` if the record is valid.
    private var flaw: String? {
        let requirements: [(isMet: Bool, flaw: String)] = [
            (DownloadFile.isName(fileName), "its fileName is not a name that Ferry makes"),
            (url.isWebAddress, "its url is not an http or https URL with a host"),
            (originalURL.isWebAddress, "its originalURL is not an http or https URL with a host"),
            (headers.keys.allSatisfy(HeaderRule.isToken), "its headers have a name that is not a token"),
            (headers.values.allSatisfy(HeaderRule.isValue), "its headers have a value with a line break or a NUL"),
            (offset > 0, "its offset is not positive"),
            (expectedTotal.map { $0 >= offset } ?? true, "its expectedTotal is less than its offset"),
            (ContinuationRule.isValidator(validator), "its validator is neither a strong entity tag nor an HTTP date"),
        ]
        return requirements.first { !$0.isMet }?.flaw
    }

    init(
        url: URL,
        originalURL: URL,
        headers: [String: String],
        file: URL,
        offset: Int64,
        expectedTotal: Int64?,
        validator: String
    ) {
        (self.url, self.originalURL, self.headers) = (url, originalURL, headers)
        (fileName, folder) = (file.lastPathComponent, file.deletingLastPathComponent().standardizedFileURL.path)
        (self.offset, self.expectedTotal, self.validator) = (offset, expectedTotal, validator)
    }

    var file: URL {
        URL(fileURLWithPath: folder, isDirectory: true).appendingPathComponent(fileName, isDirectory: false)
    }

    /// The request for the whole file; `Range` and `If-Range` are added when it is sent.
    var request: URLRequest {
        var request = URLRequest(url: originalURL)
        request.allHTTPHeaderFields = headers
        request.httpShouldHandleCookies = handlesCookies ?? true
        if let timeout { request.timeoutInterval = timeout.asRestored }
        return request
    }
}

extension TimeInterval {
    /// The timeout for a record: zero for each number that means no limit, since JSON has no infinity.
    package var asKept: TimeInterval { isFinite && self > 0 ? self : 0 }
    /// The timeout of a record.
    package var asRestored: TimeInterval { isFinite && self > 0 ? self : .infinity }
}

extension CurlSessionError {
    fileprivate static func resumeData(_ flaw: String) -> CurlSessionError {
        CurlSessionError(.invalidResumeData, "The resume data cannot be used: \(flaw)")
    }
}

extension DecodingError {
    /// Names the missing or malformed field without its value, since records contain credentials.
    fileprivate var place: String {
        let path: [any CodingKey]
        switch self {
        case .keyNotFound(let key, let context): path = context.codingPath + [key]
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            path = context.codingPath
        @unknown default: path = []
        }
        let field = path.first?.stringValue ?? ""
        return field.isEmpty ? "it is damaged" : "its \(field) is missing or malformed"
    }
}
