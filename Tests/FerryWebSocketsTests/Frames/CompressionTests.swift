import TestSupport
import Testing

@testable import FerryWebSockets

@Suite("Messages are compressed (RFC 7692)", .pure)
struct CompressionTests {
    @Test(
        "The server's parameters are read",
        arguments: [
            (nil, nil), ("", nil),
            ("permessage-deflate", CompressionParameters()),
            ("Permessage-Deflate ; server_no_context_takeover", CompressionParameters(serverForgets: true)),
            ("permessage-deflate; client_no_context_takeover", CompressionParameters(clientForgets: true)),
            (
                "permessage-deflate; server_max_window_bits=8; client_max_window_bits=\"9\"",
                CompressionParameters(serverWindow: 8, clientWindow: 9)
            ),
        ] as [(String?, CompressionParameters?)]
    )
    func parameters(value: String?, expected: CompressionParameters?) throws {
        #expect(try CompressionParameters.read(value, isOffered: true) == expected)
    }

    @Test(
        "Other parameters are refused",
        arguments: [
            "permessage-bzip2", "permessage-deflate, permessage-deflate", "permessage-deflate; x",
            "permessage-deflate; server_max_window_bits", "permessage-deflate; server_max_window_bits=7",
            "permessage-deflate; server_max_window_bits=16", "permessage-deflate; server_max_window_bits=08",
            "permessage-deflate; server_no_context_takeover=1", "permessage-deflate;", ";",
            "permessage-deflate; client_max_window_bits=9; client_max_window_bits=9",
        ]
    )
    func refusedParameters(value: String) {
        #expect(throws: ProtocolViolation.self) { try CompressionParameters.read(value, isOffered: true) }
    }

    @Test("No extension is accepted that was not offered")
    func notOffered() {
        #expect(throws: ProtocolViolation.self) {
            try CompressionParameters.read("permessage-deflate", isOffered: false)
        }
    }

    @Test("Messages survive both directions, with and without what came before", arguments: 9...15, [false, true])
    func roundTrip(window: Int, forgets: Bool) throws {
        let parameters = CompressionParameters(
            serverWindow: window,
            clientWindow: window,
            serverForgets: forgets,
            clientForgets: forgets
        )
        var deflater = MessageDeflater(parameters)
        var reader = MessageReader(maximumSize: 1_000_000, compression: parameters)
        var random = SeededGenerator(UInt64(window))
        for size in [1, 3, 100, 1000, 70_000, 300_000, 5] {
            let message = Data((0..<size).map { _ in UInt8.random(in: 0...20, using: &random) })
            let compressed = deflater.deflate(message)
            var bytes = ServerFrame(.binary, try #require(compressed), reserved: 4).bytes
            #expect(try reader.next(&bytes) == .message(.data(message)))
            #expect(bytes.isEmpty)
        }
    }

    @Test("The second of two equal messages is short if the first is remembered")
    func contextTakeover() {
        let message = Data((0..<2000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) })
        for forgets in [false, true] {
            var deflater = MessageDeflater(CompressionParameters(clientForgets: forgets))
            let sizes = (0..<2).map { _ in deflater.deflate(message)?.count ?? 0 }
            #expect(sizes[0] > 0)
            #expect(forgets ? sizes[0] == sizes[1] : sizes[1] < sizes[0] / 4)
        }
    }

    @Test(
        "The messages of RFC 7692, section 7.2.3",
        arguments: [
            [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00],
            [0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00],
            [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00],
            [0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00],
        ] as [[UInt8]]
    )
    func examples(payload: [UInt8]) {
        let bytes = ServerFrame(.text, Data(payload), reserved: 4).bytes
        let (events, violation) = MessageReader.events(bytes, compression: CompressionParameters())
        #expect(events == [.message(.string("Hello"))])
        #expect(violation == nil)
    }

    @Test("A message refers to the one before, also after a last block (RFC 7692, sections 7.2.3.2 and 7.2.3.4)")
    func window() {
        let payloads: [[UInt8]] = [
            [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00], [0xF2, 0x00, 0x11, 0x00, 0x00],
        ]
        let bytes = payloads.map { ServerFrame(.text, Data($0), reserved: 4).bytes }.reduce(Data(), +)
        let (events, violation) = MessageReader.events(bytes, compression: CompressionParameters())
        #expect(events == [.message(.string("Hello")), .message(.string("Hello"))])
        #expect(violation == nil)
    }

    @Test("Only the first frame of a message may be marked as compressed")
    func marks() {
        let compression = CompressionParameters()
        let frames = [ServerFrame(.text, isFinal: false, reserved: 4), ServerFrame(.continuation, reserved: 4)]
        for frames in [frames, [ServerFrame(.ping, reserved: 4)]] {
            let bytes = frames.map(\.bytes).reduce(Data(), +)
            #expect(MessageReader.events(bytes, compression: compression).violation?.code == .protocolError)
        }
    }

    @Test("A message that inflates to more than the limit is refused before it takes memory")
    func bomb() throws {
        var deflater = MessageDeflater(CompressionParameters())
        let bomb = deflater.deflate(Data(count: 50_000_000))
        let bytes = ServerFrame(.binary, try #require(bomb), reserved: 4).bytes
        let (events, violation) = MessageReader.events(bytes, pieces: 1000, compression: CompressionParameters())
        #expect(events.isEmpty)
        #expect(violation?.code == .messageTooBig)
        #expect(violation?.message == "A message has more than 1048576 bytes")
    }

    @Test("Damaged messages are refused")
    func damaged() throws {
        var deflater = MessageDeflater(CompressionParameters())
        let deflated = deflater.deflate(Data("a message of some length, a message".utf8))
        let message = try #require(deflated)
        var random = SeededGenerator(3)
        for _ in 0..<20_000 {
            var bytes = Array(message)
            bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0...7, using: &random)
            let frame = ServerFrame(.binary, Data(bytes), reserved: 4).bytes
            let (events, violation) = MessageReader.events(
                frame,
                maximumSize: 10_000,
                compression: CompressionParameters()
            )
            #expect(events.isEmpty == (violation != nil))
        }
    }
}
