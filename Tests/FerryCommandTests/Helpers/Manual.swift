import Foundation

@testable import FerryCommand

/// The parts of the manual that are generated from the command's tables.
enum Manual {
    struct Part: Sendable {
        let marks: (start: String, end: String)
        let lines: [String]
    }

    static let parts = [
        Part(
            marks: (".\\\" The options are generated.", ".\\\" The end of the options."),
            lines: Option.Group.allCases.flatMap { group in
                [".SS \(escaped(group.rawValue))"] + group.options.flatMap(lines)
            }
        ),
        Part(
            marks: (".\\\" The statuses are generated.", ".\\\" The end of the statuses."),
            lines: FerryCommand.ExitStatus.allCases.flatMap { status in
                [".TP", ".B \(status.rawValue)", escaped(status.meaning) + "."]
            }
        ),
    ]

    static let file = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Docs/ferry.1")

    /// The article about the command.
    static func article() throws -> String {
        let root = file.deletingLastPathComponent().deletingLastPathComponent()
        let file = root.appendingPathComponent("Sources/Ferry/Ferry.docc/FerryCommand.md")
        return try String(contentsOf: file, encoding: .utf8)
    }

    private static func lines(_ option: FerryCommand.Option) -> [String] {
        let short = option.short.map { "\\fB\\-\($0)\\fR, " } ?? ""
        let value = option.valueName.map { " \\fI" + escaped($0) + "\\fR" } ?? ""
        let text = option.help
        return [
            ".TP", "\(short)\\fB\\-\\-\(escaped(option.rawValue))\\fR\(value)",
            escaped(text.prefix(1).uppercased() + text.dropFirst()) + ".",
        ]
    }

    /// Returns the text with roff's special characters escaped.
    static func escaped(_ text: String) -> String {
        let plain = text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("'", with: "\\(aq")
        return plain.hasPrefix(".") ? "\\&" + plain : plain
    }
}
