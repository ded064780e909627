import FerrySession
import Foundation
import Testing

@Suite("Content-Disposition") struct ContentDispositionTests {
    /// RFC 6266, sections 4.3 and 5, and RFC 8187, section 3.2.
    @Test(
        "The file name in a field",
        arguments: [
            ("attachment; filename=example.html", "example.html"),
            ("Attachment; FileName=report.pdf", "report.pdf"),
            ("INLINE; FILENAME= \"an example.html\"", "an example.html"),
            ("attachment; filename*= UTF-8''%e2%82%ac%20rates", "€ rates"),
            ("attachment; filename=\"EURO rates\"; filename*=utf-8''%e2%82%ac%20rates", "€ rates"),
            ("attachment; filename*=utf-8''%e2%82%ac%20rates; filename=\"EURO rates\"", "€ rates"),
            ("attachment; filename*=iso-8859-1'en'%A3%20rates", "£ rates"),
            ("attachment; filename*=UTF-8''%zz; filename=plain.txt", "plain.txt"),
            ("attachment; filename*=UTF-8''%ff; filename=plain.txt", "plain.txt"),
            ("attachment; filename*=UTF-16''x; filename=plain.txt", "plain.txt"),
            ("attachment; filename*=utf-8'bad; filename=plain.txt", "plain.txt"),
            (#"attachment; filename="a \"quoted\" name.txt""#, #"a "quoted" name.txt"#),
            // RFC 9110, section 5.6.4: a backslash escapes the next character.
            (#"attachment; filename="f\oo.html""#, "foo.html"),
            (#"attachment; filename="\"quoting\" tested.html""#, #""quoting" tested.html"#),
            (#"attachment; filename="a\\b\c\é.txt""#, #"a\bcé.txt"#),
            (#"attachment; filename="a\""#, #"a""#),
            (#"attachment; filename="a\"#, "a"),
            // A Windows path with bare backslashes, and an escaped one.
            (#"attachment; filename="C:\dir\file.txt""#, #"C:\dir\file.txt"#),
            (#"attachment; filename="C:\\dir\\file.txt""#, #"C:\dir\file.txt"#),
            ("attachment; filename=my file.txt; size=3", "my file.txt"),
            ("attachment; filename=\"semi;colon.txt\"", "semi;colon.txt"),
            ("attachment; filename=\"unterminated", "unterminated"),
            ("attachment; filename=first; filename=second", "first"),
            ("attachment; foo=\"bar; filename=no\"; filename=yes", "yes"),
        ]
    )
    func names(_ field: String, _ expected: String) {
        #expect(ContentDisposition(field)?.fileName == expected)
    }

    @Test(
        "Fields without a usable name have none",
        arguments: ["attachment", "inline;", "attachment; filename", "x; ;;=", "filename=x"]
    )
    func noName(_ field: String) {
        #expect(ContentDisposition(field) != nil)
        #expect(ContentDisposition(field)?.fileName == nil)
        #expect(ContentDisposition(field)?.safeFileName() == nil)
    }

    @Test("A field without a type is invalid", arguments: ["", "  ", "; filename=x", "=x"])
    func noType(_ field: String) {
        #expect(ContentDisposition(field) == nil)
    }

    /// RFC 6266, section 4.3: only the last path segment counts, and names with a special meaning are not used.
    @Test(
        "A safe name never leads out of its folder",
        arguments: [
            ("attachment; filename=\"../../etc/passwd\"", "passwd"),
            ("attachment; filename=\"/etc/passwd\"", "passwd"),
            ("attachment; filename=\"..\\\\..\\\\boot.ini\"", "boot.ini"),
            (#"attachment; filename="..\..\boot.ini""#, "boot.ini"),
            (#"attachment; filename="C:\dir\file.txt""#, "file.txt"),
            (#"attachment; filename="\\server\\share\\file.txt""#, "file.txt"),
            (#"attachment; filename="\.\./x\/y.txt""#, "y.txt"),
            ("attachment; filename=\".bashrc\"", "bashrc"),
            ("attachment; filename*=utf-8''..%2f..%2fx", "x"),
            ("attachment; filename*=utf-8''%2e%2e", nil),
            ("attachment; filename*=utf-8''%2e%2e; filename=plain.txt", "plain.txt"),
            ("attachment; filename=\"..\"", nil),
            ("attachment; filename=\"\"", nil),
            ("attachment; filename=\"/\"", nil),
            ("attachment; filename=\"a\u{0}b\u{1F}.txt\"", "ab.txt"),
            ("attachment; filename*=utf-8''a%00b%0d%0a.txt", "ab.txt"),
        ]
    )
    func safety(_ field: String, _ expected: String?) {
        #expect(ContentDisposition(field)?.safeFileName() == expected)
    }

    @Test("Random fields never trap, and their name is one visible component") func fuzz() {
        var random = SeededGenerator(4)
        for _ in 0..<3000 {
            let field =
                "attachment; filename" + random.text(upTo: 40, from: "*=utf-8''iso-8859-1%2e%2F./\\\"; filename\u{301}")
            guard let name = ContentDisposition(field)?.safeFileName() else { continue }
            #expect(!name.isEmpty && !name.contains("/") && !name.hasPrefix(".") && name.utf8.count <= 255, "\(field)")
            #expect(name.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }, "\(field)")
        }
    }
}
