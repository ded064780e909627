import FerrySession

/// Where the body of a streamed upload comes from.
struct BodyStreamSource: Sendable {
    /// The request whose stream serves once.
    let request: URLRequest

    /// Makes a stream from the beginning each time it is asked.
    let replay: (@Sendable () -> InputStream?)?

    /// The length of the body, where the request says it.
    var length: Int64? { request.contentLength }

    /// The stream to send now.
    func next(isFirst: Bool) -> InputStream? {
        if let replay { return replay() }
        return isFirst ? request.httpBodyStream : nil
    }
}
