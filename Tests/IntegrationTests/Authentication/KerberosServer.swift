import Ferry

/// A Kerberos realm of its own, with MIT's KDC, and a server that authenticates requests with Negotiate (RFC 4559), at
/// the path `/connection` for all later ones on their connection.
///
/// Everything is in one folder, which configuration and caches name explicitly: the system's Kerberos is not touched.
final class KerberosServer: Sendable {
    private static let programs = ["kdb5_util", "kadmin.local", "krb5kdc", "kinit"].map {
        Subprocess.executable($0, besides: ["/usr/sbin", "/usr/local/sbin"])
    }

    static let packages = "apt-get install krb5-kdc krb5-admin-server krb5-user"

    private static let isInstalled = !programs.contains(nil)

    /// Whether the tests run: without Kerberos they are skipped unless `FERRY_REQUIRE_NGINX=1` requires all servers.
    static let isWanted =
        (isInstalled && PythonServer.isWanted) || ProcessInfo.processInfo.environment["FERRY_REQUIRE_NGINX"] == "1"

    let url: URL
    /// The folder with `krb5.conf`, and the credential cache `cache` with the user's ticket.
    let folder: URL
    private let process: Subprocess

    /// Creates a realm with a user, who has a ticket, and starts its server.
    init(user: String) throws {
        guard Self.isInstalled else {
            throw Subprocess.Failure(description: "Kerberos is not installed: \(Self.packages)")
        }
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("ferry-kerberos-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let output = folder.appendingPathComponent("output.txt")
        let arguments = ["-c", Self.script, folder.path, user] + Self.programs.compactMap { $0 }
        process = try Subprocess("python3", arguments, output: output)
        url = try Subprocess.url(announcedIn: output)
    }

    deinit {
        try? process.finish()
        try? FileManager.default.removeItem(at: folder)
    }

    private static let script = #"""
        import base64, ctypes, http.server, os, socket, subprocess, sys, threading

        folder, user, create, admin, kdc, login = sys.argv[1:7]
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        files = {
            "krb5.conf": """
                [libdefaults]
                default_realm = FERRY.TEST
                dns_lookup_realm = false
                dns_lookup_kdc = false
                dns_canonicalize_hostname = false
                rdns = false
                udp_preference_limit = 1
                [realms]
                FERRY.TEST = {
                    kdc = 127.0.0.1:%d
                }
            """ % port,
            "kdc.conf": """
                [kdcdefaults]
                kdc_listen = ""
                kdc_tcp_listen = 127.0.0.1:%d
                [realms]
                FERRY.TEST = {
                    database_name = %s/principal
                    key_stash_file = %s/stash
                    acl_file = %s/acl
                }
            """ % (port, folder, folder, folder),
        }
        for name, text in files.items():
            with open(folder + "/" + name, "w") as file: file.write("\n".join(line.strip() for line in text.split("\n")))
        os.environ.update(
            KRB5_CONFIG=folder + "/krb5.conf", KRB5_KDC_PROFILE=folder + "/kdc.conf",
            KRB5CCNAME="FILE:" + folder + "/cache", KRB5_KTNAME="FILE:" + folder + "/keytab")

        def run(*command, input=None):
            done = subprocess.run(command, input=input, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
            if done.returncode: sys.exit("%s: %s" % (command, done.stdout))

        run(create, "-r", "FERRY.TEST", "create", "-s", "-P", "master")
        run(admin, "-r", "FERRY.TEST", "-q", "addprinc -pw secret " + user)
        run(admin, "-r", "FERRY.TEST", "-q", "addprinc -randkey HTTP/localhost")
        run(admin, "-r", "FERRY.TEST", "-q", "ktadd -k %s/keytab HTTP/localhost" % folder)
        # The center gets SIGTERM when this program ends, however it ends.
        libc = ctypes.CDLL(None)
        center = subprocess.Popen(
            [kdc, "-n", "-r", "FERRY.TEST"], preexec_fn=lambda: libc.prctl(1, 15),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(400):
            try:
                socket.create_connection(("127.0.0.1", port), 5).close()
                break
            except OSError: threading.Event().wait(0.05)
        gss = ctypes.CDLL("libgssapi_krb5.so.2")

        class Buffer(ctypes.Structure):
            _fields_ = [("length", ctypes.c_size_t), ("value", ctypes.c_void_p)]

        def accept(token):
            minor, context, name = ctypes.c_uint32(), ctypes.c_void_p(), ctypes.c_void_p()
            kept = ctypes.create_string_buffer(token, len(token))
            given, reply, text = Buffer(len(token), ctypes.cast(kept, ctypes.c_void_p)), Buffer(), Buffer()
            major = gss.gss_accept_sec_context(
                ctypes.byref(minor), ctypes.byref(context), None, ctypes.byref(given), None, ctypes.byref(name), None,
                ctypes.byref(reply), None, None, None)
            if major != 0: return None, b""
            gss.gss_display_name(ctypes.byref(minor), name, ctypes.byref(text), None)
            return ctypes.string_at(text.value, text.length).decode(), ctypes.string_at(reply.value, reply.length)

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def log_message(self, *arguments): pass
            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                field = self.headers.get("Authorization", "")
                is_ours = field.startswith("Negotiate ")
                name, reply = accept(base64.b64decode(field[10:])) if is_ours else (None, b"")
                # Like some servers, assigns all requests on the connection to its user.
                if self.path == "/connection": name = self.known = name or getattr(self, "known", None)
                text = ("%s %d" % (name, len(body)) if name else "denied").encode()
                self.send_response(200 if name else 401)
                self.send_header("WWW-Authenticate", ("Negotiate " + base64.b64encode(reply).decode()).strip())
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)
            do_GET = do_POST = answer

        run(login, user, input="secret\n")
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        print("port", server.server_port, flush=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        sys.stdin.read()
        center.terminate()
        center.wait(20)
        """#
}
