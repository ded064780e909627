import Foundation
import Testing

/// The table in the article about security policies, whose contents are measured.
enum DecisionTable {
    private static let marks = ("<!-- The table is measured. -->", "<!-- The end of the table. -->")

    private static var article: URL {
        URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Sources/Ferry/Ferry.docc/SecurityPolicies.md")
    }

    /// Compares the article's table with the measured rows; with `FERRY_WRITE_DOCS=1`, writes them into the article.
    static func check(_ rows: [String]) throws {
        let text = try String(contentsOf: article, encoding: .utf8)
        let start = try #require(text.range(of: marks.0)).upperBound
        let end = try #require(text.range(of: marks.1, range: start..<text.endIndex)).lowerBound
        let table = "\n\n" + rows.joined(separator: "\n") + "\n\n"
        if ProcessInfo.processInfo.environment["FERRY_WRITE_DOCS"] == "1" {
            try text.replacingCharacters(in: start..<end, with: table).write(
                to: article,
                atomically: true,
                encoding: .utf8
            )
        } else {
            let written = text[start..<end].split(separator: "\n").map(String.init)
            #expect(written == rows, "set FERRY_WRITE_DOCS=1 to write the measured rows")
        }
    }
}
