/// A response of a ``LoopbackServer``, including its timing and faults.
///
/// ```swift
/// LoopbackResponse.text("hello")
/// LoopbackResponse(statusCode: 503, headers: ["Retry-After": "1"])
/// LoopbackResponse.pattern(count: 1_000_000).faulted(.reset(afterBodyBytes: 4096))
/// ```
public struct LoopbackResponse: Sendable {
    /// The status code.
    public var statusCode: Int

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
    public init(
        statusCode: Int = 200,
        reason: String? = nil,
        headers: LoopbackHeaders = [:],
        body: Body = .data(Data())
    ) {
        self.statusCode = statusCode
        self.reason = reason
        self.headers = headers
        self.body = body
    }
}

extension LoopbackResponse {
    /// Returns the response with a fault.
    public func faulted(_ fault: Fault) -> LoopbackResponse { changed { $0.fault = fault } }

    /// Returns the response with a delay before it, and another one between head and body, both in seconds.
    public func delayed(_ headDelay: TimeInterval = 0, body bodyDelay: TimeInterval = 0) -> LoopbackResponse {
        changed {
            $0.headDelay = headDelay
            $0.bodyDelay = bodyDelay
        }
    }

    /// Returns the response with its body sent at a limited speed.
    public func throttled(bytesPerSecond: Int) -> LoopbackResponse {
        changed { $0.bytesPerSecond = bytesPerSecond }
    }

    /// Returns the response with an additional header field line.
    public func adding(_ name: String, _ value: String) -> LoopbackResponse {
        changed { $0.headers.add(name, value) }
    }

    /// Returns the response preceded by an interim one, such as 103 with a `Link`.
    public func preceded(by interim: Interim) -> LoopbackResponse {
        changed { $0.interimResponses.append(interim) }
    }

    /// Returns the response with another way of marking the end of its body.
    public func framed(_ framing: Framing) -> LoopbackResponse { changed { $0.framing = framing } }

    /// Returns the response with `Connection: close`.
    public func closing() -> LoopbackResponse { changed { $0.closesConnection = true } }

    /// Returns the response without a `Date` field.
    public func withoutDate() -> LoopbackResponse { changed { $0.sendsDate = false } }

    private func changed(_ change: (inout LoopbackResponse) -> Void) -> LoopbackResponse {
        var copy = self
        change(&copy)
        return copy
    }
}

extension LoopbackResponse {
    /// Returns a response with a status and no body.
    public static func status(_ statusCode: Int, headers: LoopbackHeaders = [:]) -> LoopbackResponse {
        LoopbackResponse(statusCode: statusCode, headers: headers)
    }

    /// Returns UTF-8 text as `text/plain`.
    public static func text(_ text: String, statusCode: Int = 200) -> LoopbackResponse {
        .data(Data(text.utf8), contentType: "text/plain; charset=utf-8", statusCode: statusCode)
    }

    /// Returns bytes with a content type; nil for none.
    public static func data(_ data: Data, contentType: String? = nil, statusCode: Int = 200) -> LoopbackResponse {
        LoopbackResponse(
            statusCode: statusCode,
            headers: contentType.map { ["Content-Type": $0] } ?? [:],
            body: .data(data)
        )
    }

    /// Returns JSON text as `application/json`.
    public static func json(_ text: String, statusCode: Int = 200) -> LoopbackResponse {
        .data(Data(text.utf8), contentType: "application/json", statusCode: statusCode)
    }

    /// Returns a value as `application/json` with sorted keys; the status is 500 if it cannot be encoded.
    public static func json(encoding value: some Encodable, statusCode: Int = 200) -> LoopbackResponse {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return .data(try encoder.encode(value), contentType: "application/json", statusCode: statusCode)
        } catch {
            return .text("Not encodable: \(error)", statusCode: 500)
        }
    }

    /// Returns the first `count` bytes of the pattern as `application/octet-stream`, generated while they are sent.
    public static func pattern(count: Int) -> LoopbackResponse {
        LoopbackResponse(
            headers: ["Content-Type": "application/octet-stream"],
            body: .pattern(count: max(0, count))
        )
    }

    /// Returns a file as `application/octet-stream`, read while it is sent.
    public static func file(_ url: URL) -> LoopbackResponse {
        LoopbackResponse(headers: ["Content-Type": "application/octet-stream"], body: .file(url))
    }

    /// Returns a redirect; `location` may be relative.
    public static func redirect(to location: String, statusCode: Int = 302) -> LoopbackResponse {
        LoopbackResponse(statusCode: statusCode, headers: ["Location": location])
    }

    /// Returns a response whose body `write` sends, one chunk per call.
    public static func stream(
        contentType: String = "application/octet-stream",
        _ write: @escaping @Sendable (LoopbackBodyStream) -> Void
    ) -> LoopbackResponse {
        LoopbackResponse(headers: ["Content-Type": contentType], body: .stream(write))
    }

    /// A connection that is closed without a response.
    public static let empty = LoopbackResponse().faulted(.closeBeforeHead)
}
