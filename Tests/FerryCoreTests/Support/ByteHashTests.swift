import FerryCore
import Foundation
import Testing

@Suite struct ByteHashTests {
    @Test("The hash does not depend on how the bytes are split") func pieces() {
        let data = Data((0..<1003).map { UInt8(truncatingIfNeeded: $0 * $0 / 7) })
        func hash(_ size: Int) -> UInt64 {
            var hash = ByteHash()
            var rest = data[...]
            while !rest.isEmpty {
                rest.prefix(size).withUnsafeBytes { hash.update($0) }
                rest = rest.dropFirst(size)
            }
            return hash.value
        }
        for size in [1, 3, 7, 8, 9, 64, 100, 2000] { #expect(hash(size) == ByteHash.of(data)) }
        #expect(ByteHash.of(Data(count: 3)) != ByteHash().value)
    }

    @Test("Numbers and bytes are written with all hexadecimal digits") func hexadecimal() {
        #expect(UInt64(0).hexadecimal == "0000000000000000")
        #expect(UInt64.max.hexadecimal == "ffffffffffffffff")
        #expect(UInt8(10).hexadecimal == "0a")
        #expect([UInt8]([0, 1, 0xAB]).hexadecimal == "0001ab")
    }
}
