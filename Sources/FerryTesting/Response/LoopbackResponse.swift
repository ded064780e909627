import Foundation

/// A response of a ``LoopbackServer``, including its timing and faults.
///
/// ```swift
/// LoopbackResponse.text("hello")
/// LoopbackResponse(status: 503, headers: ["Retry-After": "1"])
/// LoopbackResponse.pattern(count: 1_000_000).faulted(.reset(afterBodyBytes: 4096))
/// ```
public struct LoopbackResponse: Sendable {
    /// The status code.
    public var status: Int

    /// The reason phrase; nil for the standard one, empty for none.
    public var reason: String?

    /// The header fields, which are sent unchanged and in this order.
    ///
    /// `Date`, `Content-Length`, `Transfer-Encoding` and `Connection` are added where needed. A `Content-Length` or
    /// `Transfer-Encoding` given here replaces the server's, and the body is then sent unchanged, even if that is
    /// inconsistent.
    public var headers: LoopbackHeaders

    /// The body; it is not sent in response to `HEAD`, nor with 204 and 304.
    public var body: Body

    /// The way in which the end of the body is marked.
    public var framing = Framing.automatic

    /// The number of seconds to wait before anything is sent; 0 by default.
    public var headDelay: TimeInterval = 0

    /// The number of seconds to wait between the head and the body; 0 by default.
    public var bodyDelay: TimeInterval = 0

    /// The greatest number of body bytes to send per second; nil for no limit.
    public var bytesPerSecond: Int?

    /// The interim responses sent before the final one; they are not sent to HTTP/1.0 clients.
    public var interimResponses: [Interim] = []

    /// The fault that occurs while the response is sent; nil for none.
    public var fault: Fault?

    /// A Boolean value that indicates whether to send `Connection: close` and close the connection after the response.
    public var closesConnection = false

    /// A Boolean value that indicates whether to send the `Date` field; true by default.
    public var sendsDate = true

    /// The bytes sent instead of the response head, including its empty line; the connection is closed after the
    /// response.
    ///
    /// Use it for heads that a well-behaved server does not send.
    public var rawHead: Data?

    /// Creates a response.
    public init(status: Int = 200, reason: String? = nil, headers: LoopbackHeaders = [:], body: Body = .data(Data())) {
        self.status = status
        self.reason = reason
        self.headers = headers
        self.body = body
    }
}
