import Ferry

/// A peer that sends HTTP/2 frame by frame over TLS, correctly or not (RFC 9113).
///
/// Its first connection may misbehave; the others respond to every request with 200, and with two bytes or, as it
/// comes, the request's body.
final class RawHTTP2Peer: Sendable {
    /// How the first connection reacts to a request.
    enum Manner: String, CaseIterable, Sendable {
        /// Sends nothing.
        case stall
        /// Sends a header block that repeats an entry of 4,000 bytes 12,000 times (RFC 7541).
        case headerBomb
        /// Refers to a table entry that does not exist.
        case invalidIndex
        /// Announces the end of the connection with GOAWAY, and keeps it open.
        case goAway
        /// Refuses the stream.
        case refuse
        /// Asks for the request over HTTP/1.1, after a part of its body.
        case requireHTTP1
        /// Asks for the second request over HTTP/1.1.
        case requireHTTP1Later
        /// Asks for the request over HTTP/1.1 after half of the response, as soon as there is another one.
        case requireHTTP1Halfway
        /// Sends header fragments that never end.
        case continuationFlood
        /// Sends a frame for a stream that was never opened.
        case unknownStream
        /// Sends a frame larger than allowed.
        case oversizedFrame
        /// Pushes, which is not allowed.
        case push
        /// Raises the flow-control window beyond its limit.
        case windowOverflow
        /// Sends pings by the thousand.
        case pingFlood
        /// Sends a body that never ends in frames of one byte.
        case smallFrames
        /// Sends frames without data that never end.
        case emptyFrames
        /// Sends frames that have nothing but padding, and never end.
        case paddedFrames
        /// Sends frames of a type that is not known, which never end (RFC 9113, section 4.1).
        case unknownFrames

        /// Whether the request is answered, after it was sent again.
        var isAnswered: Bool { [.goAway, .refuse, .requireHTTP1, .requireHTTP1Later].contains(self) }

        /// Whether the response never ends.
        var isEndless: Bool {
            [.requireHTTP1Halfway, .smallFrames, .emptyFrames, .paddedFrames, .unknownFrames].contains(self)
        }
    }

    let url: URL
    private let process: Subprocess
    private let output: URL

    /// Starts the peer; without a manner, the first connection behaves like the others.
    init(_ manner: Manner?, certificate: URL, key: URL) throws {
        output = FileManager.default.temporaryDirectory.appendingPathComponent("ferry-\(UUID().uuidString).txt")
        process = try Subprocess(
            "python3",
            ["-c", Self.script, manner?.rawValue ?? "", certificate.path, key.path],
            output: output
        )
        for _ in 0..<1200 {
            let text = try String(contentsOf: output, encoding: .utf8)
            if let line = text.split(separator: "\n").first, text.contains("\n"), line.hasPrefix("port "),
                let url = URL(string: "https://localhost:\(line.dropFirst(5))/")
            {
                self.url = url
                return
            }
            usleep(25_000)
        }
        throw Subprocess.Failure(description: "The HTTP/2 peer did not start")
    }

    deinit {
        try? process.finish()
        try? FileManager.default.removeItem(at: output)
    }

    private static let script = #"""
        import os, socket, ssl, struct, sys, threading
        from socket import IPPROTO_TCP, TCP_NODELAY

        manner, certificate, key = sys.argv[1:4]
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        context.set_alpn_protocols(["h2", "http/1.1"])
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        listener.listen(64)
        print("port %d" % listener.getsockname()[1], flush=True)
        DATA, HEADERS, RST, SETTINGS, PUSH, PING, GOAWAY, WINDOW, CONTINUATION = 0, 1, 3, 4, 5, 6, 7, 8, 9
        END_STREAM, END_HEADERS, PADDED, ACK = 1, 4, 8, 1

        def frame(kind, flags, stream, payload=b""):
            return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload

        def bomb(stream):
            value = b"x" * 4000
            entry = b"\x40\x01a\x7f" + bytes([0x80 | (3873 & 0x7F), 3873 >> 7]) + value
            block = b"\x88" + entry + b"\xbe" * 12000
            parts = [block[start:start + 16000] for start in range(0, len(block), 16000)]
            for index, part in enumerate(parts):
                last = END_HEADERS if index == len(parts) - 1 else 0
                yield frame(CONTINUATION if index else HEADERS, last, stream, part)
            yield frame(DATA, END_STREAM, stream, b"ok")

        def respond_over_http1(connection, reader):
            while reader.readline():
                length, chunked = 0, False
                while field := reader.readline().strip().lower():
                    name, _, value = field.partition(b":")
                    if name == b"content-length": length = int(value)
                    if name == b"transfer-encoding": chunked = True
                body = reader.read(length)
                while chunked:
                    size = int(reader.readline(), 16)
                    body += reader.read(size)
                    reader.readline()
                    chunked = size > 0
                body = body or b"ok"
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)

        def misbehave(connection, stream, ends):
            send = connection.sendall
            if manner == "headerBomb":
                for piece in bomb(stream): send(piece)
            elif manner == "invalidIndex": send(frame(HEADERS, END_HEADERS, stream, b"\x88\xff\xff\xff\xff\x01"))
            elif manner == "goAway": send(frame(GOAWAY, 0, 0, struct.pack(">II", 0, 11)))
            elif manner == "refuse": send(frame(RST, 0, stream, struct.pack(">I", 7)))
            elif manner == "requireHTTP1Halfway":
                send(frame(HEADERS, END_HEADERS, stream, b"\x88") + frame(DATA, 0, stream, b"half"))
            elif manner.startswith("requireHTTP1") and ends: send(frame(RST, 0, stream, struct.pack(">I", 13)))
            elif manner == "continuationFlood":
                send(frame(HEADERS, 0, stream, b"\x88"))
                while True: send(frame(CONTINUATION, 0, stream, b"\x00\x01a\x01b" * 3000))
            elif manner == "unknownStream": send(frame(DATA, 0, stream + 1000, b"x"))
            elif manner == "oversizedFrame": send(frame(DATA, 0, stream, b"x" * 1000000))
            elif manner == "push": send(frame(PUSH, END_HEADERS, stream, struct.pack(">I", 2) + b"\x82\x84\x87"))
            elif manner == "windowOverflow": send(frame(WINDOW, 0, 0, struct.pack(">I", 0x7FFFFFFF)) * 2)
            elif manner == "pingFlood":
                while True: send(frame(PING, 0, 0, b"12345678") * 1000)
            elif manner in ("smallFrames", "emptyFrames", "paddedFrames", "unknownFrames"):
                send(frame(HEADERS, END_HEADERS, stream, b"\x88"))
                piece = {
                    "smallFrames": frame(DATA, 0, stream, b"x"), "emptyFrames": frame(DATA, 0, stream),
                    "paddedFrames": frame(DATA, PADDED, stream, b"\x00"), "unknownFrames": frame(66, 0, stream),
                }[manner]
                # Whole records, faster than they can be read.
                pieces = piece * (16384 // len(piece))
                while True: send(pieces)

        def serve(socket, index):
            try:
                socket.setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)
                connection = context.wrap_socket(socket, server_side=True)
                reader = connection.makefile("rb")
                if connection.selected_alpn_protocol() != "h2": return respond_over_http1(connection, reader)
                later, half = manner == "requireHTTP1Later", None
                if len(reader.read(24)) < 24: return
                connection.sendall(frame(SETTINGS, 0, 0))
                while True:
                    head = reader.read(9)
                    if len(head) < 9: return
                    length, kind, flags = int.from_bytes(head[:3], "big"), head[3], head[4]
                    stream = int.from_bytes(head[5:], "big")
                    payload = reader.read(length)
                    if kind == SETTINGS and not flags & ACK: connection.sendall(frame(SETTINGS, ACK, 0))
                    if kind == PING and not flags & ACK: connection.sendall(frame(PING, ACK, 0, payload))
                    if kind == HEADERS:
                        if half: connection.sendall(frame(RST, 0, half, struct.pack(">I", 13)))
                        if index == 0 and manner and not later and not half:
                            misbehave(connection, stream, flags & END_STREAM)
                            if manner == "requireHTTP1Halfway": half = stream
                        else:
                            connection.sendall(frame(HEADERS, END_HEADERS, stream, b"\x88"))
                            if flags & END_STREAM: connection.sendall(frame(DATA, END_STREAM, stream, b"ok"))
                            later = False
                    elif kind == DATA and index == 0 and manner in ("requireHTTP1", "requireHTTP1Later"):
                        misbehave(connection, stream, True)
                    elif kind == DATA and not (index == 0 and manner):
                        size = struct.pack(">I", length)
                        windows = b"".join(frame(WINDOW, 0, target, size) for target in (0, stream) if length)
                        connection.sendall(windows + frame(DATA, flags & END_STREAM, stream, payload))
            except (OSError, EOFError): pass

        def accept():
            index = 0
            while True:
                socket, _ = listener.accept()
                threading.Thread(target=serve, args=(socket, index), daemon=True).start()
                index += 1

        threading.Thread(target=accept, daemon=True).start()
        sys.stdin.read()
        os._exit(0)
        """#
}
