import FerryCore
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

    /// The cases of http://test.greenbytes.de/tech/tc2231/ by their names there.
    @Test(
        "The file name in a field that is well-formed, or whose name is refused",
        arguments: [
            ("inlonly", "inline", nil), ("inlonlyquoted", #""inline""#, nil),
            ("inlwithasciifilename", #"inline; filename="foo.html""#, "foo.html"),
            ("inlwithfnattach", #"inline; filename="Not an attachment!""#, "Not an attachment!"),
            ("attonlyucase", "ATTACHMENT", nil),
            ("attwithasciifnescapedchar", #"attachment; filename="f\oo.html""#, "foo.html"),
            (
                "attwithasciifnescapedquote", #"attachment; filename="\"quoting\" tested.html""#,
                #""quoting" tested.html"#
            ),
            ("attwithquotedsemicolon", #"attachment; filename="Here's a semicolon;.html""#, "Here's a semicolon;.html"),
            ("attwithfilenameandextparamescaped", #"attachment; foo="\"\\";filename="foo.html""#, "foo.html"),
            ("attwithfntokensq", "attachment; filename='foo.bar'", "'foo.bar'"),
            ("attwithfnrawpctenca", #"attachment; filename="foo-%41.html""#, "foo-%41.html"),
            ("attwithfnusingpct", #"attachment; filename="50%.html""#, "50%.html"),
            ("attwithfnrawpctencaq", #"attachment; filename="foo-%\41.html""#, "foo-%41.html"),
            ("attwithnamepct", #"attachment; name="foo-%41.html""#, nil),
            ("attwithasciifilenamews1", #"attachment; filename ="foo.html""#, "foo.html"),
            ("attmissingdisposition", "filename=foo.html", nil),
            ("attmissingdisposition2", "x=y; filename=foo.html", nil),
            ("attmissingdisposition3", #""foo; filename=bar;baz"; filename=qux"#, nil),
            ("attmissingdisposition4", "filename=foo.html, filename=bar.html", nil),
            ("emptydisposition", "; filename=foo.html", nil),
            ("doublecolon", ": inline; attachment; filename=foo.html", nil),
            ("attmissingdelim", "attachment; foo=foo filename=bar", nil),
            ("attmissingdelim3", "attachment filename=bar", nil),
            ("attreversed", "filename=foo.html; attachment", nil),
            ("attconfusedparam", "attachment; xfilename=foo.html", nil),
            ("dispextbadfn", #"attachment; example="filename=example.txt""#, nil),
            ("attwithisofn2231iso", "attachment; filename*=iso-8859-1''foo-%E4.html", "foo-ä.html"),
            ("attwithfn2231utf8", "attachment; filename*=UTF-8''foo-%c3%a4-%e2%82%ac.html", "foo-ä-€.html"),
            ("attwithfn2231noc", "attachment; filename*=''foo-%c3%a4-%e2%82%ac.html", nil),
            ("attwithfn2231utf8comp", "attachment; filename*=UTF-8''foo-a%cc%88.html", "foo-a\u{308}.html"),
            ("attwithfn2231utf8-bad", "attachment; filename*=iso-8859-1''foo-%c3%a4-%e2%82%ac.html", nil),
            ("attwithfn2231iso-bad", "attachment; filename*=utf-8''foo-%E4.html", nil),
            ("attwithfn2231ws1", "attachment; filename *=UTF-8''foo-%c3%a4.html", nil),
            ("attwithfn2231ws2", "attachment; filename*= UTF-8''foo-%c3%a4.html", "foo-ä.html"),
            ("attwithfn2231ws3", "attachment; filename* =UTF-8''foo-%c3%a4.html", "foo-ä.html"),
            ("attwithfn2231quot2", #"attachment; filename*="foo%20bar.html""#, nil),
            ("attwithfn2231singleqmissing", "attachment; filename*=UTF-8'foo-%c3%a4.html", nil),
            ("attwithfn2231nbadpct1", "attachment; filename*=UTF-8''foo%", nil),
            ("attwithfn2231nbadpct2", "attachment; filename*=UTF-8''f%oo.html", nil),
            ("attwithfn2231dpct", "attachment; filename*=UTF-8''A-%2541.html", "A-%41.html"),
            ("attfncont", #"attachment; filename*0="foo."; filename*1="html""#, nil),
            ("attfncontenc", #"attachment; filename*0*=UTF-8''foo-%c3%a4; filename*1=".html""#, nil),
            ("attfnboth", #"attachment; filename="foo-ae.html"; filename*=UTF-8''foo-%c3%a4.html"#, "foo-ä.html"),
            ("attfnboth2", #"attachment; filename*=UTF-8''foo-%c3%a4.html; filename="foo-ae.html""#, "foo-ä.html"),
            (
                "attfnboth3",
                "attachment; filename*0*=ISO-8859-15''euro-sign%3d%a4; filename*=ISO-8859-1''currency-sign%3d%a4",
                "currency-sign=¤"
            ),
            (
                "attrfc2047quoted", #"attachment; filename="=?ISO-8859-1?Q?foo-=E4.html?=""#,
                "=?ISO-8859-1?Q?foo-=E4.html?="
            ),
        ] as [(String, String, String?)]
    )
    func suite(_ name: String, _ field: String, _ expected: String?) {
        #expect(ContentDisposition(field)?.fileName.map { Array($0.utf8) } == expected.map { Array($0.utf8) })
    }

    /// Fields that are not well-formed and have no name according to tc2231.
    ///
    /// RFC 6266, section 4.3, leaves the recipient's behavior open; as in browsers, the likely name is used, since the
    /// alternative is the last part of a URL.
    @Test(
        "The likely file name in a field that is not well-formed",
        arguments: [
            // A value that should be quoted ends with a semicolon, since servers send names with anything else.
            ("attwithtokfncommanq", "attachment; filename=foo,bar.html", "foo,bar.html"),
            ("attwithasciifilenamenqws", "attachment; filename=foo bar.html", "foo bar.html"),
            ("attfnbrokentoken", "attachment; filename=foo[1](2).html", "foo[1](2).html"),
            ("attfnbrokentokeniso", "attachment; filename=foo-ä.html", "foo-ä.html"),
            ("attfnbrokentokenutf", "attachment; filename=foo-Ã¤.html", "foo-Ã¤.html"),
            ("attbrokenquotedfn3", #"attachment; filename=foo"bar;baz"qux"#, #"foo"bar"#),
            ("attmissingdelim2", "attachment; filename=bar foo=foo ", "bar foo=foo"),
            (
                "attmultinstances", "attachment; filename=foo.html, attachment; filename=bar.html",
                "foo.html, attachment"
            ),
            // Encoded words belong to mail (RFC 6266, appendix C.1).
            ("attrfc2047token", "attachment; filename==?ISO-8859-1?Q?foo-=E4.html?=", "=?ISO-8859-1?Q?foo-=E4.html?="),
            // Text that is not a parameter is skipped.
            ("attwithasciifilenamenqs", "attachment; filename=foo.html ;", "foo.html"),
            ("attemptyparam", "attachment; ;filename=foo", "foo"),
            ("attandinline", "inline; attachment; filename=foo.html", "foo.html"),
            ("attandinline2", "attachment; inline; filename=foo.html", "foo.html"),
            // A quoted value ends with its quote, or with the field.
            ("attbrokenquotedfn", #"attachment; filename="foo.html".txt"#, "foo.html"),
            ("attbrokenquotedfn2", #"attachment; filename="bar"#, "bar"),
            ("attwith2filenames", #"attachment; filename="foo.html"; filename="bar.html""#, "foo.html"),
            // Outlook on the web quotes extended values.
            ("attwithfn2231quot", #"attachment; filename*="UTF-8''foo-%c3%a4.html""#, "foo-ä.html"),
        ]
    )
    func likelyName(_ name: String, _ field: String, _ expected: String) {
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
