import Ferry
import NginxSupport

/// A server of event streams in Python's own HTTP server.
///
/// A GET for `/message` is answered with the message in its query, in chunks of a few bytes; the same URL is answered
/// with the identifier in `Last-Event-ID` the second time, and with 204 afterwards. It ends when its input ends.
final class EventPeer: Sendable {
    private static let isInstalled = Subprocess.executable("python3") != nil

    /// Whether the tests run: without Python they are skipped unless `FERRY_REQUIRE_NGINX=1` requires all servers.
    static let isWanted = isInstalled || ProcessInfo.processInfo.environment["FERRY_REQUIRE_NGINX"] == "1"

    /// Returns the server that all tests share, started on first use.
    static func shared() throws -> EventPeer { try sharedResult.get() }

    private static let sharedResult = Result { try EventPeer() }

    private let process: Subprocess
    private let base: URL

    /// Returns the URL of a message; equal messages have one URL.
    func url(_ message: String, type: String = "text/event-stream") throws -> URL {
        func encoded(_ text: String) -> String { text.utf8.map { "%" + [$0].hexadecimal }.joined() }
        let text = "message?message=\(encoded(message))&type=\(encoded(type))"
        guard let url = URL(string: text, relativeTo: base)?.absoluteURL else { throw URLError(.badURL) }
        return url
    }

    private init() throws {
        (process, base) = try Subprocess.python(Self.script)
    }

    deinit { try? process.finish() }

    private static let script = #"""
        import http.server, sys, threading
        from urllib.parse import urlsplit, parse_qsl

        seen = {}
        lock = threading.Lock()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                with lock:
                    count = seen[self.path] = seen.get(self.path, 0) + 1
                query = dict(parse_qsl(urlsplit(self.path).query, encoding="latin-1", keep_blank_values=True))
                if count > 2:
                    self.send_response(204)
                    self.end_headers()
                    return
                body = query["message"].encode("latin-1")
                if count == 2:
                    last = self.headers.get("Last-Event-ID", "")
                    body = b"event: last\ndata: " + last.encode("latin-1") + b"\n\n"
                self.send_response(200)
                self.send_header("Content-Type", query["type"])
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                size = 1 + len(body) % 5 if len(body) < 1000 else 999
                for start in range(0, len(body), size):
                    piece = body[start:start + size]
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                    self.wfile.flush()
                self.wfile.write(b"0\r\n\r\n")

            def log_message(self, *arguments):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        print("port", server.server_address[1], flush=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        sys.stdin.read()
        """#
}
