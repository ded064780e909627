import FerryCore
import Testing

@Suite struct ContentRangeTests {
    /// RFC 9110, section 14.4.
    @Test("The forms of RFC 9110, section 14.4 are parsed") func valid() throws {
        let whole = try #require(ContentRange("bytes 42-1233/1234"))
        #expect(whole.first == 42)
        #expect(whole.last == 1233)
        #expect(whole.complete == 1234)
        let open = try #require(ContentRange("bytes 42-1233/*"))
        #expect(open.complete == nil)
        #expect(ContentRange("BYTES 0-0/1") != nil)
        #expect(ContentRange("bytes 0-9223372036854775806/9223372036854775807")?.last == 9_223_372_036_854_775_806)
        // The offset after the last byte must be representable too.
        #expect(ContentRange("bytes 0-9223372036854775807/*") == nil)
        #expect(ContentRange("bytes 5-9223372036854775806/*")?.length == 9_223_372_036_854_775_802)
    }

    @Test(
        "An invalid range of bytes is refused",
        arguments: [
            "", "bytes", "bytes ", "bytes */1234", "items 0-1/2", "bytes 5-4/10", "bytes 0-10/10", "bytes 0-9/9",
            "bytes -1-2/3", "bytes 0-9", "bytes 0-9/", "bytes 0/9", "bytes a-b/c", "bytes 0-1/2/3", "bytes 0-1-2/3",
            "bytes=0-1/2", "bytes +0-1/2", "bytes 0-+1/2", "bytes 0-1/+2", "bytes 0-9223372036854775808/*",
            "bytes 0-1/99999999999999999999", "bytes 0x0-0x1/2", "bytes ٠-١/٢",
        ]
    )
    func invalid(_ value: String) {
        #expect(ContentRange(value) == nil)
    }

    @Test("Random bytes never trap, and an accepted range is consistent") func fuzz() {
        var random = SeededGenerator(1)
        for _ in 0..<3000 {
            guard let range = ContentRange("bytes " + random.text(upTo: 14, from: "0123456789-/* ")) else { continue }
            #expect(range.first >= 0 && range.first <= range.last)
            #expect(range.complete.map { $0 > range.last } ?? true)
        }
    }
}
