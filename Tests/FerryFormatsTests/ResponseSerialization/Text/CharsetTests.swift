import FerryFormats
import Foundation
import Testing

@Suite("Charsets", .timeLimit(.minutes(5)))
struct CharsetTests {
    @Test(
        "Any two bytes become a string or an error, and a string with lossy conversion",
        arguments: ["euc-jp", "shift_jis", "gb18030", "big5", "euc-kr", "iso-2022-jp", "utf-16", "utf-8", "utf-32"]
    )
    func allPairs(charset: String) throws {
        let lossy = StringResponseSerializer(allowsLossyConversion: true)
        for first in stride(from: 0, through: 255, by: 7) {
            for second in stride(from: 0, through: 255, by: 11) {
                let bytes = Data([UInt8(first), UInt8(second)])
                let sample = SampleResponse(200, "text/plain; charset=\(charset)", bytes: bytes)
                let strict = try sample.serialized(by: .string)
                #expect((strict.value == nil) == (strict.error != nil))
                #expect(try sample.serialized(by: lossy).value != nil)
            }
        }
    }

    @Test("EUC-JP is decoded with all three of its character sets")
    func japaneseEUC() throws {
        let bytes: [UInt8] = [0x41, 0xA4, 0xA2, 0xB4, 0xC1, 0x0A, 0x8E, 0xB1, 0x8F, 0xB0, 0xA1, 0x42]
        let sample = SampleResponse(200, "text/plain; charset=EUC-JP", bytes: Data(bytes))
        #expect(try sample.serialized(by: .string).value == "Aあ漢\nｱ丂B")
        for damaged: [UInt8] in [[0xA4], [0x8E], [0x8F, 0xB0], [0xA4, 0x41], [0x80], [0x8E, 0xE0], [0xFF, 0xFF]] {
            let sample = SampleResponse(200, "text/plain; charset=euc-jp", bytes: Data(damaged))
            #expect(try sample.serialized(by: .string).codes == [.decodingFailed])
        }
    }
}
