import Ferry

/// A server of the package `tuspyserver` for Python, which takes uploads by tus.
///
/// It ends when its input ends.
package final class TusServer: Sendable {
    private static let isInstalled: Bool = {
        (try? Subprocess.run("python3", ["-c", "import tuspyserver, uvicorn"])) != nil
    }()

    /// Whether the tests run: without the package they are skipped unless `FERRY_REQUIRE_NGINX=1` requires all servers.
    package static let isWanted = isInstalled || ProcessInfo.processInfo.environment["FERRY_REQUIRE_NGINX"] == "1"

    private let process: Subprocess
    private let base: URL

    /// The URL that creates uploads.
    package var url: URL { base.appendingPathComponent("files/") }

    /// Starts a server that keeps uploads in a folder.
    package init(folder: URL) throws {
        guard Self.isInstalled else {
            throw Subprocess.Failure(
                description: "A package is missing: python3 -m pip install tuspyserver uvicorn"
            )
        }
        (process, base) = try Subprocess.python(Self.script, [folder.path])
    }

    deinit { try? process.finish() }

    private static let script = #"""
        import os, socket, sys, threading
        import uvicorn
        from fastapi import FastAPI
        from tuspyserver import create_tus_router

        app = FastAPI()
        app.include_router(create_tus_router(prefix="files", files_dir=sys.argv[1]))
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        listener.listen(64)
        server = uvicorn.Server(uvicorn.Config(app, log_level="critical"))

        def end():
            sys.stdin.read()
            os._exit(0)

        threading.Thread(target=end, daemon=True).start()
        print("port", listener.getsockname()[1], flush=True)
        server.run(sockets=[listener])
        """#
}
