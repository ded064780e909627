import Foundation
import Testing

@testable import FerryCommand

@Suite("JSON lines")
struct JSONLineTests {
    @Test("Any text survives, on one line and without terminal control characters")
    func texts() throws {
        let text = "\"\\/\n\r\t\u{0}\u{1B}[31m\u{85}\u{2028}\u{202E}ü日😀"
        var line = JSONLine()
        line.add("a\"b", text)
        line.add("none", nil as String?)
        line.add("number", .integer(.max))
        line.add("list", .objects([JSONLine()]))
        line.add("flag", .bool(true))
        #expect(!line.text.unicodeScalars.contains { TextStyle.isControl($0) || $0.value == 0x2028 })
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.text.utf8)) as? [String: Any])
        #expect(object["a\"b"] as? String == text)
        #expect(object["none"] is NSNull)
        #expect((object["number"] as? NSNumber)?.int64Value == .max)
    }

    @Test("Members keep their order")
    func order() {
        var line = JSONLine()
        for name in ["c", "a", "b"] { line.add(name, .null) }
        #expect(line.text == #"{"c":null,"a":null,"b":null}"#)
    }
}
