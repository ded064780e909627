import FerrySession

/// Where the body of a streamed upload comes from.
struct BodyStreamSource: Sendable {
    /// The request with the body stream.
    let request: URLRequest

    /// Makes a stream from the beginning each time it is asked.
    let replay: (@Sendable () -> InputStream?)?

    /// Whether the session asks for the first stream too, and does not take it from the request.
    let isAskedFirst: Bool

    /// The length of the body, where the request says it.
    var length: Int64? { request.contentLength }

    /// The stream to send now: a new one, a copy of the request's own, or that one itself if it has not been used.
    func next(isFirst: Bool) -> InputStream? {
        if let replay { return replay() }
        guard let stream = request.httpBodyStream else { return nil }
        if let copy = (stream as? any NSCopying)?.copy(with: nil) as? InputStream { return copy }
        return isFirst && isAskedFirst ? stream : nil
    }
}
