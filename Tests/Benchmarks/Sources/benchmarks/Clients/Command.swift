import BenchmarkSupport
import Foundation

/// Runs commands until they end.
enum Command {
    /// Runs a command and returns its output, or throws the error it printed.
    static func run(
        _ words: [String],
        environment: [String: String] = [:],
        in folder: URL,
        seconds: Double
    ) throws -> String {
        let output = folder.appending(path: "output.txt")
        let errors = folder.appending(path: "errors.txt")
        let child = try Child(words, environment: environment, output: output, errors: errors)
        let status = child.wait(seconds: seconds)
        let text = try String(contentsOf: output, encoding: .utf8)
        guard let status else { throw BenchmarkError("it did not end within \(Int(seconds)) s") }
        guard status == 0 else {
            let reason = try String(contentsOf: errors, encoding: .utf8)
            let line = reason.split(separator: "\n").last.map(String.init) ?? "no reason given"
            throw BenchmarkError("\(line) (status \(status))")
        }
        return text
    }
}
