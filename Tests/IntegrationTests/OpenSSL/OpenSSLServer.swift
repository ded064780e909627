import Ferry

/// A server of the `openssl` command, which presents any chain, however weak, and answers each request with a page.
///
/// A shell between the tests and the server ends it when the tests end.
final class OpenSSLServer: Sendable {
    private static let isInstalled = Subprocess.executable("openssl") != nil

    /// Whether the tests run: without openssl they are skipped unless `FERRY_REQUIRE_NGINX=1` requires all servers.
    static let isWanted = isInstalled || ProcessInfo.processInfo.environment["FERRY_REQUIRE_NGINX"] == "1"

    let port: Int
    private let process: Subprocess

    /// Starts a server with a certificate, its key, and the certificates that follow in its chain.
    init(certificate: URL, key: URL, chain: URL? = nil, _ more: [String] = []) throws {
        guard Self.isInstalled else {
            throw Subprocess.Failure(description: "openssl is not installed: apt-get install openssl")
        }
        let script = #"openssl s_server "$@" & server=$!; read -r line; kill "$server"; wait "$server""#
        let output = FileManager.default.temporaryDirectory.appendingPathComponent("ferry-\(UUID().uuidString).txt")
        defer { try? FileManager.default.removeItem(at: output) }
        process = try Subprocess(
            "sh",
            ["-c", script, "sh", "-accept", "127.0.0.1:0", "-www", "-cipher", "DEFAULT@SECLEVEL=0"]
                + ["-cert", certificate.path, "-key", key.path] + (chain.map { ["-cert_chain", $0.path] } ?? []) + more,
            output: output
        )
        for _ in 0..<1200 {
            let text = try String(contentsOf: output, encoding: .utf8)
            let line = text.split(separator: "\n").first { $0.hasPrefix("ACCEPT ") && $0.contains(":") }
            if text.contains("\n"), let port = line?.split(separator: ":").last.flatMap({ Int($0) }) {
                self.port = port
                return
            }
            usleep(25_000)
        }
        throw Subprocess.Failure(
            description: "openssl s_server did not start: \((try? String(contentsOf: output, encoding: .utf8)) ?? "")"
        )
    }

    deinit { try? process.finish() }

    func url(host: String = "localhost") -> URL {
        URL(string: "https://\(host):\(port)/") ?? URL(fileURLWithPath: "/")
    }
}
