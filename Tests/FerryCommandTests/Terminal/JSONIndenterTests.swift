import Foundation
import Testing

@testable import FerryCommand

@Suite("Indented JSON")
struct JSONIndenterTests {
    private func shown(_ text: String, piece: Int = 3) -> String {
        var indenter = JSONIndenter()
        var result = Data()
        var rest = Data(text.utf8)
        while !rest.isEmpty {
            result += indenter.take(rest.prefix(piece))
            rest = rest.dropFirst(piece)
        }
        return String(decoding: result + indenter.finish(), as: UTF8.self)
    }

    @Test(
        "Members keep their order, and numbers and strings their spelling",
        arguments: [
            (
                #"{"b":1.50,"a":[1,{"c":null},[]],"d":{}}"#,
                """
                {
                  "b": 1.50,
                  "a": [
                    1,
                    {
                      "c": null
                    },
                    []
                  ],
                  "d": {}
                }

                """
            ),
            ("[ 1e3 ,\n\ttrue]", "[\n  1e3,\n  true\n]\n"),
            (#"{"a\"}{":"[,:\\"}"#, "{\n  \"a\\\"}{\": \"[,:\\\\\"\n}\n"),
            ("{ }", "{}\n"), ("\"x\"", "\"x\"\n"), ("3", "3\n"), ("[\"ü\"]", "[\n  \"ü\"\n]\n"),
        ]
    )
    func indents(_ text: String, _ expected: String) {
        #expect(shown(text) == expected)
    }

    @Test("Names and strings are colored if colors are enabled, and nothing else changes")
    func colors() {
        let text = #"{"a":["x",{"b":1}],"c\"":"d:,"}"#
        let shown = String(
            decoding: JSONIndenter.indented(Data(text.utf8), TextStyle(hasColor: true)),
            as: UTF8.self
        )
        #expect(shown.contains("\u{1B}[1;36m\"a\"\u{1B}[0m: [\n    \u{1B}[32m\"x\"\u{1B}[0m,\n"))
        #expect(shown.contains("\u{1B}[1;36m\"b\"\u{1B}[0m: 1\n"))
        #expect(shown.contains("\u{1B}[1;36m\"c\\\"\"\u{1B}[0m: \u{1B}[32m\"d:,\"\u{1B}[0m\n"))
        let plain = shown.replacing(/\u{1B}\[[0-9;]*m/, with: "")
        #expect(plain == String(decoding: JSONIndenter.indented(Data(text.utf8)), as: UTF8.self))
    }

    @Test("Text that is not JSON is unchanged", arguments: ["", "{", "<p>a  b</p>", "[1,]", "{\"a\": 1} x", "a\u{0}b"])
    func leaves(_ text: String) {
        #expect(shown(text) == text)
    }

    @Test("A text that would become many times longer is unchanged")
    func deep() {
        let elements = String(repeating: "1,", count: 100_000) + "1"
        let text = String(repeating: "[", count: 400) + elements + String(repeating: "]", count: 400)
        #expect(shown(text, piece: 65_536) == text)
        #expect(shown("[\(elements)]", piece: 65_536).hasPrefix("[\n  1,\n  1,\n"))
    }

    @Test("A text too long to be buffered is passed through")
    func long() {
        let text = "[" + String(repeating: "1,", count: JSONIndenter.longest / 2) + "1]"
        var indenter = JSONIndenter()
        #expect(indenter.take(Data(text.utf8.prefix(1000))).isEmpty)
        #expect(indenter.take(Data(text.utf8.dropFirst(1000))) == Data(text.utf8))
        #expect(indenter.take(Data("x".utf8)) == Data("x".utf8))
        #expect(indenter.finish().isEmpty)
    }
}
