struct BodyStreamSource: Sendable {
    let request: URLRequest
    /// Makes a stream that begins at the start of the body; called each time one is needed.
    let replay: (@Sendable () -> InputStream?)?
    /// Whether the session asks the delegate for the first stream too, rather than taking it from the request.
    let isAskedFirst: Bool

    /// Returns a new stream, a copy of the request's, or else the request's own if the delegate is asked for the first.
    func next(isFirst: Bool) -> InputStream? {
        if let replay { return replay() }
        guard let stream = request.httpBodyStream else { return nil }
        if let stream = stream.replayed { return stream }
        return isFirst && isAskedFirst ? stream : nil
    }
}

extension BodyStreamSource {
    /// Creates the source of the body stream that a request has, if it has one; the session takes the first stream.
    init?(ofStreamIn request: URLRequest, replay: (@Sendable () -> InputStream?)? = nil) {
        guard request.httpBodyStream != nil else { return nil }
        self.init(request: request, replay: replay, isAskedFirst: false)
    }
}

extension URLRequest {
    /// The length that the `Content-Length` field states, if it is valid.
    var contentLength: Int64? {
        value(forHTTPHeaderField: "Content-Length").flatMap { Int64($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }

    var withoutContentLength: URLRequest {
        // Foundation ends the process if a request without a URL is copied.
        guard url != nil else { return self }
        var copy = self
        copy.setValue(nil, forHTTPHeaderField: "Content-Length")
        return copy
    }

    /// Returns the error of a file that cannot be read, or nil: not every transport reports it before sending.
    func uploadError(_ file: URL) -> NetworkError? {
        func refusal(_ message: String) -> NetworkError {
            NetworkError(.fileError, message: "The body cannot be uploaded: \(message)", failingURL: url)
        }
        guard file.isFileURL else { return refusal("\(file.presentableText) is not a file URL") }
        do throws(FileError) {
            try RegularFile(reading: file.path, links: .follow).close()
            return nil
        } catch {
            switch error.code {
            case ENOENT, ENOTDIR: return refusal("There is no file \(file.path)")
            case EISDIR: return refusal("\(file.path) is a directory")
            default: return refusal(error.description)
            }
        }
    }
}
