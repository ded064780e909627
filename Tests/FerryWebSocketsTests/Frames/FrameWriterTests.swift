import TestSupport
import Testing

@testable import FerryWebSockets

@Suite("Frames are written")
struct FrameWriterTests {
    @Test("The masked frame of RFC 6455, section 5.7")
    func example() {
        let frame = FrameWriter.frame(.text, Data("Hello".utf8), mask: 0x37FA_213D)
        #expect(Array(frame) == [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58])
    }

    @Test(
        "The length has the shortest form, and the mask undone gives the payload",
        arguments: [
            (0, 6), (125, 6), (126, 8), (65_535, 8), (65_536, 14), (100_001, 14),
        ]
    )
    func lengths(size: Int, header: Int) {
        let payload = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let frame = FrameWriter.frame(.binary, payload, isCompressed: true, mask: 0x0102_0304)
        #expect(frame.count == header + size)
        #expect(frame[0] == 0xC2)
        var bytes = Array(frame.dropFirst(header))
        bytes.withUnsafeMutableBytes { FrameWriter.apply(0x0102_0304, to: $0) }
        #expect(Data(bytes) == payload)
    }

    @Test("A close frame has at most 123 bytes of reason, and no code that must not be sent")
    func closePayload() {
        let reason = Data(repeating: 0x61, count: 200)
        #expect(FrameWriter.closePayload(.normalClosure, reason).count == 125)
        let text = FrameWriter.closePayload(.normalClosure, Data(String(repeating: "é", count: 62).utf8)).dropFirst(2)
        #expect(String(validating: text, as: UTF8.self) == String(repeating: "é", count: 61))
        #expect(FrameWriter.closePayload(.normalClosure, Data(repeating: 0x80, count: 200)).count == 2)
        #expect(FrameWriter.closePayload(.noStatusReceived, reason).isEmpty)
        #expect(FrameWriter.closePayload(nil, reason).isEmpty)
        #expect(FrameWriter.closePayload(.init(rawValue: -1), reason).isEmpty)
        #expect(FrameWriter.closePayload(.init(rawValue: 70_000), reason).isEmpty)
    }
}
