/// A large resource with ranges, over a link that may break at intervals.
///
/// The body is the pattern of ``LoopbackServer/pattern(count:offset:)``, generated while it is sent. The resource has a
/// strong entity tag, `Last-Modified`, and supports `Range` with `If-Range`: the status is 200, 206, 304, 412 or 416.
///
/// ```swift
/// let content = RangedContent(count: 200_000_000, resetsEvery: 20_000_000)
/// let server = try LoopbackServer(handler: content.handler)
/// // Download server.url, and compare the file's SHA-256 with content.sha256.
/// ```
public struct RangedContent: Sendable {
    /// The number of bytes.
    public var count: Int

    /// The strong entity tag, without quotation marks.
    public var etag: String

    /// The date for `Last-Modified`; nil for none.
    public var lastModified: Date?

    /// The number of body bytes after which the connection of a response is reset; nil for never.
    ///
    /// A response with fewer bytes is complete.
    public var resetInterval: Int?

    /// The greatest number of body bytes to send per second; nil for no limit.
    public var bytesPerSecond: Int?

    /// Creates a resource.
    ///
    /// - Parameters:
    ///   - count: The number of bytes.
    ///   - etag: The entity tag; nil for one that contains the count.
    ///   - resetsEvery: The number of body bytes after which the connection of a response is reset; nil for never.
    public init(count: Int, etag: String? = nil, resetsEvery: Int? = nil) {
        self.count = max(0, count)
        self.etag = etag ?? "pattern-\(max(0, count))"
        lastModified = Date(timeIntervalSince1970: 1_600_000_000)
        resetInterval = resetsEvery
    }

    /// The SHA-256 of the whole body, in hexadecimal.
    public var sha256: String { LoopbackServer.patternSHA256(count: count) }

    /// The handler for a ``LoopbackServer`` or a ``LoopbackRoute``.
    public var handler: LoopbackServer.Handler { { response(to: $0) } }

    /// Returns the response to a request.
    public func response(to request: LoopbackRequest) -> LoopbackResponse {
        guard request.method == "GET" || request.method == "HEAD" else {
            return .status(405, headers: ["Allow": "GET, HEAD"])
        }
        var response = LoopbackResponse.resource(
            .pattern(count: count),
            etag: etag,
            lastModified: lastModified,
            for: request
        )
        response.bytesPerSecond = bytesPerSecond
        if let resetInterval, request.method == "GET", (200..<300).contains(response.statusCode),
            let length = response.body.count, length > max(0, resetInterval)
        {
            response.fault = .reset(afterBodyBytes: resetInterval)
        }
        return response
    }
}
