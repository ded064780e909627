import Foundation
import Testing

@testable import FerryCommand

@Suite("The manual and the help text", .serialized)
struct ManualTests {
    @Test("The manual's options and exit statuses match --help")
    func parts() throws {
        for part in Manual.parts {
            let text = try String(contentsOf: Manual.file, encoding: .utf8)
            let start = try #require(text.range(of: part.marks.start + "\n")).upperBound
            let end = try #require(text.range(of: part.marks.end, range: start..<text.endIndex)).lowerBound
            if ProcessInfo.processInfo.environment["FERRY_WRITE_DOCS"] == "1" {
                try text.replacingCharacters(in: start..<end, with: part.lines.joined(separator: "\n") + "\n")
                    .write(to: Manual.file, atomically: true, encoding: .utf8)
            } else {
                let written = text[start..<end].split(separator: "\n").map(String.init)
                #expect(written == part.lines, "set FERRY_WRITE_DOCS=1 to write them")
            }
        }
    }

    @Test("The manual has its sections in order, and all write-out variables")
    func sections() throws {
        let text = try String(contentsOf: Manual.file, encoding: .utf8)
        let sections = text.split(separator: "\n").filter { $0.hasPrefix(".SH ") }.map { $0.dropFirst(4) }
        #expect(
            sections == [
                "NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "ITEMS", "CONFIG FILES", "WRITE-OUT VARIABLES", "FILES",
                "EXIT STATUS", "ENVIRONMENT", "EXAMPLES", "SEE ALSO",
            ]
        )
        for name in WriteOutVariable.allCases.map(\.rawValue) + ["json"] {
            #expect(text.contains("\\fB\(name)\\fR"), "\(name)")
        }
        #expect(text.contains("\"ferry \(Version.ferry)\""))
    }

    @Test("The article has all write-out variables, and all codes of the log")
    func article() throws {
        let text = try Manual.article()
        for name in WriteOutVariable.allCases.map(\.rawValue) + ["json"] {
            #expect(text.contains("`\(name)`"), "\(name)")
        }
        for status in FerryCommand.ExitStatus.allCases where ![.success, .failedCheck].contains(status) {
            #expect(text.contains("`\(status.name)`"), "\(status.name)")
        }
    }

    @Test("The help text has every option, in its group, and fits 110 columns")
    func help() {
        let lines = HelpText.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        for option in FerryCommand.Option.allCases {
            let rows = lines.filter { $0.contains("  --\(option.rawValue)") || $0.contains(", --\(option.rawValue)") }
            #expect(rows.filter { $0.hasPrefix("  -") || $0.hasPrefix("      --") }.count >= 1, "\(option)")
        }
        #expect(FerryCommand.Option.Group.allCases.allSatisfy { lines.contains($0.rawValue + ":") })
        #expect(FerryCommand.Option.Group.allCases.flatMap(\.options).count == FerryCommand.Option.allCases.count)
        #expect(lines.allSatisfy { $0.count <= 110 }, "\(lines.filter { $0.count > 110 })")
    }

    private static let groff = "/usr/bin/groff"

    @Test(
        "The manual is typeset without a warning",
        .enabled(if: FileManager.default.isExecutableFile(atPath: groff), "groff is not installed")
    )
    func typesets() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.groff)
        process.arguments = ["-man", "-Tutf8", "-ww", "-z", Manual.file.path]
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        let text = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0 && text.isEmpty, "\(String(decoding: text, as: UTF8.self))")
    }
}
