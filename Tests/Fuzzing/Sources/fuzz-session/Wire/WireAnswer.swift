import FerrySession
import FuzzSupport

/// The bytes that a server sends for one request, and what it does with the connection afterwards.
struct WireAnswer: Sendable {
    enum End: Sendable {
        case keep, close, halfClose, reset
        /// Sends no more, and keeps the connection open.
        case stall
    }

    var text: [UInt8] = []
    var pieceSize = 65_536
    /// The number of bytes to send; nil for all.
    var cut: Int?
    var end = End.keep

    /// Returns the bytes, with `@PATH@` replaced by the request's own path and `@NEXT@` by the next request's.
    func bytes(path: String) -> [UInt8] {
        var bytes = text
        let last = path.last.flatMap(\.wholeNumberValue) ?? 0
        let next = path.dropLast() + "\(last + 1)"
        for (mark, value) in [("@PATH@", path), ("@NEXT@", String(next))] {
            while let range = bytes.firstRange(of: Array(mark.utf8)) { bytes.replaceSubrange(range, with: value.utf8) }
        }
        return bytes
    }
}

extension WireAnswer {
    /// Creates a response from a fuzzer's bytes: every part has one of many forms, valid and invalid.
    init(_ input: inout FuzzInput) {
        var body = Self.body(&input)
        let coding = input.choice(Self.codings)
        if coding == "gzip" || coding == "x-gzip, identity" { body = StoredGzip.encode(body) }
        if coding == "gzip, gzip" { body = StoredGzip.encode(StoredGzip.encode(body)) }
        var fields: [[UInt8]] = []
        if !coding.isEmpty { fields.append(Array("Content-Encoding: \(coding)".utf8)) }
        for _ in 0..<input.number(below: 4) { fields.append(Self.field(&input)) }
        let framed = Self.framed(body, &input)
        fields.insert(contentsOf: framed.fields.map { Array($0.utf8) }, at: input.number(below: fields.count + 1))

        text = Array(input.choice(Self.interim).utf8)
        text += Array(input.choice(Self.statusLines).utf8)
        let lineEnd = input.choice(["\r\n", "\r\n", "\r\n", "\n"])
        text += Array(lineEnd.utf8)
        // Otherwise a folded field could come first.
        if WireKnown.skips("folded-first") { text += Array("Server: fuzz\(lineEnd)".utf8) }
        for field in fields { text += field + Array(lineEnd.utf8) }
        text += Array(lineEnd.utf8) + framed.body
        let extra = WireKnown.skips("second-response") ? [] : input.choice(Self.extras)
        pieceSize = input.choice([65_536, 65_536, 1, 3, 17, 1_000])
        if extra != Self.unaskedResponse {
            text += extra
        } else if text.count < Self.sentAtOnce {
            text += extra
            pieceSize = text.count
        }
        if pieceSize == 1, text.count > 2_000 { pieceSize = 100 }
        if input.number(below: 4) == 0 { cut = input.number(below: text.count + 1) }
        // A body shorter than announced makes the client wait for its timeout, so only a few cases have one.
        let isShort = framed.isShort && input.number(below: 16) > 0
        end =
            isShort
            ? .close
            : input.choice([.keep, .keep, .keep, .close, .close, .halfClose, .reset, input.bool() ? .stall : .keep])
    }

    private static func body(_ input: inout FuzzInput) -> [UInt8] {
        let pattern = input.piece(upTo: 40)
        let count = input.choice([1, 1, 0, 2, 100, 2_000])
        return Array(repeatElement(pattern, count: count).joined())
    }

    private static let codings = [
        "", "", "", "", "gzip", "gzip", "gzip, gzip", "deflate", "br", "zstd", "x", "x-gzip, identity",
    ]

    private static let interim = [
        "", "", "", "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
        String(repeating: "HTTP/1.1 102 Processing\r\nA: b\r\n\r\n", count: 50), "\r\n",
        WireKnown.skips("folded-first") ? "" : "HTTP/1.1 100\r\n c: d\r\n\r\n",
    ]

    private static let statusLines = [
        "HTTP/1.1 200 OK", "HTTP/1.1 200 OK", "HTTP/1.1 200 OK", "HTTP/1.0 200 OK", "HTTP/1.1 206 Partial Content",
        "HTTP/1.1 204 No Content", "HTTP/1.1 304 Not Modified", "HTTP/1.1 302 Found", "HTTP/1.1 307 Temporary Redirect",
        "HTTP/1.1 303 See Other", "HTTP/1.1 401 Unauthorized", "HTTP/1.1 407 Proxy Authentication Required",
        "HTTP/1.1 416 Range Not Satisfiable", "HTTP/1.1 500 Internal Server Error", "HTTP/1.1 503 Service Unavailable",
        "HTTP/1.1 200", "HTTP/2 200", "HTTP/1.1 999 \u{E9}\u{0}", "HTTP/1.1 20 OK", "HTTP/0.9 200 OK", "ICY 200 OK", "",
        "HTTP/1.1 425 Too Early", "HTTP/1.1 417 Expectation Failed", "HTTP/1.1 408 Request Timeout",
    ]

    /// The body of a response without a request, which the next request must not receive.
    static let unasked = Data("This is the body of a response to no request.".utf8)

    /// A response without a request, which is sent in one piece with the response before it.
    ///
    /// If its first byte arrived only after the next request was sent, a client could not tell it from the response.
    private static let unaskedResponse = Array(
        "HTTP/1.1 200 OK\r\nContent-Length: \(unasked.count)\r\n\r\n\(String(decoding: unasked, as: UTF8.self))".utf8
    )
    /// The number of bytes that a client on the same machine certainly receives together.
    private static let sentAtOnce = 16_000

    private static let extras: [[UInt8]] =
        ["", "", "", "", "x", "\r\n", "HTTP/1.1 "].map { Array($0.utf8) }
        + [unaskedResponse, Array("HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n".utf8)]

    /// Returns a field from a table, one from the input, or one that is folded, long or has invalid bytes.
    private static func field(_ input: inout FuzzInput) -> [UInt8] {
        switch input.number(below: 5) {
        case 0: input.choice(names).utf8 + Array(": ".utf8) + input.piece(upTo: 40).filter { $0 != 0x0A }
        case 1: input.piece(upTo: 40).filter { $0 != 0x0A }
        default: Array(input.choice(fields).utf8)
        }
    }

    private static let names = [
        "Location", "Set-Cookie", "Content-Range", "Content-Length", "Transfer-Encoding", "Content-Type", "ETag",
        "Cache-Control", "WWW-Authenticate", "Content-Disposition", "Retry-After", "Connection", "Trailer", "Vary",
    ]

    private static let fields = [
        "Location: @PATH@", "Location: @NEXT@", "Location: http://[", "Location: //x\u{0}y/", "Location: ftp://a/b",
        "Set-Cookie: a=b; Path=/; Max-Age=100", "Set-Cookie: a=; Max-Age=0", "Content-Range: bytes 0-4/5",
        "Content-Range: bytes 5-9/10", "Content-Range: bytes */5", "Content-Type: text/plain; charset=\"x",
        "Content-Disposition: attachment; filename=\"../../x\"", "Accept-Ranges: bytes", "ETag: \"a\"", "ETag: W/\"a\"",
        "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT", "Date: Sun, 06 Nov 2022 08:49:37 GMT", "Vary: Accept, *",
        "Cache-Control: max-age=1000, stale-while-revalidate=1000", "Cache-Control: no-cache", "Connection: close",
        "Connection: keep-alive", "Connection: upgrade, X", "WWW-Authenticate: Basic realm=\"a\"",
        "WWW-Authenticate: Digest realm=\"a\", nonce=\"b\", qop=\"auth\", algorithm=SHA-256",
        "WWW-Authenticate: Digest realm=\"a\", nonce=\"b\", stale=true", "WWW-Authenticate: NTLM, Negotiate",
        "Proxy-Authenticate: Basic realm=\"a\"", "X: \u{0}", "X: \u{E9}", "X: a\r\n folded\r\n\tmore", "No colon",
        ": no name", "X : y", "X: " + String(repeating: "long", count: 2_000), "Trailer: X", "Retry-After: 1",
        "Content-Length: 5", "Transfer-Encoding: chunked", "Keep-Alive: timeout=0, max=0", "Alt-Svc: h2=\":1\"",
        "Strict-Transport-Security: max-age=1000", "Refresh: 0; url=@PATH@", "X: a\rb",
    ]

    private static func framed(
        _ body: [UInt8],
        _ input: inout FuzzInput
    ) -> (fields: [String], body: [UInt8], isShort: Bool) {
        switch input.number(below: 14) {
        case 0, 1, 2: return (["Content-Length: \(body.count)"], body, false)
        case 3: return (["Content-Length: \(body.count + 5)"], body, true)
        case 4: return (["Content-Length: \(max(0, body.count - 3))"], body, false)
        case 5: return (["Transfer-Encoding: chunked"], chunked(body, &input), true)
        case 6: return (["Transfer-Encoding: chunked"], chunked(body, &input), false)
        case 7: return (["Content-Length: \(body.count)", "Transfer-Encoding: chunked"], chunked(body, &input), true)
        case 8: return ([], body, true)
        case 9: return (["Content-Length: \(body.count)", "Content-Length: \(body.count)"], body, false)
        case 10: return (["Content-Length: \(body.count)", "Content-Length: \(body.count + 1)"], body, true)
        case 11: return (["Transfer-Encoding: \(input.choice(transferCodings))"], body, true)
        case 12: return (["Content-Length: \(input.choice(WireKnown.hugeLengths))"], body, true)
        default: return (["Content-Length: \(input.choice(["", "-1", "+5", "5, 5", "0x5", " 5 5"]))"], body, true)
        }
    }

    private static let transferCodings = ["gzip, chunked", "identity", "x", "chunked, chunked"]

    private static func chunked(_ body: [UInt8], _ input: inout FuzzInput) -> [UInt8] {
        var result: [UInt8] = []
        var rest = body[...]
        let size = input.choice([1, 10, 1_000, 100_000])
        let ext = input.choice(["", "", ";a=b", ";a=\"\r\n\"", " ", ";" + String(repeating: "x", count: 20_000)])
        for _ in 0..<1_000 where !rest.isEmpty {
            let chunk = rest.prefix(size)
            rest = rest.dropFirst(size)
            result += Array("\(String(chunk.count, radix: 16))\(ext)\r\n".utf8) + chunk + Array("\r\n".utf8)
        }
        let ends = [
            "0\r\n\r\n", "0\r\n\r\n", "0\r\n\r\n", "0\r\nX-Trailer: 1\r\n\r\n", "0\r\nX: 1\r\n folded\r\nbad\r\n\r\n",
            "0\r\n",
            "", "ffffffffffffffff\r\n", "7fffffffffffffff\r\nx", "-1\r\n", "g\r\n", "00000000000000000000000\r\n\r\n",
            "0\r\n" + String(repeating: "A: b\r\n", count: 2_000) + "\r\n", "0\n\n", "0;x\r\nContent-Length: 5\r\n\r\n",
        ]
        return result + Array(input.choice(ends).utf8)
    }
}

/// Forms of responses that are omitted, so that a known failure does not hide others.
///
/// `FERRY_FUZZ_SKIP` lists them, separated by commas: `folded-first`, `huge-length`, `second-response`.
enum WireKnown {
    private static let skipped = Set(
        (ProcessInfo.processInfo.environment["FERRY_FUZZ_SKIP"] ?? "").split(separator: ",").map(String.init)
    )

    static func skips(_ name: String) -> Bool { skipped.contains(name) }

    static let hugeLengths =
        skips("huge-length")
        ? ["18446744073709551616", "4294967296"]
        : ["9223372036854775807", "9223372036854775808", "18446744073709551616", "4294967296", "9223372036854775806"]
}

/// gzip without compression (RFC 1951, section 3.2.4; RFC 1952).
enum StoredGzip {
    static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
        var rest = bytes[...]
        repeat {
            let block = rest.prefix(65_535)
            rest = rest.dropFirst(block.count)
            let count = UInt16(block.count)
            result += [rest.isEmpty ? 1 : 0, UInt8(count & 0xFF), UInt8(count >> 8)]
            result += [UInt8(~count & 0xFF), UInt8(~count >> 8)] + block
        } while !rest.isEmpty
        for number in [checksum(bytes), UInt32(truncatingIfNeeded: bytes.count)] {
            withUnsafeBytes(of: number.littleEndian) { result += $0 }
        }
        return result
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0 as UInt32) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
        }
    }
}
