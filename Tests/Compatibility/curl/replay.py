"""Runs ferry for one case, with the servers and files that the case needs."""
import os
import pathlib
import re
import shutil
import socket
import subprocess

from casefile import Case, Skip
from command import Command
from compare import exit_difference, file_differences, output_differences, request_differences, response_differences
from messages import responses
from selection import check_selection, servers_of
from server import Server, SocksServer, TLSServer

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCRATCH = ROOT / ".build-compatibility/curl"
FERRY = os.environ.get("FERRY", str(ROOT / ".build/debug/ferry"))
SECONDS = float(os.environ.get("COMPATIBILITY_TIMEOUT", 30))


class Run:
    """One case with its servers, its folder and what ferry has done."""

    def __init__(self, number, path):
        self.original = Case.load(number, path)
        self.folder = SCRATCH / "cases" / str(number)
        self.servers = {}
        # A port at which nothing listens.
        self.closed = socket.socket()
        self.with_output = False
        # The servers with TLS have the certificates that are part of the checkout.
        self.sources = path.parents[1]
        names = [line.split()[1:] for line in self.original.lines_of("client", "server") if line.startswith("https")]
        certificate = [*names, []][0]
        self.certificate = self.sources / (f"certs/{certificate[0]}" if certificate else "stunnel.pem")

    def listen(self, servers):
        self.closed.bind(("127.0.0.1", 0))
        http, socks = Server(), SocksServer()
        proxy, tls = Server(origin=http), TLSServer(http)
        self.servers = {"http": http, "proxy": proxy, "socks": socks, "tls": tls}
        ipv6 = unix = None
        if "http-ipv6" in servers:
            try:
                ipv6 = self.servers["ipv6"] = Server(socket.AF_INET6, ("::1", 0))
            except OSError:
                raise Skip("this machine has no IPv6") from None
        if "http-unix" in servers:
            unix = str(self.folder / "http.socket")
            self.servers["unix"] = Server(socket.AF_UNIX, unix)
        return {
            "HOSTIP": "127.0.0.1", "HTTPPORT": http.port, "PROXYPORT": proxy.port, "SOCKSPORT": socks.port,
            "HTTPSPORT": tls.port,
            "CLIENTIP": "127.0.0.1", "CLIENT6IP": "[::1]", "HOST6IP": "[::1]", "HTTP6PORT": ipv6.port if ipv6 else 0,
            "HTTPUNIXPATH": unix or "", "NOLISTENPORT": self.closed.getsockname()[1], "LOGDIR": "log",
            "SRCDIR": str(self.sources),
            "PWD": str(self.folder), "POSIX_PWD": str(self.folder), "FILE_PWD": str(self.folder), "VERSION": "7.88.1",
            "USER": os.environ.get("USER", "user"), "TESTNUMBER": self.original.number,
        }

    def run(self):
        """Runs ferry, and returns the differences."""
        check_selection(self.original)
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "log").mkdir(parents=True)
        try:
            case = self.original.prepared(self.listen(servers_of(self.original)))
            command = Command(case)
            if command.has_tunnels:
                case = case.over_tls()
            self.write_files(case)
            for server in self.servers.values():
                server.start(case, self.certificate)
            status, output = self.run_ferry(case, command.arguments, command.environment)
            if isinstance(status, str):
                return [status]
            found = list(self.differences(case, command, status, output))
            if command.has_one_body:
                found += self.differences_of_output(case, command, status, output, found)
            return found
        finally:
            for server in self.servers.values():
                server.stop()
            self.closed.close()

    def differences_of_output(self, case, command, status, output, found):
        """Runs the case once more, with its body in a file, and yields what differs from the run before."""
        self.keep_only_logs()
        self.write_files(case)
        for server in self.servers.values():
            server.start(case, self.certificate)
        file_status, rest = self.run_ferry(case, [*command.arguments, "--output", "body"], command.environment)
        if isinstance(file_status, str):
            yield file_status
            return
        self.with_output = True
        yield from output_differences(
            status, output, file_status, rest, self.folder / "body", "--fail-with-body" in command.names
        )
        kinds = {difference.partition(":")[0] for difference in found}
        for difference in self.request_differences(case, command):
            if "request" not in kinds:
                yield f"output: {difference}"

    def keep_only_logs(self):
        """Removes the files of the first run, except what has been logged and the sockets."""
        (self.folder / "log").rename(self.folder / "log-without-output")
        for path in self.folder.iterdir():
            if path.is_file():
                path.unlink()
            elif path.is_dir() and path.name != "log-without-output":
                shutil.rmtree(path)
        (self.folder / "log").mkdir()

    def write_files(self, case):
        for suffix in ("", "1", "2", "3", "4"):
            contents = case.data("client", "file" + suffix)
            if contents is not None:
                path = self.folder / case.attributes("client", "file" + suffix)["name"]
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(contents)

    def run_ferry(self, case, arguments, variables):
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8"}
        environment["SWIFT_BACKTRACE"] = "enable=no"
        for line in case.lines_of("client", "setenv"):
            name, _, value = line.partition("=")
            environment[name] = value
        environment |= variables
        for name in ("LD_LIBRARY_PATH", "FERRY_LIBCURL", "TMPDIR"):
            if name in os.environ:
                environment.setdefault(name, os.environ[name])
        (self.folder / "command").write_text("\n".join([FERRY, *arguments]) + "\n", encoding="latin-1")
        with open(self.folder / "log/errors", "wb") as errors:
            try:
                result = subprocess.run(
                    [FERRY, *(argument.encode("latin-1") for argument in arguments)],
                    input=case.data("client", "stdin") or b"", stdout=subprocess.PIPE, stderr=errors, env=environment,
                    cwd=self.folder, timeout=SECONDS,
                )
            except subprocess.TimeoutExpired:
                return f"hang: no end after {SECONDS:g} s", b""
        (self.folder / f"log/stdout{case.number}").write_bytes(result.stdout)
        if result.returncode < 0 or result.returncode > 128 and result.returncode not in (130, 141, 143):
            return f"crash: {result.returncode}", b""
        return result.returncode, result.stdout

    def request_differences(self, case, command):
        strip = case.lines_of("verify", "strip")
        methods = [value for name, value in zip(command.arguments, command.arguments[1:]) if name == "--request"]
        for part, roles in (("protocol", ["http", "ipv6", "unix", "socks"]), ("proxy", ["proxy"])):
            wanted = case.data("verify", part)
            if part == "protocol" and not case.find("verify", "proxy"):
                roles = [*roles, "proxy"]
            logs = [self.servers[role].received for role in roles if role in self.servers]
            received = b"".join(data for _, data in sorted(entry for log in logs for entry in log))
            (self.folder / "log" / part).write_bytes(received)
            if wanted:
                yield from request_differences(wanted, received, strip, command.keeps_cookies, methods)

    def differences(self, case, command, status, output):
        expected = case.data("verify", "stdout")
        if expected is None:
            expected = case.reply_to_check()
        if expected is not None:
            # The responses to CONNECT are not delivered.
            asked = [case.data("verify", part) or b"" for part in ("protocol", "proxy")]
            count = sum(data.count(b"CONNECT ") for data in asked)
            for part in ("connect", "connect1000"):
                head = re.match(rb".*?\n\r?\n", case.data("reply", part) or b"", re.S)
                expected = expected.replace(head[0], b"", count) if head else expected
        if command.names & {"--output", "--remote-name"} and not case.find("verify", "stdout"):
            expected = None
        if expected is not None:
            # Without a check of the whole output, curl writes its first URL to a file, which is compared.
            only_first = len(command.urls) > 1 and not case.find("verify", "stdout")
            yield from response_differences(expected, output, command.shows_each_head, only_first)
        delivered = responses(output)[1]
        if difference := exit_difference(case, status, delivered):
            yield difference
        yield from self.request_differences(case, command)
        for check in case.lines_of("client", "postcheck"):
            if "notexists.pl" in check:
                paths = check.split("notexists.pl")[1].split()
                yield from (f"file: {path} exists" for path in paths if (self.folder / path).exists())
        for suffix in ("", "1", "2", "3", "4"):
            contents = case.data("verify", "file" + suffix)
            name = case.attributes("verify", "file" + suffix).get("name", "")
            # Messages for people differ, and changes of the contents are written in Perl.
            if contents is not None and "stderr" not in name and not case.find("verify", "stripfile" + suffix):
                path = self.folder / name
                yield from file_differences(name, contents, path.read_bytes() if path.is_file() else None)
