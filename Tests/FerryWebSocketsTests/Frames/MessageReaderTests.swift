import TestSupport
import Testing

@testable import FerryWebSockets

/// In the order of the sections of the Autobahn test suite.
@Suite("Messages are read from frames", .pure)
struct MessageReaderTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var frames: [Data]
        var events: [MessageReader.Event]
        var code: WebSocketTask.CloseCode?

        init(
            _ name: String,
            _ frames: [ServerFrame],
            _ events: [MessageReader.Event] = [],
            fails code: WebSocketTask.CloseCode? = nil
        ) {
            (testDescription, self.frames, self.events, self.code) = (name, frames.map(\.bytes), events, code)
        }

        init(_ name: String, _ frames: [Data], fails code: WebSocketTask.CloseCode) {
            (testDescription, self.frames, events, self.code) = (name, frames, [], code)
        }
    }

    private static func text(_ string: String) -> MessageReader.Event { .message(.string(string)) }
    private static func binary(_ data: Data) -> MessageReader.Event { .message(.data(data)) }
    private static let sizes = [0, 1, 125, 126, 127, 128, 65_535, 65_536]

    static let framing: [Row] =
        sizes.map { size in
            let content = String(repeating: "*", count: size)
            return Row("1.1: a text of \(size) bytes", [ServerFrame(.text, content)], [text(content)])
        }
        + sizes.map { size in
            let content = Data(repeating: 0xFE, count: size)
            return Row("1.2: \(size) binary bytes", [ServerFrame(.binary, content)], [binary(content)])
        }

    static let control: [Row] = [
        Row("2.1: a ping without payload", [ServerFrame(.ping)], [.ping(Data())]),
        Row("2.4: a ping of 125 bytes", [ServerFrame(.ping, Data(count: 125))], [.ping(Data(count: 125))]),
        Row("2.5: a ping of 126 bytes", [ServerFrame(.ping, Data(count: 126))], fails: .protocolError),
        Row("2.7: a pong that was not asked for", [ServerFrame(.pong, "x")], [.pong(Data("x".utf8))]),
        Row("5.1: a fragmented ping", [ServerFrame(.ping, "a", isFinal: false)], fails: .protocolError),
        Row("5.2: a fragmented pong", [ServerFrame(.pong, "a", isFinal: false)], fails: .protocolError),
    ]

    static let reserved: [Row] =
        (1...7).map { bits in
            Row("3: the reserved bits \(bits)", [ServerFrame(.text, "a", reserved: UInt8(bits))], fails: .protocolError)
        }
        + [3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map { opcode in
            var frame = ServerFrame(.text, "a")
            frame.first = 0x80 | UInt8(opcode)
            return Row("4: the unknown type \(opcode)", [frame], fails: .protocolError)
        }

    static let fragments: [Row] = [
        Row(
            "5.3: a text in two fragments",
            [ServerFrame(.text, "one", isFinal: false), ServerFrame(.continuation, "two")],
            [text("onetwo")]
        ),
        Row(
            "5.6: a ping between two fragments",
            [ServerFrame(.text, "one", isFinal: false), ServerFrame(.ping, "p"), ServerFrame(.continuation, "two")],
            [.ping(Data("p".utf8)), text("onetwo")]
        ),
        Row("5.9: a continuation of nothing", [ServerFrame(.continuation, "x")], fails: .protocolError),
        Row("5.11: the beginning of nothing", [ServerFrame(.continuation, "x", isFinal: false)], fails: .protocolError),
        Row(
            "5.12: a continuation after a whole message",
            [ServerFrame(.text, "a"), ServerFrame(.continuation, "x")],
            [text("a")],
            fails: .protocolError
        ),
        Row(
            "5.18: a text within a text",
            [ServerFrame(.text, "one", isFinal: false), ServerFrame(.text, "two")],
            fails: .protocolError
        ),
        Row(
            "6.1: empty fragments",
            [
                ServerFrame(.text, isFinal: false), ServerFrame(.continuation, "x", isFinal: false),
                ServerFrame(.continuation),
            ],
            [text("x")]
        ),
    ]

    static let characters: [Row] = [
        Row(
            "6.2: text of several scripts",
            [ServerFrame(.text, "Hello-µ@ßöäüàá-UTF-8!! κόσμε 🌍")],
            [
                text("Hello-µ@ßöäüàá-UTF-8!! κόσμε 🌍")
            ]
        ),
        Row(
            "6.2: a character in two fragments",
            [ServerFrame(.text, Data([0xCE]), isFinal: false), ServerFrame(.continuation, Data([0xBA]))],
            [text("κ")]
        ),
        Row(
            "6.4: an error in a fragment before the last",
            [ServerFrame(.text, Data([0xCE, 0xBA, 0xF4, 0x90]), isFinal: false)],
            fails: .invalidFramePayloadData
        ),
        Row("6.3: a surrogate", [ServerFrame(.text, Data([0xED, 0xA0, 0x80]))], fails: .invalidFramePayloadData),
        Row("6.3: half of a character", [ServerFrame(.text, Data([0xE2, 0x82]))], fails: .invalidFramePayloadData),
        Row("6.3: a long form", [ServerFrame(.text, Data([0xC0, 0xAF]))], fails: .invalidFramePayloadData),
    ]

    static let closing: [Row] = [
        Row("7.3.1: a close without a code", [ServerFrame(.close)], [.close(nil, Data())]),
        Row("7.3.2: a close of one byte", [ServerFrame(.close, "x")], fails: .protocolError),
        Row(
            "7.3.5: a close with the longest reason",
            [.close(1000, Data(repeating: 0x61, count: 123))],
            [.close(.normalClosure, Data(repeating: 0x61, count: 123))]
        ),
        Row("7.3.6: a longer reason", [.close(1000, Data(repeating: 0x61, count: 124))], fails: .protocolError),
        Row("7.5.1: a reason that is not UTF-8", [.close(1000, Data([0xFF]))], fails: .invalidFramePayloadData),
        Row(
            "7.1.4: a text after the close",
            [.close(1000), ServerFrame(.text, "late")],
            [.close(.normalClosure, Data())]
        ),
    ]

    static let codes: [Row] =
        [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999].map { code in
            Row("7.7: the code \(code)", [.close(code)], [.close(.init(rawValue: Int(code)), Data())])
        }
        + [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535].map { code in
            Row("7.9: the code \(code)", [.close(code)], fails: .protocolError)
        }

    static let sizeLimits: [Row] = [
        Row("9: a frame over the limit", [ServerFrame(.binary, Data(count: 1_048_577))], fails: .messageTooBig),
        Row(
            "9: fragments over the limit",
            [ServerFrame(.binary, Data(count: 1_048_576), isFinal: false), ServerFrame(.continuation, "x")],
            fails: .messageTooBig
        ),
        Row("a length of 2^63", [frame(claiming: 1 << 63)], fails: .protocolError),
        Row("a length of 2^63 - 1", [frame(claiming: 1 << 63 - 1)], fails: .messageTooBig),
        Row("a masked frame", [masked()], fails: .protocolError),
        Row("a length that fits seven bits", [Data([0x81, 0x7E, 0, 125]) + Data(count: 125)], fails: .protocolError),
        Row("a length that fits two bytes", [Data([0x81, 0x7F, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF])], fails: .protocolError),
    ]

    private static func frame(claiming length: UInt64) -> ServerFrame {
        var frame = ServerFrame(.binary)
        frame.claimed = length
        return frame
    }

    private static func masked() -> ServerFrame {
        var frame = ServerFrame(.text, "a")
        frame.isMasked = true
        return frame
    }

    @Test(
        "Frames give the expected events, whatever the size of the pieces in which they come",
        arguments: framing + control + reserved + fragments + characters + closing + codes + sizeLimits
    )
    func rows(_ row: Row) {
        let bytes = row.frames.reduce(Data(), +)
        for pieces in bytes.count > 10_000 ? [1000, .max] : [1, 2, 3, 7, .max] {
            let (events, violation) = MessageReader.events(bytes, pieces: pieces)
            #expect(events == row.events)
            #expect(violation?.code == row.code)
        }
    }

    @Test("Many small frames take linear time", arguments: [FrameType.ping, .text, .binary])
    func linear(type: FrameType) throws {
        let (isLinear, times) = try LinearCase("\(type)") { size in
            var reader = MessageReader(maximumSize: 1_000)
            var bytes = Data((0..<size / 2).flatMap { _ in ServerFrame(type).bytes })
            while try reader.next(&bytes) != nil {}
        }.isLinear(size: 20_000)
        #expect(isLinear, "\(times)")
    }

    @Test("A violation is found at the first wrong byte of a text")
    func earlyViolation() {
        var frame = ServerFrame(.text, Data([0x61, 0xFF]))
        frame.claimed = 1000
        #expect(MessageReader.events(frame.bytes).violation?.code == .invalidFramePayloadData)
    }
}
