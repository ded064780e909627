import Foundation
import Testing

@testable import FerryCommand

@Suite("Items after the URL")
struct RequestItemTests {
    static let operands: [(String, OperandKind)] = [
        // Items, by the first separator.
        ("name=Ada", .item(.init(.text, "name", "Ada"))), ("name=", .item(.init(.text, "name", ""))),
        ("name=a=b:c@d", .item(.init(.text, "name", "a=b:c@d"))),
        ("name=http://a/", .item(.init(.text, "name", "http://a/"))),
        ("mail=ada@example.com", .item(.init(.text, "mail", "ada@example.com"))),
        ("a.b=c", .item(.init(.text, "a.b", "c"))), ("age:=36", .item(.init(.json, "age", "36"))),
        ("tags:=[\"a\",\"b=c\"]", .item(.init(.json, "tags", "[\"a\",\"b=c\"]"))),
        ("q==a=b", .item(.init(.query, "q", "a=b"))), ("note=@file", .item(.init(.textFile, "note", "file"))),
        ("data:=@f.json", .item(.init(.jsonFile, "data", "f.json"))),
        ("photo@a.jpg", .item(.init(.file, "photo", "a.jpg"))),
        ("photo@a=b.jpg", .item(.init(.file, "photo", "a=b.jpg"))),
        ("X-Token:abc", .item(.init(.field, "X-Token", "abc"))), ("X-Count:5", .item(.init(.field, "X-Count", "5"))),
        ("Accept:", .item(.init(.field, "Accept", ""))),
        ("Referer:http://a/", .item(.init(.field, "Referer", "http://a/"))),
        ("X.Y:text", .item(.init(.field, "X.Y", "text"))), ("X:8080x", .item(.init(.field, "X", "8080x"))),
        // URLs, also with separators.
        ("http://a/?x=y", .url("http://a/?x=y")), ("https://u:p@a:1/b=c", .url("https://u:p@a:1/b=c")),
        ("example.com", .url("example.com")), ("example.com/a=b", .url("example.com/a=b")),
        ("example.com/?a=b:c", .url("example.com/?a=b:c")), ("example.com?a=b", .url("example.com?a=b")),
        ("example.com:8443", .url("example.com:8443")), ("example.com:8443/a=b", .url("example.com:8443/a=b")),
        ("127.0.0.1:80?x=y", .url("127.0.0.1:80?x=y")), ("localhost:8080/a", .url("localhost:8080/a")),
        ("[::1]:80/a", .url("[::1]:80/a")), (":8080/a=b", .url(":8080/a=b")), (":/a", .url(":/a")), (":", .url(":")),
        ("=x", .url("=x")), ("@x", .url("@x")), ("a/b@c", .url("a/b@c")),
    ]

    @Test("An operand after the URL is an item or a URL by one rule", arguments: operands)
    func kinds(_ text: String, _ kind: OperandKind) {
        let tokens: [ArgumentScanner.Token] = [.operand("http://first/"), .operand(text)]
        #expect(OperandKind.kinds(of: tokens) == [.url("http://first/"), kind])
    }

    @Test("The first operand is never an item, and a method only if another operand follows")
    func first() {
        func kinds(_ operands: String...) -> [OperandKind?] { OperandKind.kinds(of: operands.map { .operand($0) }) }
        for (text, _) in Self.operands { #expect(kinds(text) == [.url(text)]) }
        #expect(kinds("POST", "a", "b=c") == [.method("POST"), .url("a"), .item(.init(.text, "b", "c"))])
        #expect(kinds("PURGE", "GET") == [.method("PURGE"), .url("GET")])
        #expect(kinds("POST") == [.url("POST")] && kinds("X", "a") == [.url("X"), .url("a")])
        #expect(kinds("post", "a") == [.url("post"), .url("a")])
        #expect(kinds("a", "POST") == [.url("a"), .url("POST")])
        #expect(kinds("a=b", "c=d") == [.url("a=b"), .item(.init(.text, "c", "d"))])
        let tokens: [ArgumentScanner.Token] = [
            .option(.url, value: "a"), .option(.silent, value: nil), .operand("b=c"),
        ]
        #expect(OperandKind.kinds(of: tokens) == [.url("a"), nil, .item(.init(.text, "b", "c"))])
    }

    @Test("With a file of URLs, items need no URL before them, and stay behind the URLs that continue a run")
    func lists() {
        for option in [FerryCommand.Option.batch, .config] {
            let tokens: [ArgumentScanner.Token] = [
                .operand("POST"), .operand("a=b"), .operand("c.example:80"), .option(option, value: "f"),
            ]
            #expect(
                OperandKind.kinds(of: tokens) == [
                    .method("POST"), .item(.init(.text, "a", "b")), .url("c.example:80"), nil,
                ]
            )
        }
        let arguments = ["POST", "http://x/0", "a=b", "http://x/1", "c==d"]
        #expect(ShellText.arguments(arguments, withURLs: [1]) == ["POST", "http://x/1", "a=b", "c==d"])
        #expect(ShellText.presentable(["-K", "f", "token=s3cret"]) == ["-K", "f", "token=<redacted>"])
    }

    @Test(
        "Items that cannot be sent are refused",
        arguments: [
            (["-X", "PUT", "POST", "a", "b=c"], "--request and the method POST cannot be combined"),
            (["a", "b=c", "-d", "x"], "Items such as name=value and --data cannot be combined"),
            (["-I", "a", "b=c"], "Items such as name=value and --head cannot be combined"),
            (["-G", "a", "b=c"], "Items such as name=value and --get cannot be combined"),
            (["a", "b:=c"], "The value of b is not JSON; write b=TEXT for a string"),
            (["a", "b:=[1,]"], "The value of b is not JSON; write b=TEXT for a string"),
            (["a", "b:={}", "f@g"], "The item b is JSON and cannot be a part of a form"),
            (["a", "b[c]=d"], "The item b[c] is nested, which only --json can send"),
            (
                ["--form", "http://ada:s3cret@h", "a=b"],
                "--form takes a part such as NAME=VALUE; --as-form sends items as a form"
            ),
            (["--as-form", "a"], "--as-form needs items such as name=value after the URL"),
            (["a", "b c:d"], "'b c' is not a valid header field name"),
        ]
    )
    func refuses(_ arguments: [String], _ message: String) {
        #expect(throws: UsageError(message)) { try Action(parsing: arguments) }
    }

    @Test("Secrets of items are replaced in the command that continues a run")
    func secrets() {
        let shown = ShellText.presentable([
            "POST", "http://u:s3cret@h/", "password=s3cret", "X-Api-Key:s3cret", "token==s3cret", "name=Ada",
            "deep:={\"token\":\"s3cret\"}", "-b", "a=s3cret", "--cert", "f:s3cret",
        ])
        #expect(!shown.joined(separator: " ").contains("s3cret"))
        #expect(shown.contains("name=Ada") && shown.contains("password=<redacted>") && shown.contains("f:<redacted>"))
    }
}
