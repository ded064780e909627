import Ferry

/// A server in Python that takes uploads: by the draft for resumable uploads, by tus, and by single requests.
///
/// A path begins with `draft`, `tus` or `plain`. Its query requests faults: `drop=BYTES` closes each of the first
/// `times` connections after so many bytes of a body, `gone=1` forgets the upload once, `append=BYTES` limits a
/// request, `status=CODE` is the status of the first `times` requests with a body, `short=1` reports one byte less than
/// was received, `checksum=1` offers the checksums of tus, `concat=1` offers to join parts (but gives all of them one
/// URL), `damage=COUNT` changes a byte of each of the first so many parts, and `expires=TEXT` is the expiration of the
/// upload (with the draft, in seconds). A GET of the same path returns what has arrived. The server ends when its input
/// ends.
package final class UploadPeer: Sendable {
    private static let isInstalled = Subprocess.executable("python3") != nil

    /// Whether the tests run: without Python they are skipped unless `FERRY_REQUIRE_NGINX=1` requires all servers.
    package static let isWanted = isInstalled || ProcessInfo.processInfo.environment["FERRY_REQUIRE_NGINX"] == "1"

    /// Returns the server that all tests share, started on first use.
    package static func shared() throws -> UploadPeer { try sharedResult.get() }

    private static let sharedResult = Result { try UploadPeer() }

    /// The state of the server for a path.
    package struct Received: Decodable {
        package var sha256: String
        package var count: Int
        package var isComplete: Bool
        /// The methods of the requests, in order.
        package var methods: [String]
        /// The numbers of created and of completed uploads.
        package var created: Int
        package var completed: Int
        package var metadata: String?
        /// The values of the fields for digests, in order.
        package var digests: [String]
    }

    private let process: Subprocess
    package let base: URL

    /// Returns the URL of a path that no other test has.
    package func url(_ kind: String, _ query: String = "") throws -> URL {
        let text = "\(kind)/\(UUID().uuidString)" + (query.isEmpty ? "" : "?" + query)
        guard let url = URL(string: text, relativeTo: base)?.absoluteURL else { throw URLError(.badURL) }
        return url
    }

    package func received(at url: URL) async throws -> Received {
        let (data, _) = try await CurlSession(configuration: .ephemeral).data(from: url)
        return try JSONDecoder().decode(Received.self, from: data)
    }

    private init() throws {
        (process, base) = try Subprocess.python(Self.script)
    }

    deinit { try? process.finish() }

    private static let script = #"""
        import base64, hashlib, http.server, json, sys, threading, time
        from urllib.parse import urlsplit, parse_qsl

        lock = threading.Lock()

        class Upload:
            def __init__(self, path):
                self.path, self.query = path, dict(parse_qsl(urlsplit(path).query))
                self.times = int(self.query.get("times", "1000000"))
                self.data, self.length, self.metadata = bytearray(), None, None
                self.complete, self.gone = False, "gone" in self.query
                self.methods, self.created, self.completed = [], 0, 0
                self.digests, self.damage = [], int(self.query.get("damage", "0"))

        uploads = {}

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def upload(self):
                path = self.path.replace("/made/", "/")
                with lock:
                    return uploads.setdefault(path, Upload(path))

            def answer(self, status, fields={}, body=b""):
                self.send_response(status)
                for name, value in fields.items():
                    self.send_header(name, value)
                if status != 204:
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)

            def pieces(self):
                if self.headers.get("Transfer-Encoding") == "chunked":
                    while size := int(self.rfile.readline(), 16):
                        yield self.rfile.read(size)
                        self.rfile.readline()
                    self.rfile.readline()
                    return
                left = int(self.headers.get("Content-Length", "0"))
                while left:
                    piece = self.rfile.read1(min(left, 65536))
                    if not piece:
                        raise ConnectionError
                    left -= len(piece)
                    yield piece

            def take(self, upload):
                """Appends the body, and returns whether it is complete and to be answered."""
                upload_limit = int(upload.query.get("drop", "0"))
                count = 0
                for piece in self.pieces():
                    if upload_limit and upload.times and count + len(piece) > upload_limit:
                        upload.data += piece[:upload_limit - count]
                        upload.times -= 1
                        self.close_connection = True
                        # A client whose sending fails may not read any more what it was sent before: with POST, a
                        # location that it needs.
                        time.sleep(2 if self.command == "POST" else 0.05)
                        self.connection.shutdown(2)
                        return False
                    upload.data += piece
                    count += len(piece)
                if "status" in upload.query and upload.times:
                    upload.times -= 1
                    self.answer(int(upload.query["status"]))
                    return False
                return True

            def limits(self, upload):
                if self.path.startswith("/tus"):
                    return {"Upload-Expires": upload.query["expires"]} if "expires" in upload.query else {}
                limits = []
                if "append" in upload.query:
                    limits += ["max-size=1000000000", "max-append-size=" + upload.query["append"]]
                if "expires" in upload.query:
                    limits += ["max-age=" + upload.query["expires"]]
                return {"Upload-Limit": ", ".join(limits)} if limits else {}

            def note_digest(self, upload):
                for name in ["Upload-Checksum", "Content-Digest", "Repr-Digest"]:
                    if name in self.headers:
                        upload.digests.append(name + ": " + self.headers[name])

            def is_damaged(self, upload, start):
                if "Upload-Checksum" not in self.headers:
                    return False
                if upload.damage:
                    upload.damage -= 1
                    upload.data[start] ^= 1
                name, digest = self.headers["Upload-Checksum"].split()
                return hashlib.new(name, upload.data[start:]).digest() != base64.b64decode(digest)

            def do_OPTIONS(self):
                upload = self.upload()
                upload.methods.append("OPTIONS")
                if self.path.startswith("/tus"):
                    fields = {"Tus-Resumable": "1.0.0", "Tus-Version": "1.0.0,0.2.2",
                              "Tus-Max-Size": upload.query.get("max", "1000000000")}
                    if "checksum" in upload.query:
                        fields.update({"Tus-Extension": "creation,checksum", "Tus-Checksum-Algorithm": "md5,sha256"})
                    if "concat" in upload.query:
                        fields["Tus-Extension"] = "creation,concatenation"
                    self.answer(204, fields)
                elif self.path.startswith("/draft"):
                    self.answer(204, self.limits(upload))
                else:
                    self.answer(405)

            def location(self):
                first, rest = self.path[1:].split("/", 1)
                return "/" + first + "/made/" + rest

            def do_POST(self):
                upload = self.upload()
                upload.methods.append(self.command)
                upload.data = bytearray()
                upload.created += 1
                self.note_digest(upload)
                if self.path.startswith("/tus"):
                    upload.length = int(self.headers["Upload-Length"])
                    upload.metadata = self.headers.get("Upload-Metadata")
                    upload.complete = upload.length == 0
                    self.answer(201, {"Tus-Resumable": "1.0.0", "Location": self.location(), **self.limits(upload)})
                    return
                is_draft = self.path.startswith("/draft") and "Upload-Complete" in self.headers
                if is_draft:
                    upload.length = int(self.headers["Upload-Length"])
                    self.send_response_only(104)
                    self.send_header("Location", self.location())
                    self.send_header("Upload-Draft-Interop-Version", self.headers["Upload-Draft-Interop-Version"])
                    for name, value in self.limits(upload).items():
                        self.send_header(name, value)
                    self.end_headers()
                    self.wfile.flush()
                if not self.take(upload):
                    return
                if is_draft and self.headers["Upload-Complete"] == "?0":
                    self.answer(201, {"Location": self.location(), "Upload-Complete": "?0"})
                    return
                upload.complete = True
                upload.completed += 1
                self.answer(200, {"Upload-Complete": "?1"} if is_draft else {}, b"thanks")

            do_PUT = do_POST

            def do_HEAD(self):
                upload = self.upload()
                upload.methods.append("HEAD")
                if upload.gone:
                    upload.gone = False
                    self.answer(404)
                    return
                fields = {"Upload-Offset": str(len(upload.data)), "Upload-Length": str(upload.length)}
                if self.path.startswith("/tus"):
                    fields["Tus-Resumable"] = "1.0.0"
                else:
                    fields["Upload-Complete"] = "?1" if upload.complete else "?0"
                    fields.update(self.limits(upload))
                self.answer(204, fields)

            def do_DELETE(self):
                upload = self.upload()
                upload.methods.append("DELETE")
                is_there = len(upload.data) > 0 or not upload.gone
                upload.data, upload.gone = bytearray(), True
                self.answer(204 if is_there else 404, {"Tus-Resumable": "1.0.0"} if self.path.startswith("/tus") else {})

            def do_PATCH(self):
                upload = self.upload()
                upload.methods.append("PATCH")
                if int(self.headers["Upload-Offset"]) != len(upload.data):
                    self.close_connection = True
                    self.answer(409)
                    return
                start = len(upload.data)
                self.note_digest(upload)
                if not self.take(upload):
                    return
                if self.is_damaged(upload, start):
                    del upload.data[start:]
                    self.answer(460)
                    return
                is_tus = self.path.startswith("/tus")
                is_last = len(upload.data) == upload.length if is_tus else self.headers["Upload-Complete"] == "?1"
                if is_last:
                    upload.complete = True
                    upload.completed += 1
                fields = {"Upload-Offset": str(len(upload.data) - ("short" in upload.query))}
                fields.update(self.limits(upload))
                fields["Tus-Resumable" if is_tus else "Upload-Complete"] = \
                    "1.0.0" if is_tus else ("?1" if is_last else "?0")
                self.answer(204 if is_tus else 200, fields, b"" if is_tus else b"thanks")

            def do_GET(self):
                upload = self.upload()
                self.answer(200, {"Content-Type": "application/json"}, json.dumps({
                    "sha256": hashlib.sha256(upload.data).hexdigest(), "count": len(upload.data),
                    "isComplete": upload.complete, "methods": upload.methods, "created": upload.created,
                    "completed": upload.completed, "metadata": upload.metadata,
                    "digests": upload.digests}).encode())

            def log_message(self, *arguments):
                pass

        class Server(http.server.ThreadingHTTPServer):
            request_queue_size = 128
            def handle_error(self, request, address):
                pass

        server = Server(("127.0.0.1", 0), Handler)
        print("port", server.server_address[1], flush=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        sys.stdin.read()
        """#
}
