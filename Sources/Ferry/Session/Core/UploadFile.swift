import FerrySession

/// The check of a file before it is uploaded.
enum UploadFile {
    /// What is wrong with a file, if anything is; not every transport would say so in time.
    static func error(_ url: URL, request: URLRequest) -> NetworkError? {
        guard url.isFileURL else { return error("\(url.presentableText) is not a file URL", request) }
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) else {
            return error("There is no file \(url.path)", request)
        }
        guard !isDirectory.boolValue else { return error("\(url.path) is a directory", request) }
        guard access(url.path, R_OK) == 0 else {
            return error(POSIXFault("access", path: url.path).description, request)
        }
        return nil
    }

    private static func error(_ message: String, _ request: URLRequest) -> NetworkError {
        NetworkError(.fileError, message: "The body cannot be uploaded: \(message)", failingURL: request.url)
    }
}
