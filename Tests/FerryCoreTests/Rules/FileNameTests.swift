import FerryCore
import Foundation
import Testing

@Suite("File names")
struct FileNameTests {
    @Test(
        "A suggested name becomes one safe path component",
        arguments: [
            ("report.pdf", "report.pdf"),
            ("../../etc/passwd", "passwd"),
            ("/etc/passwd", "passwd"),
            (#"C:\Windows\system.ini"#, "system.ini"),
            ("..", "download"),
            (".", "download"),
            ("", "download"),
            ("a/", "download"),
            (".bashrc", "bashrc"),
            ("...hidden", "hidden"),
            (". .x", "x"),
            (".\u{a0}.bashrc", "bashrc"),
            (".\u{3000}..", "download"),
            ("\u{2003}.\u{2003}.x\u{2003}", "x"),
            ("a\0b\r\nc\u{7f}.txt", "abc.txt"),
            ("  spaced name.txt  ", "spaced name.txt"),
            ("photo\u{202e}gpj.exe", "photogpj.exe"),
            ("ünï ☃.txt", "ünï ☃.txt"),
        ]
    )
    func sanitized(_ name: String, _ expected: String) {
        #expect(FileName.sanitized(name) == expected)
    }

    @Test("A long name keeps its extension and at most 255 bytes of whole characters")
    func longNames() {
        let name = FileName.sanitized(String(repeating: "雪", count: 200) + ".tar")
        #expect(name.utf8.count <= 255)
        #expect(name.utf8.count > 250)
        #expect(name.hasSuffix("雪.tar"))
        let long = FileName.sanitized("a." + String(repeating: "b", count: 300))
        #expect(long.utf8.count == 255)
    }

    @Test("A first character that is too long is cut, and the extension does not become the name")
    func longCharacter() {
        // One letter with so many combining marks that it alone is too long.
        let name = FileName.sanitized("a" + String(repeating: "\u{301}", count: 300) + ".tar")
        #expect(name.utf8.count <= 255 && name.utf8.count > 250)
        #expect(name.unicodeScalars.first == "a")
        #expect(name.hasSuffix(".tar"))
    }

    @Test(
        "A shortened name contains only whole characters of any kind",
        arguments: [
            ("\u{1F1E6}\u{1F1E7}", 255 / 8 * 8), ("\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", nil),
            ("e\u{301}", 255),
            ("ab\u{301}", 252 + 1), ("\u{1100}\u{1161}\u{11A8}", 252),
        ] as [(String, Int?)]
    )
    func wholeCharacters(_ character: String, _ size: Int?) {
        let text = String(repeating: character, count: 10_000)
        let name = FileName.sanitized(text)
        if let size { #expect(name.utf8.count == size) }
        #expect(name.utf8.count <= 255 && !name.isEmpty)
        let tar = FileName.sanitized(text + ".tar")
        #expect(tar.hasSuffix(".tar") && tar.utf8.count <= 255)
        let stem = String(tar.dropLast(4))
        // Format characters, such as the joiner, are removed.
        if !character.unicodeScalars.contains("\u{200D}") { #expect(text.hasPrefix(stem)) }
    }

    @Test("The name is taken from Content-Disposition, or else from the path")
    func suggested() throws {
        let url = try #require(URL(string: "http://example.com/files/na%20me.bin?x=1"))
        func name(_ field: String?) -> String {
            FileName.suggested(
                by: HTTPURLResponse(
                    url: url,
                    statusCode: 200,
                    httpVersion: nil,
                    headerFields: field.map { ["Content-Disposition": $0] }
                )
            )
        }
        #expect(name(nil) == "na me.bin")
        #expect(name("attachment; filename=x.zip") == "x.zip")
        #expect(name("attachment; filename=\"../x.zip\"") == "x.zip")
        #expect(name("attachment; filename=\"..\"") == "na me.bin")
        #expect(name("attachment; filename*=UTF-8''..%2F..%2Fevil.sh") == "evil.sh")
        #expect(FileName.suggested(by: nil) == "download")
        let root = try #require(URL(string: "http://example.com/"))
        #expect(
            FileName.suggested(
                by: URLResponse(url: root, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
            ) == "download"
        )
    }
}
