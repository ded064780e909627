import FerrySession
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
            ("a\0b\r\nc\u{7f}.txt", "abc.txt"),
            ("  spaced name.txt  ", "spaced name.txt"),
            ("photo\u{202e}gpj.exe", "photogpj.exe"),
            ("ünï ☃.txt", "ünï ☃.txt"),
        ]
    )
    func sanitized(_ name: String, _ expected: String) {
        #expect(FileName.sanitized(name) == expected)
    }

    @Test("A long name keeps its extension and at most 255 bytes, whole characters only")
    func longNames() {
        let name = FileName.sanitized(String(repeating: "雪", count: 200) + ".tar")
        #expect(name.utf8.count <= 255)
        #expect(name.utf8.count > 250)
        #expect(name.hasSuffix("雪.tar"))
        let long = FileName.sanitized("a." + String(repeating: "b", count: 300))
        #expect(long.utf8.count == 255)
    }

    @Test("A first character that is too long by itself is cut, and the extension does not become the name")
    func longCharacter() {
        // One letter with so many marks that it alone is too long.
        let name = FileName.sanitized("a" + String(repeating: "\u{301}", count: 300) + ".tar")
        #expect(name.utf8.count <= 255 && name.utf8.count > 250)
        #expect(name.unicodeScalars.first == "a")
        #expect(name.hasSuffix(".tar"))
    }

    @Test("The name comes from Content-Disposition, else from the path")
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
