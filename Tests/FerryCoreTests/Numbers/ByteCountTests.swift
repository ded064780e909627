import FerryCore
import Testing

@Suite struct ByteCountTests {
    @Test("Sums and differences that overflow are detected") func arithmetic() {
        #expect(ByteCount.max.adding(1) == nil)
        #expect(ByteCount(Int64.max - 1)?.adding(1) == .max)
        #expect(ByteCount.zero.subtracting(1) == nil)
        #expect(ByteCount.max.subtracting(.max) == .zero)
        var count = ByteCount.max
        count.add(5)
        #expect(count == .max)
        #expect(ByteCount(Int64(-1)) == nil)
        #expect(ByteCount(clamping: -1) == .zero)
    }

    /// RFC 9110, section 8.6: `Content-Length = 1*DIGIT`.
    @Test(
        "Only digits are a number",
        arguments: [
            ("0", 0), ("007", 7), ("9223372036854775807", Int64.max), ("9223372036854775808", nil), ("", nil),
            ("+1", nil),
            ("-1", nil), (" 1", nil), ("1 ", nil), ("1.0", nil), ("0x1", nil), ("1e3", nil), ("١", nil),
        ] as [(String, Int64?)]
    )
    func digits(_ text: String, _ number: Int64?) {
        #expect(ByteCount(digits: text)?.int64 == number)
    }

    @Test("An unknown count becomes URLSession's value for it") func unknown() {
        #expect(ByteCount?.none.transferSize == NSURLSessionTransferSizeUnknown)
        #expect(ByteCount?.some(5).transferSize == 5)
    }
}
