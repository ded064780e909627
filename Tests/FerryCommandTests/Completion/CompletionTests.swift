import Foundation
import TestSupport
import Testing

@testable import FerryCommand

@Suite("Completions", .timeLimit(.minutes(5)))
struct CompletionTests {
    @Test("Every option is in the script of every shell", arguments: Completion.allCases)
    func options(_ shell: Completion) throws {
        for option in FerryCommand.Option.allCases {
            #expect(
                shell.text.contains(shell == .fish ? "-l \(option.rawValue) " : "--\(option.rawValue)"),
                "\(option)"
            )
            guard let short = option.short else { continue }
            #expect(shell.text.contains(shell == .fish ? "-s \(short) " : "-\(short)"), "\(option)")
        }
        #expect(throws: UsageError("--completion takes one of bash, zsh, fish, not 'csh'")) {
            try Action(parsing: ["--completion", "csh"])
        }
        #expect(try Action(parsing: ["--completion", shell.rawValue]) == .showCompletion(shell))
    }

    private static let bash = "/bin/bash"

    @Test(
        "bash completes options, methods, folders and files after @, and leaves others to its own completion of files",
        .enabled(if: FileManager.default.isExecutableFile(atPath: bash), "bash is not installed"),
        arguments: [
            ("--data-u", "--data-urlencode"), ("--output-d", "--output-dir"), ("-X PA", "PATCH"),
            ("--completion f", "fish"), ("PA", "PATCH"), ("--request = PA", "PATCH"), ("-v PA", ""),
            ("--request =", "GETHEADPOSTPUTPATCHDELETEOPTIONS"), ("--output-dir = in", "inner"),
            ("-d @ ma", "@match"), ("--data = @ ma", "@match"), ("-F f =@ ma", "@match"), (":80 f @ in", "@inner/"),
            ("-d @ a", #"@a\ \$\(id\)\ b/"#),
            ("-o ma", ""), ("--cacert ma", ""), ("-u ma", ""), ("--output-dir in", "inner"),
            ("--output-dir a", "a $(id) b"),
        ]
    )
    func completes(_ words: String, _ expected: String) async throws {
        let folder = try TemporaryFolder()
        try folder.file("match", "")
        for name in ["inner", "a $(id) b"] {
            try FileManager.default.createDirectory(at: folder.file(name), withIntermediateDirectories: true)
        }
        let test = """
            \(Completion.bash.text)
            COMP_WORDS=(ferry \(words)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _ferry; printf '%s' "${COMPREPLY[@]}"
            """
        let outcome = try await FerryProcess.run(["-c", test], in: folder, program: Self.bash)
        #expect(outcome.text == expected && outcome.errors.isEmpty, "\(outcome.errors)")
    }
}
