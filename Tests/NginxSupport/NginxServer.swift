import Ferry

/// An nginx process in a temporary folder, with throwaway certificates and files to serve.
///
/// A shell between the tests and nginx waits for the end of its input. The input ends however the tests end, so neither
/// the server nor the folder outlives them.
package final class NginxServer: Sendable {
    // Debian installs nginx in a folder that is only in root's PATH.
    package static let executable = Subprocess.executable("nginx", besides: ["/usr/sbin", "/usr/local/sbin"])

    /// Whether the tests run.
    ///
    /// Without nginx, and openssl for its certificates, they are skipped unless `FERRY_REQUIRE_NGINX=1` requires both.
    package static let isWanted =
        (executable != nil && Subprocess.executable("openssl") != nil)
        || ProcessInfo.processInfo.environment["FERRY_REQUIRE_NGINX"] == "1"

    /// Whether nginx has HTTP/3, which it supports from version 1.25 on.
    package static let hasHTTP3: Bool = {
        guard let executable else { return false }
        let text = try? Subprocess.output(of: "sh", ["-c", "\"$0\" -V 2>&1", executable])
        return text?.contains("http_v3_module") == true
    }()

    /// Whether the listener for HTTP/3 can speak it, after ``startHTTP3()``.
    package static var servesHTTP3: Bool { hasHTTP3 || HTTP3Gateway.isInstalled }

    /// Returns the server that all tests share, started on first use.
    package static func shared() throws -> NginxServer { try sharedResult.get() }

    private static let sharedResult = Result { try NginxServer() }

    package let prefix: URL
    package let certificates: ThrowawayCertificates
    package let files: NginxFiles
    private let reserved: ReservedPorts
    private let ports: [NginxListener: UInt16]
    private let guardian = Mutex<Subprocess?>(nil)
    private let gateway = Mutex<HTTP3Gateway?>(nil)

    package init() throws {
        let prefix = FileManager.default.temporaryDirectory.appendingPathComponent("ferry-nginx-\(UUID().uuidString)")
        self.prefix = prefix
        for folder in ["files", "uploads", "temporary"] {
            let url = prefix.appendingPathComponent(folder)
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        }
        certificates = try ThrowawayCertificates(in: prefix.appendingPathComponent("certificates"))
        files = try NginxFiles(in: prefix.appendingPathComponent("files"))
        let listeners = NginxListener.allCases
        reserved = try ReservedPorts(listeners.count)
        ports = Dictionary(uniqueKeysWithValues: zip(listeners, reserved.ports))
        let configuration = NginxConfiguration(prefix: prefix, ports: ports, certificates: certificates)
        try Data(configuration.text.utf8).write(to: prefix.appendingPathComponent("nginx.conf"))
        try start()
    }

    deinit {
        try? guardian.withLock { $0 }?.finish()
    }

    // MARK: - Starting and stopping

    /// Starts nginx, and returns once all its ports accept connections.
    package func start() throws {
        guard let nginx = Self.executable else {
            throw Subprocess.Failure(description: "nginx is not installed: apt-get install nginx-full")
        }
        // The input "keep" keeps the folder; without it, everything is removed at the end of the input.
        let script = #"""
            "$0" -p "$1" -c nginx.conf -e error.log & server=$!
            read -r verdict
            kill "$server"; wait "$server"
            [ "$verdict" = keep ] || rm -rf "$1"
            """#
        let output = prefix.appendingPathComponent("output.txt")
        let process = try Subprocess("sh", ["-c", script, nginx, prefix.path], output: output)
        guardian.withLock { $0 = process }
        for _ in 0..<1600 {
            if reserved.areAnswered { return }
            usleep(25_000)
        }
        let log = try? String(contentsOf: prefix.appendingPathComponent("error.log"), encoding: .utf8)
        throw Subprocess.Failure(description: "nginx did not start: \(log ?? "no log")")
    }

    /// Ends nginx and all its connections; its folder and ports remain for another start.
    package func stop() throws {
        let process = guardian.withLock { guardian in
            defer { guardian = nil }
            return guardian
        }
        try process?.finish(saying: "keep\n")
    }

    /// Makes the listener speak HTTP/3, also if nginx lacks it.
    package func startHTTP3() throws {
        guard !Self.hasHTTP3 else { return }
        try gateway.withLock { gateway in
            if gateway == nil { gateway = try makeGateway(.http3) }
        }
    }

    /// Starts a server of HTTP/3 at the port of a listener.
    package func makeGateway(_ listener: NginxListener) throws -> HTTP3Gateway {
        try HTTP3Gateway(
            port: ports[listener] ?? 0,
            target: ports[.plain] ?? 0,
            certificate: certificates.certificate(listener.certificate),
            key: certificates.key(listener.certificate)
        )
    }

    // MARK: - URLs

    /// Returns the URL of a path such as `small`.
    package func url(_ listener: NginxListener, _ path: String, host: String = "localhost") -> URL {
        URL(string: "\(listener.scheme)://\(host):\(ports[listener] ?? 0)/\(path)") ?? prefix
    }

    /// Returns the texts that are in the log, which has a line for each finished request.
    ///
    /// `Data` is searched, since Foundation searches strings slowly and there are many.
    package func logged(_ texts: [String]) throws -> [String] {
        let log = try Data(contentsOf: prefix.appendingPathComponent("access.log"))
        return texts.filter { log.range(of: Data($0.utf8)) != nil }
    }

    /// Waits for a line of the log, which is written when the server has finished or abandoned the request.
    package func waitForLog(_ text: String) async throws {
        for _ in 0..<1200 {
            if try logged([text]) == [text] { return }
            try await Task.sleep(nanoseconds: 25_000_000)
        }
        throw Subprocess.Failure(description: "nginx never logged \(text)")
    }

    /// Returns the file that an upload to `uploads/<name>` creates.
    package func uploaded(_ name: String) -> URL { prefix.appendingPathComponent("uploads/\(name)") }
}
