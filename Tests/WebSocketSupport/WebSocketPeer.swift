import Ferry
import NginxSupport
import TestSupport

/// A server of the `websockets` package for Python.
///
/// It ends when its input ends, however the tests end.
package final class WebSocketPeer: Sendable {
    private static let isInstalled: Bool = {
        (try? Subprocess.run("python3", ["-c", "import websockets.asyncio.server"])) != nil
    }()

    /// Whether the tests run: without the package they are skipped unless `FERRY_REQUIRE_NGINX=1` requires all servers.
    package static let isWanted = isInstalled || ProcessInfo.processInfo.environment["FERRY_REQUIRE_NGINX"] == "1"

    /// Returns the server that all tests share, started on first use.
    package static func shared() throws -> WebSocketPeer { try sharedResult.get() }

    private static let sharedResult = Result { try WebSocketPeer() }

    private let process: Subprocess
    private let port: Int

    /// Returns the URL of a path, which selects the server's behavior.
    package func url(_ path: String) -> URL {
        URL(string: "ws://127.0.0.1:\(port)/\(path)") ?? URL(fileURLWithPath: "/")
    }

    /// Starts a server, over TLS if there is a certificate.
    package init(certificate: URL? = nil, key: URL? = nil) throws {
        guard Self.isInstalled else {
            throw Subprocess.Failure(
                description: "The package websockets is missing: python3 -m pip install websockets"
            )
        }
        let files = [certificate, key].compactMap { $0?.path }
        let base: URL
        (process, base) = try Subprocess.python(Self.script, files)
        port = base.port ?? 0
    }

    deinit { try? process.finish() }

    private static let script = #"""
        import asyncio, http, json, ssl, sys
        from urllib.parse import unquote
        from websockets.asyncio.server import serve

        def process(connection, request):
            path = request.path.split("/")[1:]
            if path[0] == "refuse":
                return connection.respond(int(path[1]), "not today\n")
            if path[0] == "redirect":
                response = connection.respond(302, "")
                response.headers["Location"] = "/" + "/".join(path[1:])
                response.headers["Set-Cookie"] = "from=redirect; Path=/"
                return response
            if path[0] == "login" and request.headers.get("Authorization") != "Basic YWRhOmxvdmU=":
                response = connection.respond(401, "who?\n")
                response.headers["WWW-Authenticate"] = 'Basic realm="here"'
                return response

        async def handle(connection):
            path = connection.request.path.split("?")[0].split("/")[1:]
            if path[0] == "fields":
                fields = {name.lower(): value for name, value in connection.request.headers.raw_items()}
                fields[":path"] = connection.request.path
                await connection.send(json.dumps(fields))
            if path[0] == "close":
                return await connection.close(int(path[1]), unquote(path[2]))
            if path[0] == "count":
                for number in range(int(path[1])):
                    await connection.send(str(number))
                return
            if path[0] == "fragments":
                await connection.send(letter for letter in ["κό", "σ", "", "με"])
            if path[0] == "binary":
                return await connection.send(bytes([0, 255, 10]))
            if path[0] == "drop":
                return connection.transport.abort()
            async for message in connection:
                await connection.send(message)

        def choose(connection, offered):
            return next((name for name in offered if name in ("chat", "other")), None)

        async def main():
            context = None
            if len(sys.argv) > 2:
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(sys.argv[1], sys.argv[2])
            server = await serve(
                handle, "127.0.0.1", 0, ssl=context, subprotocols=["chat", "other"], select_subprotocol=choose, max_size=1 << 30,
                process_request=process, ping_interval=None,
            )
            print("port", server.sockets[0].getsockname()[1], flush=True)
            await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)

        asyncio.run(main())
        """#
}
