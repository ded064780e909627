import Testing

@testable import FerryCommand

@Suite("Scanning arguments")
struct ArgumentScannerTests {
    typealias Token = ArgumentScanner.Token

    struct Example: CustomTestStringConvertible, Sendable {
        var arguments: [String]
        var tokens: [Token]
        var testDescription: String { arguments.joined(separator: " ") }
    }

    @Test(
        "Options, values and operands are recognized as in any Unix program",
        arguments: [
            Example(arguments: [], tokens: []),
            Example(arguments: ["a", "b"], tokens: [.operand("a"), .operand("b")]),
            Example(arguments: ["-s", "a"], tokens: [.option(.silent, value: nil), .operand("a")]),
            Example(arguments: ["a", "-s"], tokens: [.operand("a"), .option(.silent, value: nil)]),
            Example(
                arguments: ["-sOC"],
                tokens: [
                    .option(.silent, value: nil), .option(.remoteName, value: nil),
                    .option(.continueDownload, value: nil),
                ]
            ),
            Example(arguments: ["-ofile"], tokens: [.option(.output, value: "file")]),
            Example(arguments: ["-o", "file"], tokens: [.option(.output, value: "file")]),
            Example(arguments: ["-so-"], tokens: [.option(.silent, value: nil), .option(.output, value: "-")]),
            Example(arguments: ["-so", "-s"], tokens: [.option(.silent, value: nil), .option(.output, value: "-s")]),
            Example(arguments: ["-P4"], tokens: [.option(.parallelMax, value: "4")]),
            Example(arguments: ["--output", "file"], tokens: [.option(.output, value: "file")]),
            Example(arguments: ["--output=file"], tokens: [.option(.output, value: "file")]),
            Example(arguments: ["--data=a=b"], tokens: [.option(.data, value: "a=b")]),
            Example(arguments: ["--data="], tokens: [.option(.data, value: "")]),
            Example(arguments: ["--data", "--silent"], tokens: [.option(.data, value: "--silent")]),
            Example(arguments: ["-", "--", "-s", "--"], tokens: [.operand("-"), .operand("-s"), .operand("--")]),
        ]
    )
    func scans(_ example: Example) throws {
        #expect(try ArgumentScanner.scan(example.arguments) == example.tokens)
    }

    @Test(
        "An unreadable argument is named",
        arguments: [
            (["-Y"], "There is no option -Y"),
            (["-sY"], "There is no option -Y"),
            (["--silence"], "There is no option --silence; did you mean --silent?"),
            (["--outptu=x"], "There is no option --outptu; did you mean --output?"),
            (["--quite-another"], "There is no option --quite-another"),
            (["--silent=yes"], "--silent takes no value"),
            (["-o"], "-o needs a value"),
            (["-so"], "-o needs a value"),
            (["--header"], "--header needs a value"),
        ]
    )
    func names(_ arguments: [String], _ message: String) {
        #expect(throws: UsageError(message)) { try ArgumentScanner.scan(arguments) }
    }

    @Test("A character with thousands of combining marks is refused wherever it is", .timeLimit(.minutes(1)))
    func longCharacters() throws {
        let marks = String(repeating: "\u{301}\u{323}", count: 30_000)
        for arguments in [["-" + marks], ["--" + marks], ["-s" + marks], ["-d", marks], ["--data=" + marks], [marks]] {
            #expect(throws: UsageError("There is a character with more than 1000 bytes")) {
                try ArgumentScanner.scan(["a"] + arguments)
            }
        }
        let few = "e" + String(repeating: "\u{301}", count: 400)
        #expect(try ArgumentScanner.scan(["-d", few]) == [.option(.data, value: few)])
        let error = #expect(throws: UsageError.self) { try ArgumentScanner.scan(["-" + few]) }
        #expect(error?.message.hasPrefix("There is no option -") == true)
        #expect(error?.message.utf8.count ?? .max < 2_000)
    }

    @Test("No two options share a short name")
    func namesAreUnique() {
        let letters = Option.allCases.compactMap(\.short)
        #expect(Set(letters).count == letters.count)
    }
}
