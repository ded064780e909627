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

    @Test("A shell that is installed accepts its script", arguments: Completion.allCases)
    func syntax(_ shell: Completion) async throws {
        let paths = ["/bin/\(shell.rawValue)", "/usr/bin/\(shell.rawValue)"]
        guard let program = paths.first(where: FileManager.default.isExecutableFile(atPath:)) else { return }
        let folder = try TemporaryFolder()
        try folder.file("script", shell.text)
        let outcome = try await FerryProcess.run(["-n", "script"], in: folder, program: program)
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
    }

    private static let bash = "/bin/bash"

    @Test(
        "bash completes options, methods and folders, and leaves files to its own completion, which quotes them",
        .enabled(if: FileManager.default.isExecutableFile(atPath: bash), "bash is not installed"),
        arguments: [
            ("--data-u", "--data-urlencode"), ("--output-d", "--output-dir"), ("-X PA", "PATCH"),
            ("--completion f", "fish"),
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
