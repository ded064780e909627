import Ferry
import Testing

/// Passes a number from a child process to its parent.
enum Report {
    private static let mark = "measured:"

    static func say(_ number: Int) {
        print(mark, number)
        fflush(nil)
    }

    /// Returns the number that the child process printed.
    static func number(_ result: ExitTest.Result?) throws -> Int {
        let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
        let line = output.split(separator: "\n").first { $0.hasPrefix(mark) }
        return try #require(line.flatMap { Int($0.dropFirst(mark.count + 1)) }, "the child printed: \(output)")
    }
}
