import Foundation
import Testing

@testable import FerrySession

@Suite struct ContentDispositionTests {
    /// RFC 6266, sections 4.3 and 5, and RFC 8187, section 3.2.
    @Test(
        "The name a field gives",
        arguments: [
            ("attachment; filename=\"report.pdf\"", "report.pdf"),
            ("Attachment; FileName=report.pdf", "report.pdf"),
            ("attachment; filename=\"a b;c.txt\"", "a b;c.txt"),
            ("attachment; filename=\"a\\\"b.txt\"", "a\"b.txt"),
            ("INLINE; FILENAME= \"an example.html\"", "an example.html"),
            ("attachment; filename*= UTF-8''%e2%82%ac%20rates", "€ rates"),
            ("attachment; filename=\"EURO rates\"; filename*=utf-8''%e2%82%ac%20rates", "€ rates"),
            ("attachment; filename*=utf-8''%e2%82%ac%20rates; filename=\"EURO rates\"", "€ rates"),
            ("attachment; filename*=iso-8859-1'en'%A3%20rates", "£ rates"),
            ("attachment; filename*=utf-8''%ff%fe; filename=plain.txt", "plain.txt"),
            ("attachment; filename*=koi8-r''x; filename=plain.txt", "plain.txt"),
            ("attachment; filename*=utf-8'bad; filename=plain.txt", "plain.txt"),
            ("attachment; filename=first; filename=second", "first"),
        ]
    )
    func names(_ field: (String, String)) {
        #expect(ContentDisposition.filename(field.0) == field.1)
    }

    /// RFC 6266, section 4.3: only the last path segment counts, and names that mean something to the system do not.
    @Test(
        "A name never leads out of its folder",
        arguments: [
            ("attachment; filename=\"../../etc/passwd\"", "passwd"),
            ("attachment; filename=\"/etc/passwd\"", "passwd"),
            ("attachment; filename=\"..\\\\..\\\\boot.ini\"", "boot.ini"),
            ("attachment; filename=\".bashrc\"", "bashrc"),
            ("attachment; filename*=utf-8''..%2f..%2fx", "x"),
            ("attachment; filename*=utf-8''%2e%2e", nil),
            ("attachment; filename=\"..\"", nil),
            ("attachment; filename=\"\"", nil),
            ("attachment; filename=\"/\"", nil),
            ("attachment; filename=\"a\u{0}b\u{1F}.txt\"", "ab.txt"),
            ("attachment; filename*=utf-8''a%00b%0d%0a.txt", "ab.txt"),
            ("attachment", nil),
            ("", nil),
            ("filename=x", nil),
        ]
    )
    func safety(_ field: (String, String?)) {
        #expect(ContentDisposition.filename(field.0) == field.1)
    }

    @Test("A long name is cut to what file systems hold, never to nothing") func long() throws {
        let name = try #require(ContentDisposition.safe(String(repeating: "é", count: 300) + ".txt"))
        #expect(name.utf8.count <= 255 && name.utf8.count > 250)
        // One letter with so many marks that it alone is too long.
        let marked = ContentDisposition.safe("a" + String(repeating: "\u{301}", count: 300))
        #expect(marked != "")
    }

    @Test("Random fields never trap, and what they name is one visible component") func fuzz() {
        var random = SeededGenerator(4)
        for _ in 0..<3000 {
            let field =
                "attachment; filename" + random.text(upTo: 40, from: "*=utf-8''iso-8859-1%2e%2F./\\\"; filename\u{301}")
            guard let name = ContentDisposition.filename(field) else { continue }
            #expect(!name.isEmpty && !name.contains("/") && !name.hasPrefix(".") && name.utf8.count <= 255, "\(field)")
            #expect(name.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }, "\(field)")
        }
    }
}
