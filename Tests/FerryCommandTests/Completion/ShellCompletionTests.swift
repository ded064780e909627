import Foundation
import TestSupport
import Testing

@testable import FerryCommand

/// The completions of zsh and fish, as the shells themselves show them.
@Suite("Completions of zsh and fish", .timeLimit(.minutes(5)))
struct ShellCompletionTests {
    private static let all = FerryCommand.Option.allCases
    private static let names = Set(all.flatMap(\.names))
    private static let longNames = Set(all.map { "--\($0.rawValue)" })

    /// Lines, and the completions of both shells in a folder with a file `match` and a folder `inner`.
    private static let lines: KeyValuePairs<String, Set<String>> = [
        "ferry -": names, "ferry --": longNames, "ferry -s --": longNames.subtracting(["--silent"]),
        "ferry --data-u": ["--data-urlencode"], "ferry -o a --outp": ["--output", "--output-dir"],
        "ferry -X PA": ["PATCH"], "ferry -sX PA": ["PATCH"], "ferry --request=PA": ["--request=PATCH"],
        "ferry PA": ["PATCH"], "ferry -v PA": ["PATCH"], "ferry :80 PA": [],
        "ferry --completion f": ["fish"], "ferry --completion=z": ["--completion=zsh"],
        "ferry -o ma": ["match"], "ferry -so ma": ["match"], "ferry --output ma": ["match"],
        "ferry --output=ma": ["--output=match"], "ferry -b ma": ["match"], "ferry -E ma": ["match"],
        "ferry --unix-socket ma": ["match"], "ferry --timeline ma": ["match"],
        "ferry --output-dir ": ["inner"], "ferry --output-dir=": ["--output-dir=inner"],
        "ferry -d @ma": ["@match"], "ferry --data=@ma": ["--data=@match"], "ferry --json @ma": ["@match"],
        "ferry -w @ma": ["@match"], "ferry --data-urlencode n@ma": ["n@match"], "ferry -F f=@ma": ["f=@match"],
        "ferry :80 f@ma": ["f@match"], "ferry :80 f=@ma": ["f=@match"],
        "ferry -d ma": [], "ferry --data-raw @ma": [], "ferry -u ma": [], "ferry -H @ma": [], "ferry -m ma": [],
        "ferry :80 ma": [], "ferry -- -": [],
    ]

    private func offers(_ shell: Completion, _ lines: [String]) async throws -> [String: CompletingShell.Offer] {
        let folder = try TemporaryFolder()
        try folder.file("match", "")
        try folder.file("it's $(id) [1]", "")
        try FileManager.default.createDirectory(at: folder.file("inner"), withIntermediateDirectories: true)
        return try await CompletingShell(shell: shell).offers(lines, in: folder)
    }

    private static let zsh: Comment = "zsh is not installed"
    private static let fish: Comment = "fish is not installed"

    @Test("zsh offers names, words and files where they belong", .enabled(if: CompletingShell.isInstalled(.zsh), zsh))
    func zshOffers() async throws {
        let offers = try await offers(.zsh, Self.lines.map(\.key))
        for (line, words) in Self.lines {
            #expect(offers[line]?.words == words, "\(line)")
        }
        #expect(offers["ferry -"]?.descriptions == Set(Self.all.map(\.summary)))
    }

    @Test(
        "zsh quotes files, offers only repeatable options again, and nothing after --help",
        .enabled(if: CompletingShell.isInstalled(.zsh), zsh),
        arguments: [
            ("ferry --output-d", "ferry --output-dir="), ("ferry --timi", "ferry --timings "),
            ("ferry -o it", #"ferry -o it\'s\ \$\(id\)\ \[1\] "#),
            ("ferry -d @it", #"ferry -d @it\'s\ \$\(id\)\ \[1\] "#),
            ("ferry -H a: --heade", "ferry -H a: --header="), ("ferry --silent --sil", "ferry --silent --sil"),
            ("ferry -s --sil", "ferry -s --sil"), ("ferry -c jar --cookie-j", "ferry -c jar --cookie-j"),
            ("ferry -h --sil", "ferry -h --sil"), ("ferry -C - --sil", "ferry -C - --silent "),
        ]
    )
    func zshLine(_ line: String, _ completed: String) async throws {
        #expect(try await offers(.zsh, [line])[line]?.line == completed)
    }

    @Test(
        "fish offers names, words and files where they belong",
        .enabled(if: CompletingShell.isInstalled(.fish), fish)
    )
    func fishOffers() async throws {
        let offers = try await offers(.fish, Self.lines.map(\.key) + ["ferry -o it"])
        for (line, words) in Self.lines {
            // fish offers options again, and a slash after a folder.
            let expected = line == "ferry -s --" ? Self.longNames : words
            let found = offers[line]?.words.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
            #expect(found.map(Set.init) == expected, "\(line)")
        }
        #expect(offers["ferry -"]?.descriptions == Set(Self.all.map(\.summary)))
        #expect(offers["ferry -o it"]?.words == ["it's $(id) [1]"])
    }
}
