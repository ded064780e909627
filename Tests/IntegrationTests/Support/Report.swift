import Ferry
import Testing

/// How a child process tells its parent a number.
enum Report {
    private static let mark = "measured:"

    static func say(_ number: Int) {
        print(mark, number)
        fflush(nil)
    }

    /// The number that the child said.
    static func number(_ result: ExitTest.Result?) throws -> Int {
        let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
        let line = output.split(separator: "\n").first { $0.hasPrefix(mark) }
        return try #require(line.flatMap { Int($0.dropFirst(mark.count + 1)) }, "The child said: \(output)")
    }
}
