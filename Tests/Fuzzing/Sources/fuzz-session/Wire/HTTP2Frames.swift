import FerrySession
import FuzzSupport

/// HTTP/2 frames, valid and invalid (RFC 9113, section 6).
enum HTTP2Frames {
    private enum Kind {
        static let data: UInt8 = 0
        static let headers: UInt8 = 1
        static let reset: UInt8 = 3
        static let settings: UInt8 = 4
        static let pushPromise: UInt8 = 5
        static let ping: UInt8 = 6
        static let goAway: UInt8 = 7
        static let windowUpdate: UInt8 = 8
        static let continuation: UInt8 = 9
    }

    private static let endStream: UInt8 = 1
    private static let endHeaders: UInt8 = 4
    private static let padded: UInt8 = 8

    /// A placeholder that the peer replaces with the number of the request's stream.
    private static let stream: UInt32 = 0x7FFF_FFFE

    private static func frame(
        _ kind: UInt8,
        _ flags: UInt8 = 0,
        _ stream: UInt32,
        length: Int? = nil,
        _ payload: [UInt8]
    ) -> [UInt8] {
        let length = length ?? payload.count
        let head = [UInt8(length >> 16 & 0xFF), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF), kind, flags]
        return head + number(stream) + payload
    }

    private static func number(_ number: UInt32) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    /// Returns a literal field that is not indexed (RFC 7541, section 6.2.2), or an indexed one if `first` is 0x40.
    private static func literal(_ name: String, _ value: String, first: UInt8 = 0) -> [UInt8] {
        [first] + text(name) + text(value)
    }

    private static func text(_ text: String) -> [UInt8] { integer(text.utf8.count, prefix: 7) + Array(text.utf8) }

    /// Returns an encoded integer (RFC 7541, section 5.1).
    private static func integer(_ value: Int, prefix: Int, first: UInt8 = 0) -> [UInt8] {
        let most = 1 << prefix - 1
        guard value >= most else { return [first | UInt8(value)] }
        var rest = value - most
        var bytes = [first | UInt8(most)]
        while rest >= 128 {
            bytes.append(UInt8(rest & 127 | 128))
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    /// `:status: 200`, from the static table.
    private static let ok: [UInt8] = [0x88]

    /// Returns a server's first frames: its settings, and the acknowledgement of the client's.
    static func start(_ input: inout FuzzInput) -> [UInt8] {
        let acknowledgement = frame(Kind.settings, 1, 0, [])
        switch input.number(below: 8) {
        case 0: return settings(&input) + acknowledgement
        case 1: return []
        case 2: return acknowledgement + acknowledgement
        case 3: return Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)
        default: return frame(Kind.settings, 0, 0, []) + acknowledgement
        }
    }

    /// Returns some frames that respond to a request.
    static func answer(_ input: inout FuzzInput) -> [UInt8] {
        var bytes: [UInt8] = []
        if input.number(below: 4) > 0 { bytes += frame(Kind.headers, endHeaders, stream, headers(&input)) }
        for _ in 0..<input.number(below: 6) { bytes += any(&input) }
        if input.bool() { bytes += frame(Kind.data, endStream, stream, Array("end".utf8)) }
        return bytes
    }

    private static func headers(_ input: inout FuzzInput) -> [UInt8] {
        switch input.number(below: 12) {
        case 0: return input.piece(upTo: 60)
        case 1: return ok + literal("content-length", "3")
        case 2: return ok + literal("content-encoding", "gzip") + literal("content-length", "99999999999999999999")
        case 3: return ok + literal("Upper", "case") + literal("connection", "close")
        case 4: return ok + literal("x", "a\r\nset-cookie: b=c") + literal("y\u{0}", "\u{0}")
        // An entry that fills the table, and many references to it.
        case 5:
            return ok + literal("x", String(repeating: "b", count: 3_900), first: 0x40)
                + Array(repeating: 0xBE, count: input.choice([10, 400, 16_000]))
        // Table sizes, entries that do not exist, and integers without an end.
        case 6: return integer(input.choice([0, 4_096, 1 << 30]), prefix: 5, first: 0x20) + ok
        case 7: return ok + integer(input.choice([0, 62, 1 << 40]), prefix: 7, first: 0x80)
        case 8: return ok + Array(repeating: 0xFF, count: 30)
        case 9: return literal(":status", input.choice(["103", "101", "099", "1000", "", "2 0", "302", "401"])) + ok
        case 10: return ok + literal(":status", "404") + literal(":path", "/") + literal("te", "x")
        default: return ok
        }
    }

    private static func any(_ input: inout FuzzInput) -> [UInt8] {
        let stream = input.choice([stream, stream, stream, stream, 0, 2, 1, 0x7FFF_FFFD, 0xFFFF_FFFF])
        let body = input.piece(upTo: 40)
        switch input.number(below: 18) {
        case 0, 1: return frame(Kind.data, input.choice([0, endStream]), stream, body)
        case 2: return frame(Kind.data, padded, stream, [input.byte()] + body)
        case 3: return frame(Kind.data, 0, stream, Array(repeating: 0x61, count: 16_384))
        case 4: return frame(Kind.headers, endHeaders | endStream, stream, headers(&input))
        case 5: return frame(Kind.headers, 0x20 | endHeaders, stream, number(Self.stream) + [255] + ok)
        case 6:
            let more = frame(Kind.continuation, 0, stream, literal("x", "y"))
            let flood = Array(repeatElement(more, count: input.choice([1, 50, 3_000])).joined())
            return frame(Kind.headers, 0, stream, ok) + flood + frame(Kind.continuation, endHeaders, stream, body)
        case 7: return frame(Kind.reset, 0, stream, number(UInt32(input.number(below: 16))))
        case 8:
            return frame(
                Kind.goAway,
                0,
                0,
                number(input.choice([0, 1, Self.stream])) + number(UInt32(input.byte())) + body
            )
        case 9:
            return Array(
                repeatElement(frame(Kind.ping, 0, 0, Array(repeating: 7, count: 8)), count: input.choice([1, 2_000]))
                    .joined()
            )
        case 10: return Array(repeatElement(settings(&input), count: input.choice([1, 1_000])).joined())
        case 11: return frame(Kind.windowUpdate, 0, stream, number(input.choice([0, 1, 0x7FFF_FFFF, 0xFFFF_FFFF])))
        case 12:
            return frame(
                Kind.pushPromise,
                endHeaders,
                stream,
                number(2) + [0x82, 0x87, 0x84] + literal(":authority", "a")
            )
        case 13: return frame(input.byte(), input.byte(), stream, body)
        case 14: return frame(Kind.data, 0, stream, length: input.choice([1 << 24 - 1, 16_385, 5]), body)
        case 15: return frame(Kind.continuation, endHeaders, stream, body)
        case 16: return frame(Kind.data, endStream, stream, []) + frame(Kind.data, 0, stream, body)
        default: return body
        }
    }

    private static func settings(_ input: inout FuzzInput) -> [UInt8] {
        let identifier = UInt8(input.number(below: 10))
        let value = input.choice([0, 1, 16_384, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF] as [UInt32])
        return frame(Kind.settings, 0, 0, [0, identifier] + number(value))
    }
}
