import Ferry
import Synchronization

/// Python's own HTTP server, which echoes requests as JSON.
///
/// It ends when its input ends, however the tests end.
final class PythonServer: Sendable {
    private static let isInstalled = Subprocess.executable("python3") != nil

    /// Whether the tests run: without Python they are skipped unless `FERRY_REQUIRE_NGINX=1` requires all servers.
    static let isWanted = isInstalled || ProcessInfo.processInfo.environment["FERRY_REQUIRE_NGINX"] == "1"

    /// Returns the server that all tests share, started on first use.
    static func shared() throws -> PythonServer { try sharedResult.get() }

    private static let sharedResult = Result { try PythonServer() }

    /// The URL of the server.
    let url: URL
    private let process: Subprocess

    init() throws {
        guard Self.isInstalled else {
            throw Subprocess.Failure(description: "python3 is not installed: apt-get install python3")
        }
        let output = FileManager.default.temporaryDirectory.appendingPathComponent("ferry-\(UUID().uuidString).txt")
        defer { try? FileManager.default.removeItem(at: output) }
        process = try Subprocess("python3", ["-c", EchoScript.text], output: output)
        url = try Self.url(announcedIn: output)
    }

    /// Waits for the line in which a program says its port, and returns the URL of its server.
    static func url(announcedIn output: URL) throws -> URL {
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
        throw Subprocess.Failure(description: "Python did not start: \(text)")
    }

    deinit {
        try? process.finish()
    }
}
