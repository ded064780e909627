import FerrySession
import Testing

/// Responses that occupy a client for a long time with few bytes.
struct Flood: CustomTestStringConvertible, Sendable {
    let testDescription: String
    private let head: String
    /// The content coding of the body.
    let coding: String
    private let start: Data
    /// The repeated part of the body.
    private let piece: Data
    /// The number of repetitions; `nil` if the response never ends.
    private let count: Int?
    /// The end of the response.
    private let end: String

    private init(_ name: String, coding: String, start: [UInt8] = [], _ piece: [UInt8]) {
        (testDescription, self.coding) = (name, coding)
        head = Self.ok + "Content-Encoding: \(coding)\r\nContent-Length: 100000000000\r\n\r\n"
        (self.start, self.piece) = (Data(start), Data(piece))
        (count, end) = (nil, "")
    }

    private init(_ name: String, head: String, _ piece: String, count: Int? = nil, end: String = "") {
        (testDescription, coding, start) = (name, "", Data())
        (self.head, self.piece, self.count, self.end) = (head, Data(piece.utf8), count, end)
    }

    /// Sends the response, until the client closes the connection; with another status, and further fields.
    func send(_ connection: RawServer.Connection, status: String = "200 OK", fields: String = "") {
        let head = head.replacingOccurrences(of: Self.ok, with: "HTTP/1.1 \(status)\r\n\(fields)")
        connection.write(Data(head.utf8) + start)
        let batch = Data((0..<(count ?? max(1, 65_536 / piece.count))).flatMap { _ in piece })
        repeat {} while connection.write(batch) && count == nil
        connection.write(end)
    }

    /// Returns the beginning of the body, with at least a number of bytes.
    func bytes(of size: Int) -> Data { start + Data((0..<(size / piece.count + 1)).flatMap { _ in piece }) }

    private static let ok = "HTTP/1.1 200 OK\r\n"

    // MARK: - Codings

    /// Codings that decode to nothing.
    static let codings = [
        // Frames of user data (RFC 8878, section 3.1.2).
        Flood("empty zstd frames", coding: "zstd", skippableFrame),
        Flood("zstd frames with an empty block", coding: "zstd", [0x28, 0xB5, 0x2F, 0xFD, 0x20, 0, 0x01, 0, 0]),
        // RFC 1952, section 2.3.
        Flood("empty gzip members", coding: "gzip", emptyMember),
        // Stored blocks (RFC 1951, section 3.2.4).
        Flood("empty gzip blocks", coding: "gzip", start: memberStart, [0, 0, 0, 0xFF, 0xFF]),
        Flood("empty deflate blocks", coding: "deflate", start: [0x78, 0x9C], [0, 0, 0, 0xFF, 0xFF]),
        // Meta-blocks without data, to the end of a byte (RFC 7932, section 9.2).
        Flood("empty br blocks", coding: "br", start: [0x0C], [0x06]),
        Flood("empty gzip members in gzip", coding: "gzip, gzip", start: memberStart, stored(emptyMember)),
        Flood("empty zstd frames in gzip", coding: "zstd, gzip", start: memberStart, stored(skippableFrame)),
    ]

    private static let skippableFrame: [UInt8] = [0x50, 0x2A, 0x4D, 0x18, 0, 0, 0, 0]
    private static let memberStart: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
    private static let emptyMember: [UInt8] = memberStart + [3, 0] + Array(repeating: 0, count: 8)

    /// Returns a stored block with many times the same bytes.
    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        let content = (0..<(32_000 / bytes.count)).flatMap { _ in bytes }
        let (low, high) = (UInt8(content.count & 0xFF), UInt8(content.count >> 8))
        return [0, low, high, ~low, ~high] + content
    }

    // MARK: - Framing and heads

    /// Bodies in very small pieces.
    static let framings = [
        Flood("chunks of one byte", head: ok + "Transfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n"),
        Flood("chunks with extensions", head: ok + "Transfer-Encoding: chunked\r\n\r\n", "1;\(extensions)\r\nx\r\n"),
    ]

    private static let extensions = String(repeating: "e", count: 100)
    private static let body = "Content-Length: 2\r\n\r\nok"
    private static let trailing = ok + "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n"

    /// Heads and trailers, within the limits and beyond them.
    static let heads = [
        Flood("many fields", head: ok, "X: y\r\n", count: 990, end: body),
        Flood("too many fields", head: ok, "X: y\r\n", count: 13_500, end: body),
        Flood("long fields", head: ok, "X: \(String(repeating: "v", count: 1_000))\r\n", count: 290, end: body),
        Flood("cookies", head: ok, "Set-Cookie: a=b\r\n", count: 990, end: body),
        Flood("a folded field", head: ok + "X: y\r\n", " z\r\n", count: 70_000, end: body),
        Flood("interim responses", head: "", "HTTP/1.1 103 X\r\n\r\n", count: 16_000, end: ok + body),
        Flood("interim responses with a field", head: "", "HTTP/1.1 103 X\r\nA: b\r\n\r\n", count: 490, end: ok + body),
        Flood("trailers", head: trailing, "X: y\r\n", count: 990, end: "\r\n"),
        Flood("too many trailers", head: trailing, "X: y\r\n", count: 13_500, end: "\r\n"),
    ]

    /// A proxy's responses to `CONNECT`.
    static let tunnels = [
        Flood("fields of a tunnel", head: ok, "X: y\r\n", count: 13_500, end: "\r\n"),
        Flood("body of a tunnel", head: "HTTP/1.1 407 No\r\nContent-Length: 100000000000\r\n\r\n", "x"),
    ]
}
