import Testing

@testable import FerryCommand

@Suite("Form parts")
struct FormFieldTests {
    @Test(
        "A part is parsed like curl parses it",
        arguments: [
            ("a=b", FormField(name: "a", content: .text("b"))),
            ("a=", FormField(name: "a", content: .text(""))),
            ("a=b=c;d&e", FormField(name: "a", content: .text("b=c;d&e"))),
            ("a=@b/c.txt", FormField(name: "a", content: .file("b/c.txt"))),
            ("a=<b", FormField(name: "a", content: .textFile("b"))),
            ("a=@-", FormField(name: "a", content: .file("-"))),
            ("a=b;type=text/html", FormField(name: "a", content: .text("b"), type: "text/html")),
            ("a=@b;TYPE=x/y;filename=c", FormField(name: "a", content: .file("b"), type: "x/y", fileName: "c")),
            ("a=@b;filename=c;type=x/y", FormField(name: "a", content: .file("b"), type: "x/y", fileName: "c")),
            ("a=@b; type=x/y;\t Filename=c", FormField(name: "a", content: .file("b"), type: "x/y", fileName: "c")),
            ("a=@b;c;filename=d", FormField(name: "a", content: .file("b;c"), fileName: "d")),
            (
                #"a=@"b;type=c";filename="d;\"e\\""#,
                FormField(name: "a", content: .file("b;type=c"), fileName: #"d;"e\"#)
            ),
            (#"a="quoted""#, FormField(name: "a", content: .text("quoted"))),
            (#"a="open"#, FormField(name: "a", content: .text("\"open"))),
        ]
    )
    func reads(_ argument: String, _ field: FormField) throws {
        #expect(try FormField(parsing: argument) == field)
    }

    @Test("Many parameters take a time in proportion to their length")
    func manyParameters() throws {
        let parameters = LinearCase("the parameters of a part") { size in
            let field = try FormField(parsing: "a=b" + String(filling: size, with: ";type=a/b"))
            #expect(field == FormField(name: "a", content: .text("b"), type: "a/b"))
        }
        let (isLinear, times) = try parameters.isLinear(size: 40_000)
        #expect(isLinear, "\(times)")
    }
}
