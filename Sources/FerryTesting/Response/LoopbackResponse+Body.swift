extension LoopbackResponse {
    /// The source of a body's bytes.
    public enum Body: Sendable {
        /// Bytes in memory.
        case data(Data)
        /// Bytes `offset..<offset + count` of the endless pattern of ``LoopbackServer/pattern(count:offset:)``.
        case pattern(count: Int, offset: Int = 0)
        /// Chunks of data with a pause of `interval` seconds between them.
        case dripped([Data], interval: TimeInterval)

        /// Data sent as one chunk each, followed by trailer fields; `chunkExtension` follows each size after a
        /// semicolon.
        ///
        /// For an HTTP/1.0 client, the data is sent without framing and the connection is closed.
        case chunked([Data], trailers: LoopbackHeaders = [:], chunkExtension: String? = nil)
        /// A file, or a part of it; the response for a missing file is 404.
        case file(URL, range: Range<Int>? = nil)
        /// Data written by a closure, which runs on the connection's thread; each write is sent as one chunk.
        case stream(@Sendable (LoopbackBodyStream) -> Void)
    }

    /// The ways to mark the end of a body.
    public enum Framing: Sendable {
        /// `Content-Length` if the length is known, and chunks otherwise.
        case automatic
        /// `Transfer-Encoding: chunked`.
        case chunked
        /// Closing the connection.
        case untilClose
    }

    /// An interim (1xx) response.
    public struct Interim: Sendable {
        /// The status code, such as 103.
        public var statusCode: Int

        /// The header fields.
        public var headers: LoopbackHeaders

        /// The number of seconds to wait before it is sent.
        public var delay: TimeInterval

        /// Creates an interim response.
        public init(statusCode: Int, headers: LoopbackHeaders = [:], delay: TimeInterval = 0) {
            self.statusCode = statusCode
            self.headers = headers
            self.delay = delay
        }
    }
}

extension LoopbackResponse.Body {
    /// The number of bytes; nil if it is not known before sending, or if the file is missing.
    public var count: Int? {
        switch self {
        case .data(let data): data.count
        case .pattern(let count, _): max(0, count)
        case .dripped(let pieces, _), .chunked(let pieces, _, _): pieces.reduce(0) { $0 + $1.count }
        case .file(let url, let range): Self.fileLength(url).map { range?.clamped(to: 0..<$0).count ?? $0 }
        case .stream: nil
        }
    }

    /// Returns a part of the body; nil if this kind of body has no parts.
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
        case .dripped, .chunked, .stream: return nil
        }
    }

    private static func fileLength(_ url: URL) -> Int? {
        var status = stat()
        guard stat(url.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }
}

extension LoopbackResponse {
    /// A failure while a response is sent.
    ///
    /// Positions count body bytes without chunk framing. A position beyond the end of the body means its end, where a
    /// chunked body still lacks its last chunk.
    public enum Fault: Sendable, Equatable {
        /// The connection is closed without a response.
        case closeBeforeHead
        /// The connection is reset without a response.
        case resetBeforeHead
        /// Nothing is sent until the client disconnects or the server stops.
        case stallBeforeHead
        /// These bytes are sent instead of a response, then the connection is closed.
        case garbage(Data)
        /// The connection is reset, once the client's system has received what was sent.
        case reset(afterBodyBytes: Int)
        /// Nothing more is sent until the client disconnects or the server stops.
        case stall(afterBodyBytes: Int)
        /// The connection is closed in order, but before the end of the body.
        case truncate(afterBodyBytes: Int)
        /// Nothing is sent for some seconds, and then the rest of the body.
        case pause(afterBodyBytes: Int, seconds: TimeInterval)
        /// The response is complete, but then the connection is closed without `Connection: close` in the response.
        case closeAfterResponse
    }
}

extension LoopbackResponse.Fault {
    /// The position in the body at which the fault is triggered; `Int.max` is reserved for none.
    var bodyPosition: Int? {
        switch self {
        case .reset(let position), .stall(let position), .truncate(let position), .pause(let position, _):
            min(max(0, position), .max - 1)
        case .closeBeforeHead, .resetBeforeHead, .stallBeforeHead, .garbage, .closeAfterResponse: nil
        }
    }
}
