import BenchmarkSupport
import Foundation

/// An nginx process with one worker, with and without TLS and HTTP/2, in a temporary folder.
final class NginxServer {
    let certificates: Certificates
    private let folder: URL
    private let ports: (plain: UInt16, http2: UInt16)
    private let child: Child

    init(folder work: WorkFolder, sizes: Sizes) throws {
        folder = try work.makeFolder("nginx")
        certificates = try Certificates(in: work.makeFolder("certificates"))
        try Self.makeFiles(sizes, in: work.makeFolder("nginx/files"))
        try FileManager.default.createDirectory(
            at: folder.appending(path: "temporary"),
            withIntermediateDirectories: true
        )
        let plain = try ListeningSocket()
        let http2 = try ListeningSocket()
        ports = (plain.port, http2.port)
        plain.close()
        http2.close()
        let configuration = Self.configuration(ports, certificates, folder)
        try Data(configuration.utf8).write(to: folder.appending(path: "nginx.conf"))
        let command = [try Self.executable(), "-p", folder.path, "-c", "nginx.conf", "-e", "error.log"]
        child = try Child(command, errors: folder.appending(path: "output.txt"))
        try waitUntilItAnswers()
    }

    deinit {
        child.end()
    }

    func plain(_ name: String) -> URL { url("http", "127.0.0.1", ports.plain, name) }

    func http2(_ name: String) -> URL { url("https", "localhost", ports.http2, name) }

    func file(_ name: String) -> URL { folder.appending(path: "files/\(name)") }

    /// The version that `nginx -v` prints.
    static var version: String? {
        guard let nginx = try? executable() else { return nil }
        return Machine.firstLine(of: ["sh", "-c", #""$0" -v 2>&1"#, nginx])
    }

    private func url(_ scheme: String, _ host: String, _ port: UInt16, _ name: String) -> URL {
        URL(string: "\(scheme)://\(host):\(port)/files/\(name)") ?? folder
    }

    private func waitUntilItAnswers() throws {
        for _ in 0..<400 where child.isRunning {
            if ListeningSocket.answers(ports.plain), ListeningSocket.answers(ports.http2) { return }
            usleep(25_000)
        }
        let log = try? String(contentsOf: folder.appending(path: "error.log"), encoding: .utf8)
        throw BenchmarkError("nginx did not start: \(log ?? "there is no log")")
    }

    private static func executable() throws -> String {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/sbin"]
        guard let nginx = folders.map({ "\($0)/nginx" }).first(where: FileManager.default.isExecutableFile) else {
            throw BenchmarkError("nginx is not installed: apt-get install nginx")
        }
        return nginx
    }

    private static func makeFiles(_ sizes: Sizes, in folder: URL) throws {
        for (name, size) in sizes.files {
            let file = folder.appending(path: name)
            let isJSON = file.pathExtension == "json"
            try (isJSON ? Record.json(bytes: size) : Data()).write(to: file)
            guard isJSON || truncate(file.path, size) == 0 else {
                throw BenchmarkError("\(file.path) cannot have \(size) bytes")
            }
        }
    }

    private static func configuration(
        _ ports: (plain: UInt16, http2: UInt16),
        _ certificates: Certificates,
        _ folder: URL
    ) -> String {
        """
        \(getuid() == 0 ? "user root;" : "")
        daemon off;
        worker_processes 1;
        pid nginx.pid;
        error_log error.log warn;
        events { worker_connections 16384; }
        worker_rlimit_nofile 32768;
        http {
          access_log off;
          client_body_temp_path temporary/body;
          proxy_temp_path temporary/proxy;
          fastcgi_temp_path temporary/fastcgi;
          uwsgi_temp_path temporary/uwsgi;
          scgi_temp_path temporary/scgi;
          default_type application/octet-stream;
          types { application/json json; }
          sendfile on;
          tcp_nopush on;
          open_file_cache max=16;
          keepalive_requests 100000000;
          keepalive_timeout 300;
          http2_max_concurrent_streams 128;
          add_header Cache-Control no-store;
          root \(folder.path);
          server { listen 127.0.0.1:\(ports.plain) backlog=4096; }
          server {
            listen 127.0.0.1:\(ports.http2) ssl http2 backlog=4096;
            ssl_certificate \(certificates.certificate.path);
            ssl_certificate_key \(certificates.key.path);
          }
        }
        """
    }
}
