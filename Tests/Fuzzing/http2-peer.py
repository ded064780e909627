"""A TLS server that speaks just enough HTTP/2, and responds with the bytes it is given.

It prints its port. Each line of its input is a case, three fields with colons between: in hexadecimal, the bytes after
the client's preface and the response to each request, then 1 if the connection is closed after it. It prints a line for
each case. In a response, 7ffffffe is a placeholder for the number of the request's stream.
"""

import pathlib
import socket
import ssl
import subprocess
import sys
import tempfile
import threading

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
STREAM = bytes.fromhex("7ffffffe")
HEADERS = 1

current = (b"", b"", False)


def context():
    with tempfile.TemporaryDirectory() as folder:
        key, certificate = pathlib.Path(folder, "key"), pathlib.Path(folder, "certificate")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
            + ["-days", "2", "-subj", "/CN=127.0.0.1", "-keyout", key, "-out", certificate],
            check=True,
            capture_output=True,
        )
        made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        made.load_cert_chain(certificate, key)
    made.set_alpn_protocols(["h2"])
    return made


def read(connection, count):
    data = b""
    while len(data) < count:
        more = connection.recv(count - len(data))
        if not more:
            raise ConnectionError
        data += more
    return data


def serve(plain, tls):
    try:
        plain.settimeout(5)
        with tls.wrap_socket(plain, server_side=True) as connection:
            if read(connection, len(PREFACE)) != PREFACE:
                return
            connection.sendall(current[0])
            while True:
                head = read(connection, 9)
                read(connection, int.from_bytes(head[:3], "big"))
                if head[3] == HEADERS:
                    _, answer, closes = current
                    connection.sendall(answer.replace(STREAM, head[5:9]))
                    if closes:
                        return
    # How the client reacts to the response is checked by the fuzz target.
    except (OSError, ssl.SSLError):
        pass
    finally:
        plain.close()


def accept(listener, tls):
    while True:
        plain, _ = listener.accept()
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=serve, args=(plain, tls), daemon=True).start()


def main():
    global current
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=accept, args=(listener, context()), daemon=True).start()
    print(listener.getsockname()[1], flush=True)
    for line in sys.stdin:
        start, answer, closes = line.strip().split(":")
        current = (bytes.fromhex(start), bytes.fromhex(answer), closes == "1")
        print("ok", flush=True)


main()
