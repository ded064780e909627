/// The reason why a ``VerifiedDownload`` has left no file at its destination.
///
/// A failed request throws a `URLError` instead, as do cancelled downloads.
public enum VerifiedDownloadError: Error, Sendable, Hashable {
    /// The request is not a GET, or has a body or a `Range`.
    case invalidRequest
    /// The bytes do not have the expected digest; the partial file is deleted.
    case digestMismatch(expected: ContentDigest, actual: ContentDigest)
    /// The file has another size, in bytes, than expected; the partial file is deleted.
    case sizeMismatch(expected: Int64, actual: Int64)
    /// The response has a status other than 200 and 203, so that its body is not the file.
    ///
    /// The body is its first 64 KiB; it is empty for a temporary failure, or if another URL could still be used.
    case unacceptableStatusCode(Int, response: HTTPURLResponse, body: Data)
    /// The file on the server changed again after the last time that the download may start again.
    case keepsChanging
    /// Another download is writing the partial file at this path.
    case isBusy(path: String)
    /// The file at the path cannot be written, with the error number of the system, such as `ENOSPC`.
    case file(path: String, code: Int32, reason: String)
}

extension VerifiedDownloadError: DescribedError {
    /// A sentence that describes the error.
    public var description: String {
        switch self {
        case .invalidRequest: "The request of a download must be a GET without a body and without a Range"
        case .digestMismatch(let expected, let actual):
            "The file has the digest \(actual) instead of \(expected)"
        case .sizeMismatch(let expected, let actual): "The file has \(actual) bytes instead of \(expected)"
        case .unacceptableStatusCode(let status, _, _): "The server responded with the status \(status)"
        case .keepsChanging: "The file changes on the server while it is downloaded"
        case .isBusy(let path): "\(path): another download is writing it"
        case .file(let path, _, let reason): "\(path): \(reason)"
        }
    }

    init(_ response: HTTPURLResponse, _ body: Data = Data()) {
        self = .unacceptableStatusCode(response.statusCode, response: response.presentable, body: body)
    }

    init(_ error: FileError) { self = .file(path: error.path, code: error.code, reason: error.reasonText) }
}
