import Foundation
import Testing

@testable import FerryTesting

struct EncoderTests {
    private let hello = Data("hello".utf8)

    @Test("gzip is a stored block between header, checksum and length") func gzip() {
        let expected =
            "1f8b08000000000000ff" + "010500faff" + "68656c6c6f" + "86a61036" + "05000000"
        #expect(hex(Gzip.encode(hello)) == expected)
    }

    @Test("deflate adds the zlib header and Adler-32, and raw deflate is only the block") func deflate() {
        #expect(hex(Deflate.encode(hello)) == "7801" + "010500faff" + "68656c6c6f" + "062c0215")
        #expect(hex(Deflate.encodeRaw(hello)) == "010500faff" + "68656c6c6f")
        #expect(hex(Deflate.encodeRaw(Data())) == "010000ffff")
    }

    @Test("Long data is encoded as several blocks, the last one marked") func blocks() {
        let data = LoopbackServer.pattern(count: 65536)
        let raw = Deflate.encodeRaw(data)
        #expect(raw.count == 65536 + 10)
        #expect(raw[0] == 0)
        #expect(Array(raw[65540..<65545]) == [1, 1, 0, 0xfe, 0xff])
        #expect(raw.last == data.last)
    }

    @Test("The checksums match published values") func checksums() {
        #expect(Checksum.crc32(Data("123456789".utf8)) == 0xcbf4_3926)
        #expect(Checksum.adler32(Data("Wikipedia".utf8)) == 0x11e6_0398)
    }

    @Test("A PNG picture has its chunks") func png() {
        let picture = PNG.encode(width: 3, height: 2)
        #expect(hex(picture.prefix(24)) == "89504e470d0a1a0a" + "0000000d" + "49484452" + "00000003" + "00000002")
        #expect(hex(picture.suffix(12)) == "00000000" + "49454e44" + "ae426082")
    }

    @Test(
        "MD5 matches published values",
        arguments: [
            ("", "d41d8cd98f00b204e9800998ecf8427e"),
            ("abc", "900150983cd24fb0d6963f7d28e17f72"),
            (
                "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
                "57edf4a22be3c955ac49da2e2107b67a"
            ),
            ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "d174ab98d277d9f5a5611c2c9f419d9f"),
        ]
    ) func md5(text: String, digest: String) {
        #expect(MD5.hexDigest(of: Data(text.utf8)) == digest)
    }

    private func hex(_ data: Data) -> String {
        data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
