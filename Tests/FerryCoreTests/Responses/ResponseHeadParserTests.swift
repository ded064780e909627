import FerryCore
import Testing

@Suite struct ResponseHeadParserTests {
    /// Parses lines as passed by libcurl: each with its line end.
    private func parse(
        _ lines: [String],
        ending: String = "\r\n"
    ) -> (heads: [ResponseHead], parser: ResponseHeadParser) {
        var parser = ResponseHeadParser()
        var heads: [ResponseHead] = []
        for line in lines {
            let event = Array((line + ending).utf8).withUnsafeBytes { parser.consume($0) }
            switch event {
            case .none, .interim: break
            case .head(let head): heads.append(head)
            case .refused: return (heads, parser)
            }
        }
        return (heads, parser)
    }

    private func refusal(_ lines: [[UInt8]]) -> ResponseHeadParser.Refusal? {
        var parser = ResponseHeadParser()
        for line in lines {
            if case .refused(let refusal) = line.withUnsafeBytes({ parser.consume($0) }) { return refusal }
        }
        return nil
    }

    private func isMalformed(_ lines: [[UInt8]]) -> Bool {
        if case .malformed = refusal(lines) { true } else { false }
    }

    private func isTooLarge(_ lines: [[UInt8]]) -> Bool {
        if case .tooLarge = refusal(lines) { true } else { false }
    }

    @Test("A head is complete at its empty line, with any line ends", arguments: ["\r\n", "\n"])
    func simple(_ ending: String) {
        let (heads, _) = parse(["HTTP/1.1 200 OK", "X-A:v", "X-B: \t v w \t ", "X-C:", ""], ending: ending)
        #expect(heads.count == 1)
        #expect(
            heads.first?.fields == [
                .init(name: "X-A", value: "v"), .init(name: "X-B", value: "v w"), .init(name: "X-C", value: ""),
            ]
        )
    }

    /// RFC 9112, section 5.2: `obs-fold` is replaced by blanks.
    @Test("A folded line continues the previous value") func folded() {
        let (heads, _) = parse(["HTTP/1.1 200 OK", "X-A: one", "   two", "\tthree  ", "X-B: four", ""])
        #expect(heads.first?.joinedFields == ["X-A": "one two three", "X-B": "four"])
        #expect(parse(["HTTP/1.1 200 OK", "  stray", "X: y", ""]).heads.first?.joinedFields == ["X": "y"])
        #expect(parse(["HTTP/1.1 200 OK", "X-A:", " one", ""]).heads.first?.joinedFields == ["X-A": "one"])
    }

    /// libcurl does not see what follows the first line.
    @Test("A field that frames the body must not be folded", arguments: ["Transfer-Encoding:", "Content-Length: 1"])
    func foldedFraming(_ field: String) {
        #expect(isMalformed(["HTTP/1.1 200 OK", field, " chunked", ""].map { Array("\($0)\r\n".utf8) }))
    }

    /// RFC 9110, section 5.5: neither may be in a value that is passed on.
    @Test("A carriage return or a null byte in a value is a blank") func dangerousBytes() {
        let (heads, parser) = parse(
            ["HTTP/1.1 200 OK", "X-A: one\rX-B: two", "X-C: \r\0v\r", " w\0x", "", "X-T: a\rb"]
        )
        #expect(heads.first?.joinedFields == ["X-A": "one X-B: two", "X-C": "v w x"])
        #expect(parser.trailers == [.init(name: "X-T", value: "a b")])
        #expect(isMalformed([Array("HTTP/1.1 200 OK\r\n".utf8), Array("X\rY: v\r\n".utf8)]))
    }

    /// RFC 9110, section 15.2: any number of interim responses precedes the final one.
    @Test("Interim responses are skipped") func interim() {
        let (heads, _) = parse(
            [
                "HTTP/1.1 100 Continue", "", "HTTP/1.1 103 Early Hints", "Link: </a>", "", "HTTP/1.1 204 No Content",
                "X: y", "",
            ]
        )
        #expect(heads.map(\.status) == [204])
        #expect(heads.first?.joinedFields == ["X": "y"])
    }

    /// RFC 9110, section 6.5.
    @Test("Fields after the body are trailers, not part of the head") func trailers() {
        let (heads, parser) = parse(["HTTP/1.1 200 OK", "X: y", "", "X-Sum: 1", " 2", "X-T: z", ""])
        #expect(heads.count == 1)
        #expect(heads.first?.joinedFields == ["X": "y"])
        #expect(parser.trailers == [.init(name: "X-Sum", value: "1 2"), .init(name: "X-T", value: "z")])
    }

    /// RFC 9110, section 5.5: bytes beyond ASCII are opaque; they once were Latin-1.
    @Test("Values are decoded as UTF-8 if possible, otherwise as Latin-1") func encodings() throws {
        var parser = ResponseHeadParser()
        let lines: [[UInt8]] = [
            Array("HTTP/1.1 200 OK\r\n".utf8), Array("X-U: é本\r\n".utf8), [0x58, 0x3A, 0xE9, 0x0D, 0x0A], [0x0D, 0x0A],
        ]
        var head: ResponseHead?
        for line in lines {
            if case .head(let found) = line.withUnsafeBytes({ parser.consume($0) }) { head = found }
        }
        #expect(head?.joinedFields == ["X-U": "é本", "X": "é"])
        #expect(head?.fields.map(\.isLatin1) == [false, true])
    }

    /// A `Location` consists of bytes: those that are not UTF-8 are kept in the URL.
    @Test("A Location that is not UTF-8 keeps its bytes") func latin1Location() throws {
        var latin = try #require(ResponseHead(statusLine: "HTTP/1.1 302 Found"))
        latin.fields = [.init(name: "LOCATION", value: "/caf\u{E9}%2F", isLatin1: true)]
        #expect(latin.location == "/caf%E9%2F")
        latin.fields = [.init(name: "location", value: "/caf\u{E9}")]
        #expect(latin.location == "/caf\u{E9}")
        latin.fields = []
        #expect(latin.location == nil)
    }

    @Test("A combining mark after a colon or a blank does not hide it") func graphemes() {
        let (heads, _) = parse(["HTTP/1.1 200 OK", "X-A:\u{301}v", "X-B: \u{301}", ""])
        #expect(heads.first?.value("X-A")?.unicodeScalars.first == "\u{301}")
        #expect(heads.first?.fields.count == 2)
    }

    @Test("A head that is not HTTP is malformed") func malformed() {
        let status = Array("HTTP/1.1 200 OK\r\n".utf8)
        #expect(isMalformed([Array("220 mail.test ESMTP\r\n".utf8)]))
        #expect(isMalformed([status, Array("no colon\r\n".utf8)]))
        #expect(isMalformed([status, Array(": nameless\r\n".utf8)]))
        // RFC 9112, section 5.1: no blank before the colon, and the name is a token.
        #expect(isMalformed([status, Array("Content-Length : 2\r\n".utf8)]))
        #expect(isMalformed([status, Array("Foo Bar: 2\r\n".utf8)]))
        #expect(refusal([status, Array("X: y\r\n".utf8), [13, 10]]) == nil)
        let name = refusal([status, Array("Content-Length : 2\r\n".utf8)])
        #expect(
            name == .malformed("The response has a header field named \"Content-Length \", which is not a token")
        )
        // The rest of a line may be the value of a cookie.
        for line in ["Set-Cookie a=s-3", "a=s-3", "Set-Cookie\ts-3"] {
            #expect(!"\(String(describing: refusal([status, Array("\(line)\r\n".utf8)])))".contains("s-3"))
        }
        let upgrade = Array("HTTP/1.1 101 Switching Protocols\r\n".utf8)
        #expect(isMalformed([upgrade, Array("Upgrade: x\r\n".utf8), [13, 10]]))
    }

    @Test("A head beyond the size limit is refused, one within it is not") func size() {
        let status = Array("HTTP/1.1 200 OK\r\n".utf8)
        let line = Array(("X-Long: " + String(repeating: "v", count: 30_710) + "\r\n").utf8)
        #expect(line.count * 10 == ResponseHeadParser.maximumSize)
        #expect(refusal([status] + Array(repeating: line, count: 9)) == nil)
        #expect(isTooLarge([status] + Array(repeating: line, count: 10)))
    }

    @Test("Too many fields are refused, including those of interim responses and trailers") func fields() {
        let status = Array("HTTP/1.1 200 OK\r\n".utf8)
        let interim = Array("HTTP/1.1 103 Early Hints\r\n".utf8)
        let (field, end) = (Array("X: y\r\n".utf8), Array("\r\n".utf8))
        let half = Array(repeating: field, count: ResponseHeadParser.maximumFieldCount / 2)
        #expect(refusal([status] + half + half) == nil)
        #expect(isTooLarge([status] + half + half + [field]))
        #expect(isTooLarge([interim] + half + [end, status] + half + [field]))
        #expect(isTooLarge([status] + half + [end] + half + [field]))
        let folded = Array(" z\r\n".utf8)
        #expect(isTooLarge([status, field] + Array(repeating: folded, count: ResponseHeadParser.maximumFieldCount)))
    }

    @Test("Random bytes never trap") func fuzz() {
        var random = SeededGenerator(3)
        for _ in 0..<1000 {
            var parser = ResponseHeadParser()
            for _ in 0..<12 {
                var line = random.bytes(upTo: 24, from: "HTTP/1.1 200: \t\r\n-Xx")
                if Bool.random(using: &random) { line = Array("HTTP/1.1 200".utf8) + line }
                if Bool.random(using: &random) { line += [13, 10] }
                _ = line.withUnsafeBytes { parser.consume($0) }
            }
        }
    }
}
