import Foundation

/// The source of a streamed upload's body.
struct BodyStreamSource: Sendable {
    /// The request with the body stream.
    let request: URLRequest

    /// Makes a stream that begins at the start of the body; called each time one is needed.
    let replay: (@Sendable () -> InputStream?)?

    /// Whether the session asks the delegate for the first stream too, rather than taking it from the request.
    let isAskedFirst: Bool

    /// The length of the body, if the request states it.
    var length: Int64? { request.contentLength }

    /// Returns the stream to send: a new one, a copy of the request's, or the request's itself if it has not been used.
    func next(isFirst: Bool) -> InputStream? {
        if let replay { return replay() }
        guard let stream = request.httpBodyStream else { return nil }
        if let copy = (stream as? any NSCopying)?.copy(with: nil) as? InputStream { return copy }
        return isFirst && isAskedFirst ? stream : nil
    }
}
