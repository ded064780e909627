import BenchmarkSupport
import Foundation

/// A file of the documentation that contains the summary of a run between two marks.
struct Article {
    private static let begin = "<!-- benchmarks: written by --articles -->"
    private static let end = "<!-- end of benchmarks -->"

    let file: URL

    /// Replaces the text between the marks.
    func update(_ text: String) throws {
        let whole = try String(contentsOf: file, encoding: .utf8)
        guard let begin = whole.range(of: Self.begin),
            let end = whole.range(of: Self.end, range: begin.upperBound..<whole.endIndex)
        else { throw BenchmarkError("\(file.path) does not have the marks '\(Self.begin)' and '\(Self.end)'") }
        let new = whole[..<begin.upperBound] + "\n\(text)\n" + whole[end.lowerBound...]
        try Data(new.utf8).write(to: file, options: .atomic)
    }
}

extension Report {
    /// The summary with the machine and the date, for the article.
    var summary: String {
        let system = machine.kernel.split(separator: "-").first.map(String.init) ?? machine.kernel
        let day = started.formatted(.iso8601.year().month().day())
        let nginx = machine.nginx.replacing("nginx version: nginx/", with: "")
        let versions = Machine.libraryVersions
        return """
            Measured on \(day): \(machine.cores) cores of \(machine.processor), \(system), Swift \(versions["Swift"] ?? ""), libcurl
            \(versions["libcurl"] ?? ""), nginx \(nginx) with one worker; medians of \(rounds) rounds.

            \(Summary(results, workloads: workloads).markdown)
            """
    }
}
