/// An event of a stream of HTTP/2 that a line of libcurl's verbose output reports.
///
/// libcurl sends a request again whose stream was refused, and also one whose connection was lost. Only these lines
/// show which of the two has happened; they are the same from libcurl 7.88 to 8.21.
enum StreamNote: Hashable {
    /// The request is sent on the stream with this number.
    case opened(UInt32)
    /// The server processes no stream with a greater number (RFC 9113, section 6.8).
    case goAway(last: UInt32)

    /// The server has not processed the request's stream (RFC 9113, section 8.7).
    case refused
    /// The server wants the request over HTTP/1.1 (RFC 9113, section 7).
    case requiresHTTP1

    /// Reads a line, or returns `nil` if it reports nothing of a stream.
    init?(_ line: UnsafeRawBufferPointer) {
        // The numbers are at the beginning; what follows may be text of the server's.
        let text = Substring(decoding: line.prefix(64), as: UTF8.self)
        if text.hasPrefix("REFUSED_STREAM, ") {
            self = .refused
        } else if text.hasPrefix("Downgrades to HTTP/1.1") {
            self = .requiresHTTP1
        } else if text.hasPrefix("received GOAWAY, ") || text.hasPrefix("recveived GOAWAY, ") {
            guard let name = text.firstRange(of: "last_stream="), let last = Self.number(text[name.upperBound...])
            else { return nil }
            self = .goAway(last: last)
        } else if let number = Self.number(text, after: "Using Stream ID: ", before: " (easy handle ")
            ?? Self.number(text, after: "[HTTP/2] [", before: "] OPENED stream")
        {
            self = .opened(number)
        } else {
            return nil
        }
    }

    private static func number(_ text: Substring) -> UInt32? { UInt32(text.prefix { ("0"..."9").contains($0) }) }

    private static func number(_ text: Substring, after start: String, before end: String) -> UInt32? {
        guard text.hasPrefix(start) else { return nil }
        let rest = text.dropFirst(start.count)
        let digits = rest.prefix { ("0"..."9").contains($0) }
        return rest[digits.endIndex...].hasPrefix(end) ? UInt32(digits) : nil
    }
}
