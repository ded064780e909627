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
        (process, url) = try Subprocess.python(EchoScript.text)
    }

    deinit {
        try? process.finish()
    }
}
