import Foundation

extension LoopbackResponse {
    /// Where the bytes of a body come from.
    public enum Body: Sendable {
        /// Bytes in memory.
        case data(Data)

        /// Bytes `offset..<offset + count` of the endless pattern of ``LoopbackServer/pattern(count:offset:)``.
        case pattern(count: Int, offset: Int = 0)

        /// Pieces with a pause of `interval` seconds between them.
        case dripped([Data], interval: TimeInterval)

        /// Pieces sent as one chunk each, then trailer fields; `chunkExtension` follows each size after a semicolon.
        ///
        /// To an HTTP/1.0 client the pieces go unframed and the connection closes.
        case chunked([Data], trailers: LoopbackHeaders = [:], chunkExtension: String? = nil)

        /// A file, or a part of it; a missing one is answered with 404.
        case file(URL, range: Range<Int>? = nil)

        /// Whatever a closure writes, on the connection's thread, one chunk a call.
        case stream(@Sendable (LoopbackBodyStream) -> Void)
    }

    /// How the end of a body is marked.
    public enum Framing: Sendable {
        /// `Content-Length` where the length is known, else chunks.
        case automatic

        /// `Transfer-Encoding: chunked`.
        case chunked

        /// The end of the connection.
        case untilClose
    }

    /// A 1xx response.
    public struct Interim: Sendable {
        /// The status code, such as 103.
        public var status: Int

        /// The header fields.
        public var headers: LoopbackHeaders

        /// Seconds to wait before it is sent.
        public var delay: TimeInterval

        /// Creates an interim response.
        public init(status: Int, headers: LoopbackHeaders = [:], delay: TimeInterval = 0) {
            self.status = status
            self.headers = headers
            self.delay = delay
        }
    }
}

extension LoopbackResponse.Body {
    /// How many bytes there are; nil if that shows only while sending, or if the file is missing.
    public var count: Int? {
        switch self {
        case .data(let data): data.count
        case .pattern(let count, _): max(0, count)
        case .dripped(let pieces, _), .chunked(let pieces, _, _): pieces.reduce(0) { $0 + $1.count }
        case .file(let url, let range): Self.fileLength(url).map { range?.clamped(to: 0..<$0).count ?? $0 }
        case .stream: nil
        }
    }

    /// A part of the body; nil if this kind has none.
    func slice(_ range: Range<Int>) -> Self? {
        switch self {
        case .data(let data):
            let range = range.clamped(to: 0..<data.count)
            return .data(data.dropFirst(range.lowerBound).prefix(range.count))
        case .pattern(let count, let offset):
            let range = range.clamped(to: 0..<max(0, count))
            return .pattern(count: range.count, offset: offset &+ range.lowerBound)
        case .file(let url, let whole):
            let start = whole?.lowerBound ?? 0
            return .file(url, range: start + range.lowerBound..<start + range.upperBound)
        case .dripped, .chunked, .stream:
            return nil
        }
    }

    private static func fileLength(_ url: URL) -> Int? {
        var status = stat()
        guard stat(url.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }
}
