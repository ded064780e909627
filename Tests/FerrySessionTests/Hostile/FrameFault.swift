import FerrySession
import Testing

/// A fault of an HTTP/2 server instead of a response, or together with it (RFC 9113).
struct FrameFault: CustomTestStringConvertible, Sendable {
    /// The allowed results of the task.
    enum End: Sendable {
        /// An error with one of these codes, and no complete response.
        case failure([URLError.Code] = [.networkConnectionLost, .cannotParseResponse])
        /// The response with this body.
        case body(String)
        /// Either of them.
        case any(body: String)
    }

    let testDescription: String
    let end: End
    /// Whether the fault must not affect other requests on the connection.
    let affectsOnlyStream: Bool
    let send: @Sendable (FrameConnection, UInt32) -> Void

    private init(
        _ name: String,
        _ end: End = .failure(),
        affectsOnlyStream: Bool = true,
        _ send: @escaping @Sendable (FrameConnection, UInt32) -> Void
    ) {
        (testDescription, self.end, self.affectsOnlyStream, self.send) = (name, end, affectsOnlyStream, send)
    }

    /// A response with these fields, and a body of two bytes.
    private init(_ name: String, _ end: End = .failure(), fields: [(String, String)]) {
        self.init(name, end) { connection, stream in
            connection.sendHead(to: stream, fields)
            connection.sendBody(to: stream, "no")
        }
    }

    private static let ok = (":status", "200")

    /// Header fields that make a response malformed (sections 8.2 and 8.3).
    static let heads: [FrameFault] = [
        FrameFault("a name in upper case", fields: [ok, ("Content-Type", "text/plain")]),
        FrameFault("an empty name", fields: [ok, ("", "a")]),
        FrameFault("a name with a space", fields: [ok, ("a b", "c")]),
        FrameFault("a line break in a value", fields: [ok, ("a", "b\r\nset-cookie: c=d")]),
        FrameFault("a NUL in a value", fields: [ok, ("a", "b\u{0}c")]),
        FrameFault("connection", fields: [ok, ("connection", "close")]),
        FrameFault("keep-alive", fields: [ok, ("keep-alive", "timeout=5")]),
        FrameFault("transfer-encoding", fields: [ok, ("transfer-encoding", "chunked")]),
        FrameFault("upgrade", fields: [ok, ("upgrade", "h2c")]),
        FrameFault("no status", fields: [("content-type", "text/plain")]),
        FrameFault("two statuses", fields: [ok, (":status", "404")]),
        FrameFault("a late status", fields: [("content-type", "text/plain"), ok]),
        FrameFault("a status of four digits", fields: [(":status", "2000")]),
        FrameFault("an empty status", fields: [(":status", "")]),
        FrameFault("a request's pseudo-field", fields: [ok, (":path", "/")]),
        FrameFault("an unknown pseudo-field", fields: [ok, (":a", "b")]),
        FrameFault("status 101", fields: [(":status", "101")]),
        FrameFault("a body shorter than its length", fields: [ok, ("content-length", "3")]),
        FrameFault("a body longer than its length", fields: [ok, ("content-length", "1")]),
        FrameFault("two lengths", fields: [ok, ("content-length", "2"), ("content-length", "3")]),
        FrameFault("a negative length", fields: [ok, ("content-length", "-2")]),
        FrameFault("a body of a 204", .any(body: ""), fields: [(":status", "204")]),
        FrameFault("an end of an interim response") { connection, stream in
            connection.sendHead(to: stream, ends: true, [(":status", "103")])
        },
        FrameFault("no body, and a length") { connection, stream in
            connection.sendHead(to: stream, ends: true, [ok, ("content-length", "2")])
        },
    ]

    /// Frames in an order that is not allowed (sections 5.1 and 8.1).
    static let orders: [FrameFault] = [
        FrameFault("a body before the header", .any(body: "ok")) { connection, stream in
            connection.sendBody(to: stream, "no", ends: false)
            connection.respond(to: stream)
        },
        FrameFault("trailers with a status") { connection, stream in
            connection.sendHead(to: stream)
            connection.sendBody(to: stream, "no", ends: false)
            connection.sendHead(to: stream, ends: true)
        },
        FrameFault("trailers without an end") { connection, stream in
            connection.sendHead(to: stream)
            connection.sendBody(to: stream, "no", ends: false)
            connection.sendHead(to: stream, [("a", "b")])
            connection.sendBody(to: stream, "no")
        },
        FrameFault("a push", .any(body: "ok"), affectsOnlyStream: false) { connection, stream in
            let fields = [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "a")]
            let block = fields.flatMap(FrameConnection.field)
            connection.send(.pushPromise, flags: 4, on: stream, FrameConnection.bytes(2) + block)
            connection.respond(to: stream)
        },
    ]

    /// Ends of a stream or a connection before the end of the response.
    static let ends: [FrameFault] = [
        FrameFault("the end of the stream before a response") { $0.reset($1, 0) },
        FrameFault("an internal error") { $0.reset($1, 2) },
        FrameFault("a cancelled stream within the body") { connection, stream in
            connection.sendHead(to: stream)
            connection.sendBody(to: stream, "no", ends: false)
            connection.reset(stream, 8)
        },
        FrameFault("too many requests (ENHANCE_YOUR_CALM)") { $0.reset($1, 11) },
        FrameFault("the end of the connection within the body", affectsOnlyStream: false) { connection, stream in
            connection.sendHead(to: stream)
            connection.sendBody(to: stream, "no", ends: false)
            connection.close()
        },
        brokenBody,
        FrameFault("an error of the connection before a response", .any(body: "ok"), affectsOnlyStream: false) {
            (connection, _) in
            connection.send(.ping, [1])
        },
    ]

    /// An error of the connection within a body of known length.
    static let brokenBody = FrameFault("an error of the connection within the body", affectsOnlyStream: false) {
        begin($0, $1, [ok, ("content-length", "3")])
        $0.send(.ping, [1])
    }

    /// Ends that libcurl does not always notice: of a connection only from 8.1 on, and of a stream in no version.
    static let missingEnds: [FrameFault] = [
        FrameFault("an error of the connection", affectsOnlyStream: false) { connection, _ in
            connection.send(.ping, [1])
        },
        FrameFault("a reset without an error") { connection, stream in connection.reset(stream, 0) },
    ]

    /// Sends a part of a response, which libcurl has most likely delivered before anything else is sent.
    private static func begin(_ connection: FrameConnection, _ stream: UInt32, _ fields: [(String, String)]) {
        connection.sendHead(to: stream, fields)
        connection.sendBody(to: stream, "no", ends: false)
        usleep(100_000)
    }

    /// Much more than a response needs.
    static let floods: [FrameFault] = [
        FrameFault("10,000 interim responses", .any(body: "ok")) { connection, stream in
            let block = [(":status", "103"), ("link", "</a>")].flatMap(FrameConnection.field)
            let frame = FrameConnection.frame(.headers, flags: 4, on: stream, block)
            connection.send(Array(repeatElement(frame, count: 10_000).joined()))
            connection.respond(to: stream)
        },
        FrameFault("20,000 frames without data", .body("ok")) { connection, stream in
            connection.sendHead(to: stream)
            let frame = FrameConnection.frame(.data, on: stream)
            connection.send(Array(repeatElement(frame, count: 20_000).joined()))
            connection.sendBody(to: stream, "ok")
        },
        FrameFault("20,000 settings", .any(body: "ok"), affectsOnlyStream: false) { connection, stream in
            connection.send(Array(repeatElement(FrameConnection.frame(.settings), count: 20_000).joined()))
            connection.respond(to: stream)
        },
        FrameFault("20,000 pings", .any(body: "ok"), affectsOnlyStream: false) { connection, stream in
            let frame = FrameConnection.frame(.ping, Array(repeating: 7, count: 8))
            connection.send(Array(repeatElement(frame, count: 20_000).joined()))
            connection.respond(to: stream)
        },
        FrameFault("20,000 empty continuations", .any(body: "ok"), affectsOnlyStream: false) { connection, stream in
            connection.send(.headers, on: stream, FrameConnection.field(":status", "200"))
            let frame = FrameConnection.frame(.continuation, on: stream)
            connection.send(Array(repeatElement(frame, count: 20_000).joined()))
            connection.send(.continuation, flags: 4, on: stream)
            connection.sendBody(to: stream, "ok")
        },
        FrameFault("a megabyte of fields", .any(body: "ok"), affectsOnlyStream: false) { connection, stream in
            connection.send(.headers, on: stream, FrameConnection.field(":status", "200"))
            for index in 0..<64 {
                let block = FrameConnection.field("x-\(index)", String(repeating: "a", count: 16_000))
                connection.send(.continuation, flags: index == 63 ? 4 : 0, on: stream, block)
            }
            connection.sendBody(to: stream, "ok")
        },
    ]
}
