import Foundation
import Testing

@testable import FerryTesting

struct PatternTests {
    @Test("Every byte follows the formula, also across blocks", arguments: [0, 1, 65535, 65536, 1_048_575, 5_000_000])
    func formula(offset: Int) {
        let data = LoopbackServer.pattern(count: 700, offset: offset)
        #expect(data.count == 700)
        let expected = (offset..<offset + 700).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ ($0 >> 8)) }
        #expect(Array(data) == expected)
    }

    @Test("A long pattern equals its concatenated parts") func parts() {
        let whole = LoopbackServer.pattern(count: 3_000_000)
        #expect(whole.count == 3_000_000)
        #expect(whole.dropFirst(1_500_001) == LoopbackServer.pattern(count: 1_499_999, offset: 1_500_001))
        #expect(LoopbackServer.patternSHA256(count: 3_000_000) == SHA256Hash.hash(whole).hexadecimal)
        #expect(LoopbackServer.patternSHA256(count: 3_000_000) == SHA256Hash.hash(whole).hexadecimal)
    }

    @Test("A negative count is empty") func negative() {
        #expect(LoopbackServer.pattern(count: -1).isEmpty)
        #expect(LoopbackServer.patternSHA256(count: -1) == SHA256Hash().digest.hexadecimal)
    }
}
