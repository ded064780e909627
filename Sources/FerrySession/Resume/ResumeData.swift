/// What it takes to continue a download later, in another process too: a versioned record, checked when it is used.
///
/// It holds the request's headers, credentials among them, so it is as confidential as they are.
struct ResumeData: Codable, Hashable, Sendable {
    static let currentVersion = 1
    private static let magic = Data("ferry-resume-data\n".utf8)

    var version = Self.currentVersion
    /// The URL the partial response came from, after all redirections.
    var url: URL
    var originalURL: URL
    var headers: [String: String]
    /// The partial file's name in its folder.
    var fileName: String
    var folder: String
    /// How many bytes of the file count.
    var offset: Int64
    var expectedTotal: Int64?
    /// The strong entity tag or date that `If-Range` sends.
    var validator: String

    /// The record as bytes.
    func encoded() -> Data? {
        guard let json = try? JSONEncoder().encode(self) else { return nil }
        return Self.magic + json
    }

    /// Deletes the partial file that an error's resume data names, where nobody will ever see either.
    static func discard(_ error: (any Error)?) {
        guard let data = (error as? URLError)?.userInfo[URLSessionDownloadTaskResumeData] as? Data,
            data.starts(with: magic),
            let record = try? JSONDecoder().decode(ResumeData.self, from: data.dropFirst(magic.count)),
            DownloadFile.isName(record.fileName)
        else { return }
        unlink(record.file.path)
    }

    /// Reads a record, or throws a ``CurlSessionError`` that says what is wrong with it.
    init(_ data: Data, folder: URL) throws(CurlSessionError) {
        guard data.starts(with: Self.magic) else {
            throw CurlSessionError(.invalidResumeData, "The data is no resume data of Ferry's")
        }
        let record: ResumeData
        do {
            record = try JSONDecoder().decode(ResumeData.self, from: data.dropFirst(Self.magic.count))
        } catch {
            throw CurlSessionError(.invalidResumeData, "The resume data is damaged: \(error)")
        }
        guard record.version == Self.currentVersion else {
            throw CurlSessionError(.invalidResumeData, "The resume data has the unknown version \(record.version)")
        }
        guard record.folder == folder.standardizedFileURL.path else {
            throw CurlSessionError(
                .invalidResumeData,
                "The resume data names a file in \(record.folder), and this session's files are in \(folder.path)"
            )
        }
        guard DownloadFile.isName(record.fileName) else {
            throw CurlSessionError(
                .invalidResumeData,
                "The resume data names a file of somebody else's: \(record.fileName)"
            )
        }
        guard record.offset > 0, record.expectedTotal.map({ $0 >= record.offset }) ?? true else {
            throw CurlSessionError(.invalidResumeData, "The resume data has an impossible offset: \(record.offset)")
        }
        let schemes = [record.url.scheme?.lowercased(), record.originalURL.scheme?.lowercased()]
        guard schemes.allSatisfy({ $0 == "http" || $0 == "https" }) else {
            throw CurlSessionError(
                .invalidResumeData,
                "The resume data names no web address: \(record.url.presentableText)"
            )
        }
        self = record
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
        self.url = url
        self.originalURL = originalURL
        self.headers = headers
        fileName = file.lastPathComponent
        folder = file.deletingLastPathComponent().standardizedFileURL.path
        self.offset = offset
        self.expectedTotal = expectedTotal
        self.validator = validator
    }

    /// The partial file.
    var file: URL {
        URL(fileURLWithPath: folder, isDirectory: true).appendingPathComponent(fileName, isDirectory: false)
    }

    /// The request that asks for the whole; `Range` and `If-Range` are added where it is sent.
    var request: URLRequest {
        var request = URLRequest(url: originalURL)
        request.allHTTPHeaderFields = headers
        return request
    }
}
