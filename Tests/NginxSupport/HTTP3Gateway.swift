import Ferry

/// An HTTP/3 server from Python's `aioquic` that passes requests on to nginx, if nginx lacks HTTP/3.
///
/// It ends when its input ends, however the tests end.
package final class HTTP3Gateway: Sendable {
    package static let isInstalled: Bool = {
        (try? Subprocess.run("python3", ["-c", "import aioquic.asyncio, aioquic.h3.connection"])) != nil
    }()

    private let process: Mutex<Subprocess?>

    /// Starts a server at a UDP port, which passes requests to a server without TLS at the port `target`; `/unanswered`
    /// gets no response.
    package init(port: UInt16, target: UInt16, certificate: URL, key: URL) throws {
        let arguments = ["\(port)", "\(target)", certificate.path, key.path]
        process = Mutex(try Subprocess.python(Self.script, arguments).process)
    }

    deinit { try? process.withLock { $0 }?.finish() }

    /// Ends the server, without telling its clients.
    package func stop() {
        let process = process.withLock { process in
            defer { process = nil }
            return process
        }
        process?.terminate()
    }

    private static let script = #"""
        import asyncio, http.client, sys
        from aioquic.asyncio import QuicConnectionProtocol, serve
        from aioquic.h3.connection import H3_ALPN, H3Connection
        from aioquic.h3.events import DataReceived, HeadersReceived
        from aioquic.quic.configuration import QuicConfiguration
        from aioquic.quic.events import ProtocolNegotiated

        port, target = int(sys.argv[1]), int(sys.argv[2])

        class Gateway(QuicConnectionProtocol):
            http = None
            requests = None

            def quic_event_received(self, event):
                if isinstance(event, ProtocolNegotiated):
                    self.http, self.requests = H3Connection(self._quic), {}
                if self.http is None:
                    return
                for found in self.http.handle_event(event):
                    if isinstance(found, HeadersReceived):
                        self.requests.setdefault(found.stream_id, (found.headers, bytearray()))
                    elif isinstance(found, DataReceived):
                        self.requests[found.stream_id][1].extend(found.data)
                    else:
                        continue
                    if found.stream_ended:
                        headers, body = self.requests.pop(found.stream_id)
                        loop = asyncio.get_running_loop()
                        loop.run_in_executor(None, self.forward, loop, found.stream_id, headers, bytes(body))

            # Runs on a thread of its own, since it waits for nginx.
            def forward(self, loop, stream, headers, body):
                fields = {name.decode(): value.decode() for name, value in headers}
                method, path = fields[":method"], fields[":path"]
                if path == "/unanswered":
                    return
                connection = http.client.HTTPConnection("127.0.0.1", target)
                connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
                connection.putheader("Host", fields.get(":authority", "localhost"))
                for name, value in fields.items():
                    if not name.startswith(":") and name != "content-length":
                        connection.putheader(name, value)
                if body or method in ("POST", "PUT"):
                    connection.putheader("Content-Length", str(len(body)))
                connection.endheaders(body or None)
                response = connection.getresponse()
                kept = [(b":status", str(response.status).encode())]
                for name, value in response.getheaders():
                    if name.lower() not in ("connection", "transfer-encoding", "x-protocol", "x-connection"):
                        kept.append((name.lower().encode(), value.encode()))
                kept.append((b"x-protocol", b"HTTP/3.0"))
                loop.call_soon_threadsafe(self.send, stream, kept, b"", False)
                while True:
                    piece = response.read(262144)
                    loop.call_soon_threadsafe(self.send, stream, None, piece, not piece)
                    if not piece:
                        return connection.close()

            def send(self, stream, headers, piece, is_end):
                try:
                    if headers:
                        self.http.send_headers(stream, headers)
                    else:
                        self.http.send_data(stream, piece, is_end)
                    self.transmit()
                except Exception:
                    pass  # The client has given the request up.

        async def main():
            configuration = QuicConfiguration(alpn_protocols=H3_ALPN, is_client=False)
            configuration.load_cert_chain(sys.argv[3], sys.argv[4])
            await serve("127.0.0.1", port, configuration=configuration, create_protocol=Gateway)
            print("port", port, flush=True)
            await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)

        asyncio.run(main())
        """#
}
