"""The server that Alamofire's tests expect at 127.0.0.1:8080, with the routes they use.

It needs only Python's own modules. Its routes are those of https://github.com/Alamofire/Firewalk, without Brotli and
WebSocket.
"""
import base64
import gzip
import hashlib
import json
import os
import time
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

XML = b'<?xml version="1.0" encoding="UTF-8"?><slideshow title="Sample"><slide>Text</slide></slideshow>'
# The tests store credentials for a realm named like the host.
REALM = "127.0.0.1"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def body(self):
        if "chunked" in self.headers.get("Transfer-Encoding", "").lower():
            body = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return body
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def reply(self, body=b"", status=200, type="application/octet-stream", **fields):
        self.send_response(status)
        if status not in (204, 304) and not 100 <= status < 200:
            self.send_header("Content-Type", type)
            self.send_header("Content-Length", str(len(body)))
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD" and status not in (204, 304):
            self.wfile.write(body)

    def reply_json(self, value, status=200, **fields):
        self.reply(json.dumps(value).encode(), status, "application/json", **fields)

    def echo(self):
        form = None
        if self.headers.get("Content-Type", "").startswith("application/x-www-form-urlencoded"):
            form = dict(parse_qsl(self.data.decode(errors="replace"), keep_blank_values=True))
        return {
            "headers": [{"name": name, "value": value} for name, value in self.headers.items()],
            "origin": self.client_address[0],
            "url": f"http://{self.headers.get('Host')}{self.path}",
            "data": self.data.decode(errors="replace"),
            "form": form,
            "args": self.query,
        }

    def stream(self, pieces, type="application/octet-stream", delay=0.0):
        self.send_response(200)
        self.send_header("Content-Type", type)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in pieces:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.flush()
            time.sleep(delay)
        self.wfile.write(b"0\r\n\r\n")

    def basic(self, user, password):
        expected = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
        return self.headers.get("Authorization") == expected

    def digest(self, user, password):
        field = self.headers.get("Authorization", "")
        if not field.startswith("Digest "):
            return False
        values = {}
        for part in field[7:].split(","):
            name, _, value = part.strip().partition("=")
            values[name] = value.strip('"')

        def md5(text):
            return hashlib.md5(text.encode()).hexdigest()

        parts = [md5(f"{user}:{REALM}:{password}"), values.get("nonce", "")]
        parts += [values[name] for name in ("nc", "cnonce", "qop") if name in values]
        parts.append(md5(f"{self.command}:{values.get('uri', '')}"))
        return values.get("username") == user and values.get("response") == md5(":".join(parts))

    def respond(self):
        url = urlsplit(self.path)
        self.query = dict(parse_qsl(url.query, keep_blank_values=True))
        self.data = self.body()
        name, *rest = url.path.strip("/").split("/")
        if name in ("get", "post", "put", "patch", "delete", "head", "options", "trace", "connect"):
            if name.upper() == self.command:
                self.reply_json(self.echo())
            else:
                self.reply_json({"error": True}, 405)
        elif name in ("basic-auth", "hidden-basic-auth"):
            if self.basic(*rest[:2]):
                self.reply_json(self.echo())
            elif name == "basic-auth":
                self.reply(status=401, WWW_Authenticate=f'Basic realm="{REALM}"')
            else:
                self.reply(status=404)
        elif name == "digest-auth":
            if self.digest(*rest[1:3]):
                self.reply_json(self.echo())
            else:
                challenge = f'Digest realm="{REALM}", nonce="{os.urandom(8).hex()}", qop="auth", algorithm=MD5'
                self.reply(status=401, WWW_Authenticate=challenge)
        elif name == "bytes":
            self.reply(os.urandom(int(rest[0])))
        elif name == "cache":
            date = self.date_time_string()
            fields = {"Cache_Control": self.query["Cache-Control"]} if "Cache-Control" in self.query else {}
            if self.headers.get("If-None-Match") or self.headers.get("If-Modified-Since"):
                self.reply(status=304)
            else:
                self.reply_json(self.echo(), Last_Modified=date, ETag=f'"{time.time_ns()}"', **fields)
        elif name == "chunked":
            self.stream((os.urandom(1) for _ in range(int(rest[0]))), delay=int((rest + ["0"])[1]) / 1000)
        elif name == "payloads":
            payload = json.dumps(self.echo()).encode()
            count, delay = int(rest[0]), int((rest + ["0"])[1]) / 1000
            self.stream((payload for _ in range(count)), "application/json", delay)
        elif name == "stream":
            line = json.dumps(self.echo()).encode() + b"\n"
            self.stream((line for _ in range(int(rest[0]))), "application/json")
        elif name == "infinite":
            self.stream(iter(lambda: b"x" * 65536, b""))
        elif name == "gzip":
            self.reply(gzip.compress(json.dumps(self.echo()).encode()), type="application/json", Content_Encoding=name)
        elif name == "deflate":
            self.reply(zlib.compress(json.dumps(self.echo()).encode()), type="application/json", Content_Encoding=name)
        elif name == "delay":
            time.sleep(int(rest[0]))
            self.reply_json(self.echo())
        elif name == "download":
            self.download(int(rest[0]), self.query.get("shouldProduceError") == "true")
        elif name == "ip":
            self.reply_json({"origin": self.client_address[0]})
        elif name == "redirect":
            count = int(rest[0])
            self.reply(status=302, Location=f"/redirect/{count - 1}" if count > 1 else "/get")
        elif name == "redirect-to":
            self.reply(status=int(self.query.get("statusCode", 302)), Location=self.query["url"])
        elif name == "response-headers":
            self.reply_json(self.echo(), **self.query)
        elif name == "status":
            self.reply(status=int(rest[0]))
        elif name == "upload":
            self.reply_json({"bytes": len(self.data)})
        elif name == "xml":
            self.reply(XML, type="application/xml")
        elif name == "image":
            self.reply(b"\xff\xd8\xff\xe0" + bytes(1024), type="image/jpeg")
        else:
            self.reply(status=404)

    def download(self, count, fails):
        body = bytes(count)
        start = 0
        if value := self.headers.get("Range"):
            start = int(value.removeprefix("bytes=").split("-")[0])
        self.send_response(206 if start else 200)
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Length", str(count - start))
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("ETag", '"download"')
        if start:
            self.send_header("Content-Range", f"bytes {start}-{count - 1}/{count}")
        self.end_headers()
        # In pieces, so that a test can cancel the download before it is complete.
        body = body[start : count // 2] if fails else body[start:]
        for offset in range(0, len(body), 1_000_000):
            self.wfile.write(body[offset : offset + 1_000_000])
            time.sleep(0.02)
        if fails:
            self.close_connection = True

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_TRACE = do_CONNECT = respond


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 8080), Handler)
    server.daemon_threads = True
    print("listening", flush=True)
    server.serve_forever()
