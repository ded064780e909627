import Ferry
import Testing

@Suite("Content-Disposition")
struct ContentDispositionTests {
    @Test(
        "The file name is found as RFC 6266 and RFC 8187 say",
        arguments: [
            ("attachment; filename=example.html", "example.html"),
            ("INLINE; FILENAME= \"an example.html\"", "an example.html"),
            ("attachment; filename*= UTF-8''%e2%82%ac%20rates", "€ rates"),
            ("attachment; filename=\"EURO rates\"; filename*=utf-8''%e2%82%ac%20rates", "€ rates"),
            ("attachment; filename*=iso-8859-1'en'%A3%20rates", "£ rates"),
            ("attachment; filename*=UTF-8''%zz; filename=plain.txt", "plain.txt"),
            ("attachment; filename*=UTF-8''%ff; filename=plain.txt", "plain.txt"),
            ("attachment; filename*=UTF-16''x; filename=plain.txt", "plain.txt"),
            (#"attachment; filename="a \"quoted\" name.txt""#, #"a "quoted" name.txt"#),
            (#"attachment; filename="C:\dir\file.txt""#, #"C:\dir\file.txt"#),
            ("attachment; filename=my file.txt; size=3", "my file.txt"),
            ("attachment; filename=\"semi;colon.txt\"", "semi;colon.txt"),
            ("attachment; filename=\"unterminated", "unterminated"),
            ("attachment; filename=first; filename=second", "first"),
            ("attachment; foo=\"bar; filename=no\"; filename=yes", "yes"),
        ]
    )
    func fileName(_ field: String, _ expected: String) {
        #expect(ContentDisposition(field)?.fileName == expected)
    }

    @Test(
        "Fields without a usable name have none",
        arguments: ["attachment", "inline;", "attachment; filename", "x; ;;="]
    )
    func noFileName(_ field: String) {
        #expect(ContentDisposition(field) != nil)
        #expect(ContentDisposition(field)?.fileName == nil)
    }

    @Test("A field without a type is none", arguments: ["", "  ", "; filename=x", "=x"])
    func noType(_ field: String) {
        #expect(ContentDisposition(field) == nil)
    }
}
