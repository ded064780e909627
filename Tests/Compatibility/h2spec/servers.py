"""Builds h2specd from a checkout, and runs its servers, each of which misbehaves in one way, for one client."""
import os
import pathlib
import re
import shutil
import socket
import subprocess
import threading

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCRATCH = ROOT / ".build-compatibility/h2spec"
SECONDS = float(os.environ.get("COMPATIBILITY_TIMEOUT", 30))

# h2specd ends after three seconds in a case; the client gets the time limit for a hang, and a little more. Debian's
# file of golang.org/x/net is newer than the one that h2spec requires, and needs no change.
PATCH = rf"s/time\.Duration(3) \* time\.Second/time.Duration({SECONDS + 10:.0f}) * time.Second/"

# h2specd splits its command at spaces, so this script's name is in its working folder. For each case, the files are
# named after the port of its URL.
CLIENT = """#!/bin/sh
port=${{1##*:}}
port=${{port%/}}
timeout -k 5 {seconds:.0f} {command} "$1" >"$port.body" 2>"$port.message" </dev/null
echo $? >"$port.status"
"""


def build(checkout):
    """Builds h2specd with Debian's packages of Go, without modules, and returns its path."""
    folder = SCRATCH / "go/src/github.com/summerwind/h2spec"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(checkout, folder, ignore=shutil.ignore_patterns(".git"))
    subprocess.run(["sed", "-i", PATCH, str(folder / "spec/specd.go")], check=True)
    environment = {
        **os.environ, "GO111MODULE": "off", "GOFLAGS": "", "GOPATH": f"{SCRATCH / 'go'}:/usr/share/gocode",
        "GOCACHE": str(SCRATCH / "cache"),
    }
    program = SCRATCH / "h2specd"
    subprocess.run(["go", "build", "-o", str(program), "./cmd/h2specd"], cwd=folder, env=environment, check=True)
    return program


def make_certificate():
    """Makes a certificate for the address of the servers."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
         "30", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
         str(SCRATCH / "server.key"), "-out", str(SCRATCH / "server.crt")],
        check=True, stderr=subprocess.DEVNULL,
    )


class Ports:
    """Ranges of free ports below those that the system chooses for connections."""
    COUNT = 100

    def __init__(self):
        self.next, self.lock = 20_000, threading.Lock()

    def take(self):
        with self.lock:
            while self.next < 32_000:
                first = self.next
                self.next += self.COUNT
                if all(map(self.is_free, range(first, first + self.COUNT))):
                    return first
        raise SystemExit("no range of free ports")

    @staticmethod
    def is_free(port):
        with socket.socket() as candidate:
            try:
                candidate.bind(("127.0.0.1", port))
                return True
            except OSError:
                return False


class Case:
    """What a client did in one case: h2spec's verdict, and the client's status, body and message."""

    def __init__(self, name, title, passed, folder, port):
        self.name, self.title, self.passed = name, title, passed
        self.status = int(self.read(folder, port, "status") or -1)
        self.body = self.read(folder, port, "body")
        self.message = self.read(folder, port, "message").decode(errors="replace").strip()

    @staticmethod
    def read(folder, port, suffix):
        path = folder / f"{port}.{suffix}"
        return path.read_bytes() if path.exists() else b""


def run(program, name, command, ports, with_tls):
    """Runs all cases with one client, and returns them by name."""
    folder = SCRATCH / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    client = folder / "client"
    client.write_text(CLIENT.format(seconds=SECONDS, command=command))
    client.chmod(0o755)
    first = ports.take()
    arguments = [str(program), "--from-port", str(first), "--exec", "./client"]
    if with_tls:
        arguments += ["--tls", "--cert-file", "../server.crt", "--cert-key-file", "../server.key"]
    output = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, check=False).stdout
    (folder / "log").write_text(output)
    return {case.name: case for case in cases(output, folder, first)}


def cases(output, folder, first):
    """Reads the verdicts; the cases have the ports from the first one on, in the order of the output."""
    section, port, finished = "", first, re.search(r"^Failures: |^Finished in ", output, re.M)
    for line in output[: finished.start() if finished else None].splitlines():
        line = line.strip()
        if match := re.match(r"(\d+(?:\.\d+)*)\. ", line):
            section = match[1]
        elif match := re.match(r"(✔|×) (\d+): (.*)", line):
            yield Case(f"{section}/{match[2]}", match[3], match[1] == "✔", folder, port)
            port += 1
