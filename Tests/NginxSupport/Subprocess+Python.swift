import Ferry

extension Subprocess {
    /// Starts a Python script that serves on a port, and writes `port` and its number on its first line.
    ///
    /// - Parameters:
    ///   - script: The script, which ends when its input ends.
    ///   - arguments: The script's arguments.
    /// - Returns: The process, and the URL of its server.
    /// - Throws: A ``Failure`` with the output of a script that does not start.
    package static func python(
        _ script: String,
        _ arguments: [String] = []
    ) throws -> (process: Subprocess, url: URL) {
        let output = FileManager.default.temporaryDirectory.appendingPathComponent("ferry-\(UUID().uuidString).txt")
        defer { try? FileManager.default.removeItem(at: output) }
        let process = try Subprocess("python3", ["-c", script] + arguments, output: output)
        return (process, try url(announcedIn: output))
    }

    /// Waits for the line with a program's port, and returns the URL of its server.
    package static func url(announcedIn output: URL) throws -> URL {
        var text = ""
        for _ in 0..<1200 {
            text = try String(contentsOf: output, encoding: .utf8)
            let words = text.split(whereSeparator: \.isWhitespace)
            if text.hasSuffix("\n"), words.count == 2, words[0] == "port",
                let url = URL(string: "http://127.0.0.1:\(words[1])/")
            {
                return url
            }
            usleep(25_000)
        }
        throw Failure(description: "Python did not start: \(text)")
    }
}
