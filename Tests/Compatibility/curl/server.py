"""Servers that send the replies of a case byte for byte, and record the requests."""
import os
import re
import socket
import ssl
import struct
import threading
import time

# The bytes of a reply that are sent at once: few, so that the client has to join the parts of a reply.
PIECE = int(os.environ.get("COMPATIBILITY_PIECE", 20))


class Commands:
    """The instructions for the server in a case."""

    def __init__(self, case, certificate):
        self.certificate = certificate
        lines = case.lines_of("reply", "servercmd")
        numbers = dict(re.findall(r"^(skip|writedelay): (\d+)", "\n".join(lines), re.M))
        self.needs_authorization = "auth_required" in lines
        self.closes = "swsclose" in lines
        self.ignores_expect = "no-expect" in lines
        self.skipped = int(numbers.get("skip", 0))
        self.delay = int(numbers.get("writedelay", 0)) / 1000
        waits = [line.split() for line in case.lines_of("reply", "postcmd")]
        self.wait = sum(float(words[1]) for words in waits if words[0] == "wait")


class Server:
    """Listens at an address, and replies to each request with the part of the case that its target asks for."""

    def __init__(self, family=socket.AF_INET, address=("127.0.0.1", 0), origin=None):
        """Creates a server at an address; a proxy passes the requests in its tunnels on to the origin."""
        self.origin = origin or self
        self.listener = socket.socket(family, socket.SOCK_STREAM)
        if family != socket.AF_UNIX:
            self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind(address)
        self.listener.listen(64)
        self.case, self.connections = None, []
        self.lock = threading.Lock()

    @property
    def port(self):
        return self.listener.getsockname()[1]

    def start(self, case, certificate):
        """Replies with the parts of a case from now on, as if no request had been received."""
        is_new = self.case is None
        with self.lock:
            self.case, self.commands, self.received = case, Commands(case, certificate), []
            self.previous, self.bounces, self.was_challenge = None, False, False
        if is_new:
            threading.Thread(target=self.accept, daemon=True).start()

    def stop(self):
        with self.lock:
            for connection in [self.listener, *self.connections]:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
                connection.close()
            self.connections = []

    def record(self, data):
        with self.lock:
            self.received.append((time.monotonic(), data))

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with self.lock:
                self.connections.append(connection)
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        connection.settimeout(20)
        try:
            if connection.family != socket.AF_UNIX:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self.greet(connection):
                self.converse(connection)
        except (OSError, ValueError):
            pass
        connection.close()

    def converse(self, connection):
        """Replies to the requests on a connection until it is to be closed."""
        while self.exchange(connection):
            pass
        self.finish(connection)

    def converse_over_tls(self, connection, certificate):
        """Replies to the requests on a connection that begins with a handshake of TLS."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        with context.wrap_socket(connection, server_side=True) as secured:
            with self.lock:
                self.connections.append(secured)
            self.converse(secured)

    def greet(self, connection):
        """Does what comes before the first request, and returns whether requests follow."""
        return True

    def finish(self, connection):
        """Closes the connection so that the client can still read what was sent."""
        if isinstance(connection, ssl.SSLSocket):
            connection.settimeout(0.3)
            connection = connection.unwrap()
        connection.shutdown(socket.SHUT_WR)
        connection.settimeout(0.3)
        end = time.monotonic() + 1
        while time.monotonic() < end and connection.recv(65536):
            pass

    def exchange(self, connection):
        """Receives a request, sends its reply, and returns whether the connection stays open."""
        request = self.receive(connection)
        if request is None:
            return False
        self.record(request)
        reply = self.reply(request)
        position = 0
        while position < len(reply):
            size = 20 if self.commands.delay else PIECE if position < 4000 else 8192
            connection.sendall(reply[position:position + size])
            position += size
            if self.commands.delay:
                time.sleep(self.commands.delay)
        time.sleep(self.commands.wait)
        if request.startswith(b"CONNECT ") and re.match(rb"HTTP/1.\d 2", reply):
            self.origin.converse_over_tls(connection, self.commands.certificate)
            return False
        # The unread rest of a body would be treated as a request.
        closes = self.commands.closes or self.commands.skipped or b"swsclose" in reply
        return bool(reply) and not closes

    def receive(self, connection):
        data = b""

        def more():
            nonlocal data
            received = connection.recv(65536)
            data += received
            return bool(received)

        while b"\r\n\r\n" not in data:
            if not more():
                # The bytes after a body that was not read completely are the rest of the body.
                if data and not self.commands.skipped:
                    self.record(data)
                return None
        end = data.index(b"\r\n\r\n") + 4
        head = data[:end]
        if self.commands.needs_authorization and b"Authorization:" not in head:
            return data
        if self.commands.ignores_expect and re.search(rb"^Expect: 100-continue", head, re.M | re.I):
            return data
        if re.search(rb"^Transfer-Encoding: chunked", head, re.M | re.I):
            while not re.search(rb"(^|\r\n)0\r\n([^\r\n]+\r\n)*\r\n", data[end - 2:]) and more():
                pass
            return data
        if length := re.search(rb"^Content-Length: *(\d+)", head, re.M | re.I):
            expected = int(length[1]) - self.commands.skipped
            while len(data) < end + expected and more():
                pass
            if self.commands.skipped:
                return data[:end + max(expected, 0)]
        return data

    def part(self, request):
        """Returns the number of the part that is the reply to a request."""
        target = request.split(b"\r\n")[0].decode("latin-1").rpartition(" HTTP/")[0].partition(" ")[2]
        match = re.match(r"\s*[+-]?(\d+)", target.rpartition("/")[2]) if "/" in target else None
        number = int(match[1]) % 10000 if match and int(match[1]) > 10000 else 0
        if b"Authorization: Digest" in request:
            number += 1000
        elif number >= 1000 and b"Authorization: Basic" in request:
            number += 1
        return number

    def reply(self, request):
        """Returns the reply to a request; after `swsbounce`, a second request for a part gets the next one."""
        number = self.part(request)
        kind = "connect" if request.startswith(b"CONNECT ") else "data"
        with self.lock:
            # libcurl asks for a challenge itself, also after Ferry has received one.
            repeats = b"Authorization:" not in request and self.was_challenge
            if self.bounces and number == self.previous and not repeats:
                number += 1
            self.previous = number
        reply = self.case.data("reply", f"{kind}{number or ''}") or b""
        self.bounces = b"swsbounce" in reply
        self.was_challenge = bool(re.search(rb"^WWW-Authenticate: *Digest", reply, re.M | re.I))
        return reply


class TLSServer(Server):
    """Accepts TLS, and passes the requests on to the origin."""

    def __init__(self, origin):
        super().__init__(origin=origin)

    def converse(self, connection):
        self.origin.converse_over_tls(connection, self.commands.certificate)


class SocksServer(Server):
    """Accepts every SOCKS 4 or 5 request, and replies on the same connection as if it were the destination."""

    def receive_exactly(self, connection, count):
        data = b""
        while len(data) < count:
            received = connection.recv(count - len(data))
            if not received:
                raise ValueError("the client has closed the connection")
            data += received
        return data

    def receive_text(self, connection):
        while self.receive_exactly(connection, 1) != b"\0":
            pass

    def greet(self, connection):
        if self.receive_exactly(connection, 1) == b"\4":
            _, _, address = struct.unpack("!BHI", self.receive_exactly(connection, 7))
            self.receive_text(connection)
            if address < 256:
                self.receive_text(connection)
            connection.sendall(b"\0\x5a" + bytes(6))
            return True
        self.receive_exactly(connection, self.receive_exactly(connection, 1)[0])
        connection.sendall(b"\5\0")
        kind = self.receive_exactly(connection, 4)[3]
        length = {1: 4, 4: 16}.get(kind) or self.receive_exactly(connection, 1)[0]
        self.receive_exactly(connection, length + 2)
        connection.sendall(b"\5\0\0\1" + bytes(6))
        return True
