/// An event of a stream with the media type `text/event-stream` (HTML standard, section 9.2).
public struct ServerSentEvent: Sendable, Hashable {
    /// The type of the event, in at most 1,024 bytes; `message` unless the server has sent another.
    public var type: String
    /// The data: the values of the event's `data` fields, separated by line feeds.
    public var data: String
    /// The last identifier that the server has sent, with this event or with an earlier one; empty if there is none.
    ///
    /// A request that continues the stream sends it in the field `Last-Event-ID`, and it remains the identifier of the
    /// events until the server sends another.
    public var id: String
    /// The time in seconds to wait before the stream is requested again, if the server has sent one so far.
    public var reconnectionTime: TimeInterval?

    /// Makes an event.
    public init(type: String = "message", data: String, id: String = "", reconnectionTime: TimeInterval? = nil) {
        self.type = type
        self.data = data
        self.id = id
        self.reconnectionTime = reconnectionTime
    }
}

/// Puts the lines of a stream together to events, as the HTML standard says (section 9.2.6).
struct ServerSentEventParser {
    /// The largest number of bytes in an event's data.
    let limit: Int
    private var isFirstLine = true
    private var type = ""
    private var data: String?
    private var id = ""
    /// The identifier after the last block of lines, even if the block had no data.
    private(set) var lastEventID: String
    private(set) var reconnectionTime: TimeInterval?

    /// Makes a parser; `lastEventID` is the identifier with which an earlier stream is continued.
    init(limit: Int, lastEventID: String = "") {
        self.limit = max(0, limit)
        (id, self.lastEventID) = (lastEventID, lastEventID)
    }

    /// Reads a line, and returns the event that it completes; throws a `URLError` with the code
    /// `dataLengthExceedsMaximum` if the event's data or type is too long.
    mutating func consume(_ line: String) throws(URLError) -> ServerSentEvent? {
        var line = line[...]
        if isFirstLine, line.unicodeScalars.first == "\u{FEFF}" { line.unicodeScalars.removeFirst() }
        isFirstLine = false
        if line.isEmpty { return takeEvent() }
        let bytes = line.utf8
        let colon = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
        // No known name is longer, and comparing long names as text takes quadratic time.
        guard bytes[..<colon].count <= "event".utf8.count else { return nil }
        var value = bytes[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value.removeFirst() }
        switch line[..<colon] {
        case "event":
            // Programs compare it as text, which takes hours for some texts of a few megabytes.
            guard value.count <= 1_024 else { throw Self.tooLong("type", 1_024) }
            type = String(Substring(value))
        case "data": try append(String(Substring(value)))
        case "id" where !value.contains(0): id = String(Substring(value))
        case "retry" where !value.isEmpty && value.allSatisfy(\.isDigit):
            if let milliseconds = Int32(Substring(value)) { reconnectionTime = Double(milliseconds) / 1_000 }
        // A comment, which has an empty name, or a field without a meaning.
        default: break
        }
        return nil
    }

    private mutating func append(_ value: String) throws(URLError) {
        // The line feed before each further value counts, so that empty values have a limit too.
        guard (data.map { $0.utf8.count + 1 } ?? 0) + value.utf8.count <= limit else {
            throw Self.tooLong("data", limit)
        }
        if data == nil { data = value } else { data?.append("\n" + value) }
    }

    private static func tooLong(_ what: String, _ limit: Int) -> URLError {
        let text = "The \(what) of a server-sent event is longer than \(limit) bytes"
        return .ferry(.dataLengthExceedsMaximum, url: nil, reason: .responseTooLarge, text)
    }

    private mutating func takeEvent() -> ServerSentEvent? {
        defer { (type, data) = ("", nil) }
        lastEventID = id
        guard let data else { return nil }
        return ServerSentEvent(
            type: type.isEmpty ? "message" : type,
            data: data,
            id: id,
            reconnectionTime: reconnectionTime
        )
    }
}
