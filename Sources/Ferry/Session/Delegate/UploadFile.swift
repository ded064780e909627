import FerrySession

/// A check of a file before it is uploaded.
enum UploadFile {
    /// Returns the reason a file cannot be uploaded, or nil; not every transport would report it in time.
    static func error(_ url: URL, request: URLRequest) -> NetworkError? {
        guard url.isFileURL else { return error("\(url.presentableText) is not a file URL", request) }
        do throws(FileError) {
            try RegularFile(reading: url.path, links: .follow).close()
        } catch {
            switch error.code {
            case ENOENT, ENOTDIR: return Self.error("There is no file \(url.path)", request)
            case EISDIR: return Self.error("\(url.path) is a directory", request)
            default: return Self.error(error.description, request)
            }
        }
        return nil
    }

    private static func error(_ message: String, _ request: URLRequest) -> NetworkError {
        NetworkError(.fileError, message: "The body cannot be uploaded: \(message)", failingURL: request.url)
    }
}
