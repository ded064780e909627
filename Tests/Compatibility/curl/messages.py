"""Splits recorded bytes into messages, in a form in which those of curl and ferry can be compared."""
import re

METHODS = rb"GET|HEAD|POST|PUT|DELETE|OPTIONS|PATCH|CONNECT"


class Message:
    """A request or response: its first line, its fields by lower-case name, and its body."""

    def __init__(self, start, fields, body):
        self.start, self.fields, self.body = start, fields, body

    @property
    def status(self):
        return int(self.start.split()[1])

    def values(self, name):
        return [value for key, value in self.fields if key == name]

    def without(self, *names):
        return [(name, value) for name, value in self.fields if name not in names]


def fields_of(lines):
    fields = []
    for line in lines:
        if line[:1] in " \t" and fields:
            # A folded line continues the value (RFC 9112, section 5.2).
            fields[-1] = (fields[-1][0], (fields[-1][1] + " " + line.strip()).strip())
        else:
            name, _, value = line.partition(":")
            fields.append((name.strip().lower(), value.strip()))
    return fields


def split(data, pattern):
    """Splits data before each match of a pattern, and yields the parts as messages."""
    starts = [match.start() for match in re.finditer(pattern, data)]
    for start, end in zip(starts, [*starts[1:], len(data)]):
        head, separator, body = re.split(rb"(\r?\n\r?\n)", data[start:end] + b"", maxsplit=1) \
            if re.search(rb"\r?\n\r?\n", data[start:end]) else (data[start:end], b"", b"")
        lines = head.decode("latin-1").replace("\r\n", "\n").strip("\n").split("\n")
        yield Message(lines[0].strip(), fields_of(line for line in lines[1:] if line.strip()), body)


def responses(data):
    """Returns what precedes the first head, and the responses in what a client has written."""
    found = list(split(data, rb"HTTP/[\d.]+ +\d{3}(?!\d)[^\n]*\n"))
    first = re.search(rb"HTTP/[\d.]+ +\d{3}(?!\d)[^\n]*\n", data)
    return data[:first.start()] if first else data, found


def requests(data, methods=()):
    """Returns the requests that a server has received."""
    names = b"|".join([METHODS, *(re.escape(method.encode("latin-1")) for method in methods)])
    pattern = rb"(?:(?<![A-Za-z])|(?<=[a-z]))(?:" + names + rb")(?: [^\r\n]*)? HTTP/1\.[01]\r?\n"
    found = list(split(data, pattern))
    for request in found:
        if "chunked" in ",".join(request.values("transfer-encoding")).lower():
            request.body = unchunked(request.body)
        for value in request.values("content-type"):
            if match := re.search(r'boundary="?([^";]+)"?', value):
                request.body = with_plain_boundary(request.body, match[1].encode("latin-1"))
                request.fields = [
                    (name, text.replace(match[1], "BOUNDARY"))
                    for name, text in request.without("content-length")
                ]
    return found


def with_plain_boundary(body, boundary):
    """Replaces the boundary of a form, of which some cases contain only the hyphens."""
    if boundary.strip(b"-"):
        return body.replace(boundary, b"BOUNDARY")
    body = re.sub(rb"(?m)^" + boundary + rb"----(?=\r?$)", b"--BOUNDARY--", body)
    return re.sub(rb"(?m)^" + boundary + rb"--(?=\r?$)", b"--BOUNDARY", body)


def unchunked(data):
    """Returns the contents of a chunked body, or the body itself if it is not chunked."""
    contents, rest = b"", data
    while match := re.match(rb"([0-9a-fA-F]+)[^\r\n]*\r?\n", rest):
        size = int(match[1], 16)
        if size == 0:
            return contents + rest[match.end():]
        contents += rest[match.end():match.end() + size]
        rest = rest[match.end() + size:].lstrip(b"\r\n")
    return contents or data
