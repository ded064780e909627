/// An echo server in Python, which parses requests with code that is independent of Ferry's.
enum EchoScript {
    /// The script, which prints its port and ends when its input ends.
    static let text = #"""
        import base64, email, email.policy, hashlib, http.server, json, plistlib, sys, threading, urllib.parse

        def plain(value):
            if isinstance(value, bytes): return base64.b64encode(value).decode()
            if isinstance(value, dict): return {key: plain(item) for key, item in value.items()}
            if isinstance(value, list): return [plain(item) for item in value]
            return value

        def parts(content_type, body):
            head = b"Content-Type: " + content_type.encode("latin-1") + b"\r\n\r\n"
            message = email.message_from_bytes(head + body, policy=email.policy.HTTP)
            if message.defects or not message.is_multipart():
                raise ValueError("no multipart body: %r" % message.defects)
            for part in message.iter_parts():
                if part.defects: raise ValueError("a part is malformed: %r" % part.defects)
                disposition = part["Content-Disposition"]
                fields = disposition.params if disposition else {}
                yield {
                    "name": fields.get("name"),
                    "filename": fields.get("filename"),
                    "headers": [[name, str(value)] for name, value in part.items()],
                    "body": plain(part.get_payload(decode=True)),
                }

        class Echo(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True
            timeout = 120

            def pieces(self):
                if "chunked" in self.headers.get("Transfer-Encoding", ""):
                    while size := int(self.rfile.readline().split(b";")[0], 16):
                        yield self.rfile.read(size)
                        self.rfile.readline()
                    while self.rfile.readline().strip(): pass
                left = int(self.headers.get("Content-Length", 0))
                while left:
                    piece = self.rfile.read(min(left, 1 << 20))
                    if not piece: raise ConnectionError("the body is cut short")
                    left -= len(piece)
                    yield piece

            def echo(self, url, body):
                content_type = self.headers.get("Content-Type", "")
                kind = content_type.split(";")[0].strip()
                seen = {
                    "method": self.command,
                    "path": url.path,
                    "query": urllib.parse.parse_qsl(url.query, keep_blank_values=True),
                    "headers": self.headers.items(),
                    "length": len(body),
                }
                if kind == "application/x-www-form-urlencoded":
                    seen["form"] = urllib.parse.parse_qsl(body.decode("ascii"), keep_blank_values=True)
                elif kind == "application/json":
                    seen["json"] = json.loads(body)
                elif kind == "application/x-plist":
                    seen["json"] = plain(plistlib.loads(body))
                elif kind == "multipart/form-data":
                    seen["parts"] = list(parts(content_type, body))
                return "application/json", json.dumps(seen).encode()

            def count(self):
                length, first, last = 0, b"", b""
                for piece in self.pieces():
                    length += len(piece)
                    if len(first) < 4096: first += piece[:4096]
                    last = (last + piece[-4096:])[-4096:]
                seen = {"length": length, "first": first.decode("latin-1"), "last": last.decode("latin-1")}
                return "application/json", json.dumps(seen).encode()

            def sample(self, name):
                value = {"name": "Zo\u00eb", "numbers": [1, 2.5, -3], "nested": {"yes": True}}
                if name == "json": return "application/json", json.dumps(value).encode()
                if name == "plist": return "application/x-plist", plistlib.dumps(value)
                if name == "binary-plist": return "application/x-plist", plistlib.dumps(value, fmt=plistlib.FMT_BINARY)
                if name == "latin-1": return "text/plain; charset=iso-8859-1", "Zo\u00eb".encode("latin-1")
                if name == "xml": return "application/xml", '<a b="Zo\u00eb">1</a>'.encode()
                return "application/octet-stream", bytes(range(256))

            def answer(self):
                status = 200
                try:
                    url = urllib.parse.urlsplit(self.path)
                    if url.path == "/count": kind, text = self.count()
                    else:
                        body = b"".join(self.pieces())
                        if url.path.startswith("/sample/"): kind, text = self.sample(url.path.split("/")[2])
                        else: kind, text = self.echo(url, body)
                except ConnectionError: raise
                except Exception as error:
                    status, kind, text = 400, "text/plain", repr(error).encode()
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(text)))
                # A response to HEAD has no body, so a header field carries the same.
                self.send_header("X-Seen", base64.b64encode(text).decode() if len(text) < 20000 else "")
                self.end_headers()
                if self.command != "HEAD": self.wfile.write(text)

            def __getattr__(self, name):
                if name.startswith("do_"): return self.answer
                raise AttributeError(name)

            def log_message(self, *arguments): pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Echo)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        print("port", server.server_address[1], flush=True)
        sys.stdin.read()
        """#
}
