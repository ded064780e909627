import Foundation

/// What a ``LoopbackServer`` answers, down to its timing and its faults.
///
/// ```swift
/// LoopbackResponse.text("hello")
/// LoopbackResponse(status: 503, headers: ["Retry-After": "1"])
/// LoopbackResponse.pattern(count: 1_000_000).faulted(.reset(afterBodyBytes: 4096))
/// ```
public struct LoopbackResponse: Sendable {
    /// The status code.
    public var status: Int

    /// The reason phrase; nil for the usual one, empty for none.
    public var reason: String?

    /// The header fields in the order in which they are sent, as they are.
    ///
    /// `Date`, `Content-Length`, `Transfer-Encoding` and `Connection` are added where needed. A `Content-Length` or
    /// `Transfer-Encoding` given here replaces the server's own and the body is sent as it is, right or wrong.
    public var headers: LoopbackHeaders

    /// The body; not sent to `HEAD`, nor with 204 and 304.
    public var body: Body

    /// How the end of the body is marked.
    public var framing = Framing.automatic

    /// Seconds to wait before anything is sent.
    public var headDelay: TimeInterval = 0

    /// Seconds to wait between the head and the body.
    public var bodyDelay: TimeInterval = 0

    /// How many body bytes to send each second at most; nil for no limit.
    public var bytesPerSecond: Int?

    /// The interim responses sent before the final one, not to HTTP/1.0 clients.
    public var interimResponses: [Interim] = []

    /// What goes wrong; nil for nothing.
    public var fault: Fault?

    /// Whether to say `Connection: close` and to close after the response.
    public var closesConnection = false

    /// Whether to send the `Date` field.
    public var sendsDate = true

    /// The bytes sent instead of the status line, the header fields and the empty line; the connection closes after.
    ///
    /// For forms of a head that a well-behaved server does not send.
    public var rawHead: Data?

    /// Creates a response.
    public init(status: Int = 200, reason: String? = nil, headers: LoopbackHeaders = [:], body: Body = .data(Data())) {
        self.status = status
        self.reason = reason
        self.headers = headers
        self.body = body
    }
}
