import TestSupport
import Testing

@testable import FerryWebSockets

@Suite("UTF-8 is checked as it comes", .pure)
struct UTF8ValidatorTests {
    private func isValid(_ bytes: [UInt8], pieces: Int) -> Bool {
        var validator = UTF8Validator()
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            let piece = Array(bytes[start..<min(bytes.count, start + pieces)])
            guard piece.withUnsafeBytes({ validator.consume($0) }) else { return false }
        }
        return validator.isComplete
    }

    @Test("The verdict is the standard library's for every sequence of up to three bytes at the borders")
    func borders() {
        let bytes: [UInt8] = [
            0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF,
            0xF0,
            0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
        ]
        for first in bytes {
            for second in bytes {
                for third in bytes {
                    for text in [[first], [first, second], [first, second, third], [first, second, third, 0x80]] {
                        #expect(isValid(text, pieces: 1) == (String(validating: text, as: UTF8.self) != nil))
                    }
                }
            }
        }
    }

    @Test("Pieces of any size give the same verdict for random bytes")
    func random() {
        var random = SeededGenerator(7)
        let parts: [[UInt8]] = [
            Array("plain text of more than eight bytes".utf8), Array("äöü".utf8), Array("漢字".utf8), Array("🌍🌎".utf8),
            [0xED],
            [0xA0], [0x80], [0xF4, 0x90],
        ]
        for _ in 0..<5000 {
            let text = (0..<Int.random(in: 1...6, using: &random)).flatMap { _ in
                parts.randomElement(using: &random) ?? []
            }
            let expected = String(validating: text, as: UTF8.self) != nil
            for pieces in [1, 3, 8, 100] { #expect(isValid(text, pieces: pieces) == expected) }
        }
    }
}
