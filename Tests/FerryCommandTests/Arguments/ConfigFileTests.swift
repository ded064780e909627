import Foundation
import TestSupport
import Testing

@testable import FerryCommand

@Suite("Config files")
struct ConfigFileTests {
    @Test("A file has curl's syntax")
    func syntax() throws {
        let text = """
            # a comment
            url = "http://a/1"

              -o file
            --data "a \\"b\\" \\\\ \\t\\n"   # another
            user-agent: mine/1.0
            header "X-A: b # c"\r
            silent
            -sS
            -sXPUT # put
            show-error # a comment
            user-agent #1
            -d #2 # a comment
            data=
            data = ""
            url = :8080/a
            """
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).filter { $0 != "data=" }
        #expect(
            try ConfigFile.tokens(in: lines.joined(separator: "\n"), path: "f") == [
                .option(.url, value: "http://a/1"), .option(.output, value: "file"),
                .option(.data, value: "a \"b\" \\ \t\n"), .option(.userAgent, value: "mine/1.0"),
                .option(.header, value: "X-A: b # c"), .option(.silent, value: nil), .option(.silent, value: nil),
                .option(.showError, value: nil), .option(.silent, value: nil), .option(.request, value: "PUT"),
                .option(.showError, value: nil), .option(.userAgent, value: "#1"), .option(.data, value: "#2"),
                .option(.data, value: ""), .option(.url, value: ":8080/a"),
            ]
        )
    }

    @Test("Lines end at line feeds and carriage returns, and at no other character")
    func lineEnds() throws {
        let value = "a\u{2028}b\u{85}c\u{0B}d\u{0C}e"
        let tokens = try ConfigFile.tokens(in: "data \"\(value)\"\rsilent\r\nsilent\nsilent", path: "f")
        let silent = ArgumentScanner.Token.option(.silent, value: nil)
        #expect(tokens == [.option(.data, value: value), silent, silent, silent])
    }

    @Test(
        "An unknown name of a megabyte is refused at once, and not repeated whole",
        .timeLimit(.minutes(1)),
        arguments: ["", "write-out = %{"]
    )
    func longName(_ start: String) throws {
        let text = start + String(repeating: "x", count: 1_000_000) + (start.isEmpty ? "" : "}")
        let error = #expect(throws: UsageError.self) {
            var options = FetchOptions()
            for case .option(let option, let value) in try ConfigFile.tokens(in: text, path: "f") {
                try options.apply(option, value ?? "")
            }
        }
        let message = try #require(error?.message)
        #expect(message.contains("no ") && message.utf8.count < 300, "\(message)")
    }

    @Test(
        "A character with half a million combining marks is refused at once",
        .timeLimit(.minutes(1)),
        arguments: ["", "-", "--", "data = ", "data = \"", "header = \"A: ", "output = a", "url = http://a/"]
    )
    func longCharacter(_ start: String) throws {
        let text = start + "e" + String(repeating: "\u{301}\u{323}", count: 250_000)
        #expect(throws: UsageError("f, line 2: There is a character with more than 1000 bytes")) {
            try ConfigFile.tokens(in: "silent\n" + text, path: "f")
        }
    }

    @Test(
        "An invalid line is named",
        arguments: [
            ("silent\nouput = x", "f, line 2: There is no option --ouput; did you mean --output?"),
            ("output", "f, line 1: --output needs a value"), ("data=", "f, line 1: --data needs a value"),
            ("silent = x", "f, line 1: 'silent' takes no value"),
            ("output = a b", "f, line 1: a value with blanks needs quotes"),
            ("output = \"a", "f, line 1: the closing quote is missing"),
            ("output = \"a\" b", "f, line 1: a value with blanks needs quotes"),
            ("\n\nconfig = other", "f, line 3: a config file cannot name another one"),
            ("-sK other", "f, line 1: a config file cannot name another one"),
            ("-s other", "f, line 1: '-s' takes no value"),
            ("--user=ada:s3cret x", "f, line 1: --user has a value already"),
            ("-suada:s3cret x", "f, line 1: --user has a value already"),
            ("-K other", "f, line 1: a config file cannot name another one"),
        ]
    )
    func invalid(_ text: String, _ message: String) {
        #expect(throws: UsageError(message)) { try ConfigFile.tokens(in: text, path: "f") }
    }

    @Test("A file that is missing, a folder, or endless is refused")
    func unreadable() throws {
        #expect(throws: UsageError("/nonexistent: cannot be read: No such file or directory")) {
            try ConfigFile.tokens(inFile: "/nonexistent")
        }
        #expect(throws: UsageError.self) { try ConfigFile.tokens(inFile: "/tmp") }
        #expect(throws: UsageError("/dev/zero: it has more than 1048576 bytes")) {
            try ConfigFile.tokens(inFile: "/dev/zero")
        }
    }

    @Test("The options of a file take the place of --config")
    func action() throws {
        let folder = try TemporaryFolder()
        try folder.file("f", "url = http://a/1\nrequest = PUT\nuser = \"ada:s3cret\"\n")
        guard case .fetch(let options) = try Action(parsing: ["-K", folder.path("f"), "http://a/2", "x==y"]) else {
            Issue.record("not a transfer")
            return
        }
        #expect(options.urls.map(\.path) == ["/1", "/2"] && options.effectiveMethod == "PUT")
        #expect(options.credential == .basic(user: "ada", password: "s3cret"))
        #expect(ShellText.arguments(["-K", "f", "http://a"], withURLs: [], of: []) == ["-K", "f", "http://a"])
    }
}
