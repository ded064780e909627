import Ferry

/// A server that authenticates its connections with NTLMv2 ([MS-NLMP]) over HTTP ([MS-NTHT]), for one user.
///
/// Its response names the user of the connection and the length of the body. It ends when its input ends.
final class NTLMServer: Sendable {
    let url: URL
    private let process: Subprocess
    private let output: URL

    init(user: String, password: String) throws {
        let output = FileManager.default.temporaryDirectory.appendingPathComponent("ferry-\(UUID().uuidString).txt")
        self.output = output
        process = try Subprocess("python3", ["-c", Self.script, user, password], output: output)
        url = try Subprocess.url(announcedIn: output)
    }

    deinit {
        try? process.finish()
        try? FileManager.default.removeItem(at: output)
    }

    /// A line for each request: the number of its connection, its method, and its NTLM message or `-`.
    var requests: [String] {
        get throws {
            try String(contentsOf: output, encoding: .utf8).split(separator: "\n").dropFirst().map(String.init)
        }
    }

    private static let script = #"""
        import base64, hmac, http.server, itertools, os, struct, sys, threading

        def md4(data):
            def turn(x, n): return ((x << n) | (x >> (32 - n))) & 0xffffffff
            a, b, c, d = 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476
            data += b"\x80" + b"\0" * ((55 - len(data)) % 64) + struct.pack("<Q", len(data) * 8)
            rounds = [
                (lambda x, y, z: (x & y) | (~x & z), 0, range(16), (3, 7, 11, 19)),
                (lambda x, y, z: (x & y) | (x & z) | (y & z), 0x5a827999,
                 [i + 4 * j for i in range(4) for j in range(4)], (3, 5, 9, 13)),
                (lambda x, y, z: x ^ y ^ z, 0x6ed9eba1,
                 [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15], (3, 9, 11, 15)),
            ]
            for start in range(0, len(data), 64):
                words = struct.unpack("<16I", data[start:start + 64])
                saved = (a, b, c, d)
                for mix, constant, order, shifts in rounds:
                    for step, index in enumerate(order):
                        value = (a + mix(b, c, d) + words[index] + constant) & 0xffffffff
                        a, b, c, d = d, turn(value, shifts[step % 4]), b, c
                a, b, c, d = [(x + y) & 0xffffffff for x, y in zip((a, b, c, d), saved)]
            return struct.pack("<4I", a, b, c, d)

        def md5(key, data): return hmac.new(key, data, "md5").digest()
        def wide(text): return text.encode("utf-16-le")
        assert md4(b"abc").hex() == "a448017aaf21d8525fc10ae87aa6729d"

        user, password = sys.argv[1], sys.argv[2]
        numbers, lock = itertools.count(1), threading.Lock()

        def type2(challenge):
            target = wide("FERRY")
            info = struct.pack("<HH", 2, len(target)) + target + struct.pack("<HH", 1, len(target)) + target + b"\0" * 4
            flags = 0x00000001 | 0x00000004 | 0x00000200 | 0x00010000 | 0x00080000 | 0x00800000
            head = b"NTLMSSP\0" + struct.pack("<IHHI", 2, len(target), len(target), 48)
            head += struct.pack("<I", flags) + challenge + b"\0" * 8
            head += struct.pack("<HHI", len(info), len(info), 48 + len(target))
            return head + target + info

        def verifies(message, challenge):
            def field(offset):
                length, _, start = struct.unpack_from("<HHI", message, offset)
                return message[start:start + length]
            response, domain, name = field(20), field(28), field(36)
            key = md5(md4(wide(password)), wide(user.upper()) + domain)
            return name == wide(user) and len(response) > 24 and hmac.compare_digest(
                md5(key, challenge + response[16:]), response[:16])

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def setup(self):
                super().setup()
                self.number, self.user, self.challenge = next(numbers), None, None
            def log_message(self, *arguments): pass
            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                field = self.headers.get("Authorization", "")
                message = base64.b64decode(field[5:]) if field.startswith("NTLM ") else b""
                kind = struct.unpack_from("<I", message, 8)[0] if message[:8] == b"NTLMSSP\0" else "-"
                with lock: print(self.number, self.command, kind, flush=True)
                offer = None
                if kind == 1:
                    self.user, self.challenge = None, os.urandom(8)
                    offer = "NTLM " + base64.b64encode(type2(self.challenge)).decode()
                elif kind == 3 and self.challenge and verifies(message, self.challenge):
                    self.user, self.challenge = user, None
                elif self.user is None or kind == 3:
                    self.user, offer = None, "NTLM"
                text = b"denied" if offer else f"{self.user} {len(body)}".encode()
                self.send_response(401 if offer else 200)
                if offer: self.send_header("WWW-Authenticate", offer)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                if self.command != "HEAD": self.wfile.write(text)
            do_GET = do_HEAD = do_POST = do_PUT = answer

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        print("port", server.server_port, flush=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        sys.stdin.read()
        """#
}
