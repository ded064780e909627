import Ferry
import Testing

@testable import FerryCommand

@Suite("Numbers and text")
struct TextTests {
    @Test(
        "Sizes have at most three digits",
        arguments: [
            (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (12_345, "12.3 kB"), (99_949, "99.9 kB"), (99_951, "100 kB"),
            (999_499, "999 kB"), (999_500, "1.0 MB"), (1_250_000_000, "1.3 GB"), (5_000_000_000_000, "5.0 TB"),
        ] as [(Int64, String)]
    )
    func sizes(_ count: Int64, _ text: String) {
        #expect(ByteText.text(count) == text)
    }

    @Test(
        "Durations are written like a clock",
        arguments: [
            (0, "0:00"), (6.2, "0:07"), (59, "0:59"), (60, "1:00"), (750, "12:30"), (10_800, "3:00:00"),
            (1e12, "a long time"), (.infinity, "a long time"), (.nan, "a long time"), (-1, "a long time"),
        ] as [(Double, String)]
    )
    func durations(_ seconds: Double, _ text: String) {
        #expect(ByteText.duration(seconds) == text)
    }

    @Test(
        "Words are quoted if a shell would split or change them",
        arguments: [
            ("plain", "plain"), ("http://a/b:c", "http://a/b:c"), ("a b", "'a b'"), ("it's", "'it'\\''s'"), ("", "''"),
            ("$HOME", "'$HOME'"), ("a?b&c", "'a?b&c'"), ("~", "'~'"),
            // With a combining accent, the apostrophe is one `Character`.
            ("x'\u{301};y", "'x'\\''\u{301};y'"),
        ]
    )
    func quotes(_ word: String, _ quoted: String) {
        #expect(ShellText.quoted(word) == quoted)
    }

    @Test("The command for continuing has --continue once")
    func resumption() {
        #expect(ShellText.resumption("ferry", ["-O", "http://a"], continues: false) == "ferry --continue -O http://a")
        #expect(ShellText.resumption("./a b", ["-CO", "http://a"], continues: true) == "'./a b' -CO http://a")
    }

    @Test(
        "The command for continuing replaces secrets, and is unchanged without any",
        arguments: [
            (["-O", "https://ada:s3cret@h/a"], ["-O", "https://<redacted>@h/a"]),
            (["-O", "ada:s3cret@h/a"], ["-O", "<redacted>@h/a"]),
            (["-K", "f", "-O", "ada:s3cret@h:1/a"], ["-K", "f", "-O", "<redacted>@h:1/a"]),
            (["-K", "f", "h", "token=s3cret"], ["-K", "f", "h", "token=<redacted>"]),
            (
                ["-OH", "Authorization: Bearer s3cret", "http://h"],
                ["-O", "-H", "Authorization: <redacted>", "http://h"]
            ),
            (["-HX-Api-Key:s3cret", "-O", "h"], ["-H", "X-Api-Key: <redacted>", "-O", "h"]),
            (["--proxy=http://ada:s3cret@p:1", "-O", "h"], ["-x", "http://<redacted>@p:1", "-O", "h"]),
            (["--mirror=http://ada:s3cret@m/", "-O", "h"], ["--mirror", "http://<redacted>@m/", "-O", "h"]),
            (["--doh-url=https://h/?sig=s3cret", "h"], ["--doh-url", "https://h/?sig=<redacted>", "h"]),
            (["-O", "http://h/?access_token=s3cret&a=b"], ["-O", "http://h/?access_token=<redacted>&a=b"]),
            (["-u", "ada:s3cret", "-O", "h"], ["-u", "<redacted>", "-O", "h"]),
            (["--oauth2-bearer=s3cret", "-O", "h"], ["--oauth2-bearer", "<redacted>", "-O", "h"]),
            (["-d", "password=s3cret&a=b", "h"], ["-d", "password=<redacted>&a=b", "h"]),
            (["-HReferer:http://ada:s3cret@h/", "-O", "h"], ["-H", "Referer: http://<redacted>@h/", "-O", "h"]),
            (["-H", "Referer: http://h/?sig=s3cret", "h"], ["-H", "Referer: http://h/?sig=<redacted>", "h"]),
            (["h", "Referer:http://h/?sig=s3cret"], ["h", "Referer:http://h/?sig=<redacted>"]),
            (["-d", " {\"token\":\"s3cret\"}", "h"], ["-d", " {\"token\":\"<redacted>\"}", "h"]),
            (["--json={\"token\":\"s3cret\"}", "h"], ["--json", "{\"token\":\"<redacted>\"}", "h"]),
            (["-OHAccept: a", "--timeout=5", "http://h/x@y"], ["-OHAccept: a", "--timeout=5", "http://h/x@y"]),
        ]
    )
    func presentable(_ arguments: [String], _ expected: [String]) {
        #expect(ShellText.presentable(arguments) == expected)
    }

    @Test("Text from servers cannot control a terminal")
    func printable() {
        #expect(TextStyle.printable("a\u{1B}[31mb\r\n\u{9B}c\u{202E}d ü") == "a?[31mb??" + "?c?d ü")
    }

    @Test(
        "Color needs a terminal that supports it, and no NO_COLOR",
        arguments: [
            (["TERM": "xterm"], true, true), (["TERM": "xterm"], false, false), (["TERM": "dumb"], true, false),
            ([:], true, false), (["TERM": "xterm", "NO_COLOR": "1"], true, false),
            (["TERM": "xterm", "NO_COLOR": ""], true, true),
        ]
    )
    func colors(_ environment: [String: String], _ isTerminal: Bool, _ hasColor: Bool) {
        #expect(TextStyle.of(environment, isTerminal: isTerminal).hasColor == hasColor)
    }

    @Test("The locale determines whether Unicode is used")
    func unicode() {
        #expect(TextStyle.of(["LANG": "de_DE.UTF-8"], isTerminal: true).isUnicode)
        #expect(!TextStyle.of(["LANG": "de_DE.UTF-8", "LC_ALL": "C"], isTerminal: true).isUnicode)
        #expect(!TextStyle.of([:], isTerminal: true).isUnicode)
    }

    @Test("Finished URLs are removed from the command with their -o, and the rest stays")
    func remainingArguments() {
        let arguments = ["-o", "a", "-sP4", "http://x/1", "--output=b", "http://x/2", "-O", "http://x/3"]
        #expect(
            ShellText.arguments(arguments, withURLs: [1, 2])
                == ["-s", "-P", "4", "-o", "b", "http://x/2", "-O", "http://x/3"]
        )
        #expect(ShellText.arguments(["--timeout=5", "http://x/1"], withURLs: []) == ["--timeout", "5"])
    }

    @Test("Each -o and -O stays with its URL, and one -O is enough for the URLs behind them")
    func remainingNames() {
        let arguments = ["-O", "http://x/0", "-o", "b", "http://x/1", "http://x/2"]
        #expect(ShellText.arguments(arguments, withURLs: [1]) == ["-o", "b", "http://x/1"])
        #expect(ShellText.arguments(arguments, withURLs: [2]) == ["-O", "http://x/2"])
        #expect(ShellText.arguments(arguments, withURLs: [1, 2]) == ["-o", "b", "-O", "http://x/1", "http://x/2"])
        #expect(ShellText.arguments(["-sO", "x/0", "x/1"], withURLs: [1]) == ["-s", "-O", "x/1"])
    }

    @Test("The URLs of a batch keep their names, or else the batch stays")
    func remainingNamesOfBatch() throws {
        let urls = try (0..<3).map { try #require(URL(string: "http://x/\($0)")) }
        func rest(_ option: [String], _ wanted: Set<Int>, _ names: [Int: String]) -> [String] {
            let arguments = option + ["http://x/0", "--batch", "urls"]
            return ShellText.arguments(arguments, withURLs: wanted, of: urls, batchOutputs: names)
        }
        let both = [1: "one", 2: "two"]
        #expect(rest(["-O"], [2], both) == ["-o", "two", "http://x/2"])
        #expect(rest([], [2], both) == ["-o", "two", "http://x/2"])
        #expect(rest(["-O"], [0, 2], both) == ["-O", "http://x/0", "-o", "two", "http://x/2"])
        #expect(rest([], [0, 2], both) == ["http://x/0", "--batch", "urls"])
        #expect(rest(["-O"], [1, 2], [2: "two"]) == ["-O", "http://x/1", "-o", "two", "http://x/2"])
        #expect(rest([], [1, 2], [2: "two"]) == ["--batch", "urls"])
    }

    @Test("A batch is replaced by its unfinished URLs, unless they are many or have credentials")
    func remainingBatch() throws {
        let arguments = ["-O", "http://x/0", "--batch", "urls"]
        func urls(_ count: Int) throws -> [URL] { try (0..<count).map { try #require(URL(string: "http://x/\($0)")) } }
        #expect(ShellText.arguments(arguments, withURLs: [2], of: try urls(3)) == ["-O", "http://x/2"])
        #expect(
            ShellText.arguments(arguments, withURLs: [0, 1], of: try urls(3)) == ["-O", "http://x/0", "http://x/1"]
        )
        #expect(ShellText.arguments(arguments, withURLs: [0], of: try urls(3)) == ["-O", "http://x/0"])
        let many = ShellText.arguments(arguments, withURLs: Set(1...101), of: try urls(102))
        #expect(many == ["-O", "--batch", "urls"])
        let secret = try urls(2) + [#require(URL(string: "http://user:secret@x/2"))]
        #expect(ShellText.arguments(arguments, withURLs: [2], of: secret) == ["-O", "--batch", "urls"])
    }

    @Test(
        "Times have at most three digits",
        arguments: [
            (0, "0.0 ms"), (0.000_31, "0.3 ms"), (0.0099, "9.9 ms"), (0.009_96, "10 ms"), (0.9994, "999 ms"),
            (0.9996, "1.0 s"), (1.254, "1.25 s"), (75, "1:15"), (-1, "0.0 ms"),
        ] as [(Double, String)]
    )
    func elapsed(_ seconds: Double, _ text: String) {
        #expect(ByteText.elapsed(seconds) == text)
    }

    @Test(
        "A long text is shortened in the middle, and wide characters count twice",
        arguments: [
            ("abcdefghij", 10, "abcdefghij"), ("abcdefghijk", 10, "abcdef…ijk"), ("a\nb", 5, "a b"),
            ("日本語日本語", 8, "日本…語"), ("abc", 1, "…"), ("", 3, ""),
        ]
    )
    func shortens(_ text: String, _ columns: Int, _ expected: String) {
        #expect(TextStyle.shortened(text, to: columns) == expected)
    }
}
