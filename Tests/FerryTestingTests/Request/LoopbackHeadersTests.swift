import FerryTesting
import Testing

struct LoopbackHeadersTests {
    @Test("Names are looked up ignoring case, and fields keep their order") func lookup() {
        var headers: LoopbackHeaders = ["A": "1", "b": "2", "a": "3"]
        #expect(headers["a"] == "1")
        #expect(headers.values(for: "A") == ["1", "3"])
        #expect(headers["c"] == nil)
        headers.add("C", "4")
        #expect(headers.map(\.name) == ["A", "b", "a", "C"])
        headers["A"] = "5"
        #expect(headers.map(\.value) == ["2", "4", "5"])
        headers["B"] = nil
        #expect(headers.count == 2)
    }

    @Test("Only the case of ASCII letters is ignored") func ascii() {
        let headers: LoopbackHeaders = ["[x": "1", "K": "2"]
        #expect(headers["{x"] == nil)
        #expect(headers["\u{212a}"] == nil)
    }
}
