"""Reads curl's test cases: files in a format like XML, with variables and encoded parts (tests/FILEFORMAT.md)."""
import base64
import re


class Skip(Exception):
    """The reason why a case cannot be replayed, and what exactly is missing."""

    def __init__(self, reason, detail=""):
        super().__init__(f"{reason} {detail}".strip())
        self.reason, self.detail = reason, detail


# The features that the cases may require. Replies are HTTP/1.x, so HTTP/2 and debug builds are missing.
FEATURES = {
    "brotli", "cookies", "crypto", "http", "HTTP-auth", "ipv6", "large_file", "libz", "Mime", "netrc", "parsedate",
    "proxy", "unix-sockets", "verbose-strings", "zstd",
}


def unescaped(text):
    return re.sub(r"%([0-9A-Fa-f]{2})", lambda match: chr(int(match[1], 16)), text)


def decoded(line):
    """Replaces the encoded parts of a line, of which there is at most one of each kind."""
    line = re.sub(
        r"%b64\[(.*)\]b64%",
        lambda match: base64.b64encode(unescaped(match[1]).encode("latin-1")).decode(),
        line,
    )
    line = re.sub(r"%hex\[(.*)\]hex%", lambda match: unescaped(match[1]), line)
    return re.sub(r"%repeat\[(\d+) x (.*)\]%", lambda match: unescaped(match[2]) * int(match[1]), line)


def with_line_ends(lines):
    """Ends the lines that look like those of a head with CR LF."""
    changed = False
    for line in lines:
        head = re.match(r"HTTP/(1\.1|1\.0|2|3) [1-5][^\r]*\Z|(GET|POST|PUT|DELETE) \S+ HTTP/\d+(\.\d+)?", line)
        if head or re.match(r"[a-z0-9_-]+: [^\r]*\Z", line, re.I) or (changed and line == "\n"):
            changed = line != "\n"
            line = re.sub(r"\r*\n", "\r\n", line, count=1)
        else:
            changed = False
        yield line


class Case:
    """A test case. Its text has one character for each byte."""

    def __init__(self, number, lines):
        self.number = number
        self.lines = lines

    @classmethod
    def load(cls, number, path):
        return cls(number, path.read_bytes().decode("latin-1").splitlines(keepends=True))

    def prepared(self, variables):
        """Returns the case with the values of variables instead of their names."""
        names = sorted(variables, key=len, reverse=True)
        pattern = re.compile("%(" + "|".join(names) + ")")
        lines, shown = [], True
        for line in self.lines:
            if match := re.match(r" *%if (!?)(.*)", line):
                shown = (match[2].strip() in FEATURES) != bool(match[1])
            elif re.match(" *%else", line):
                shown = not shown
            elif re.match(" *%endif", line):
                shown = True
            elif shown:
                # A host whose last label is a number is invalid, so a letter precedes the case's number there.
                line = re.sub(r"(?<=[a-zP]\.)%TESTNUMBER", f"n{self.number}", line)
                lines.append(decoded(pattern.sub(lambda match: str(variables[match[1]]), line)))
        return Case(self.number, lines)

    def over_tls(self):
        """Returns the case with redirects to https URLs."""
        return Case(self.number, [re.sub("^(Location: *http):", r"\1s:", line, flags=re.I) for line in self.lines])

    def find(self, section, part):
        """Returns the attributes and lines of a part, or None."""
        inside = False
        for start, line in enumerate(self.lines):
            if not inside:
                inside = bool(re.match(rf" *<{section}[ >]", line))
            elif re.match(rf" *</{section}>", line):
                return None
            elif match := re.match(rf" *<{part}( [^>]*)?>", line):
                end = start + 1
                while end < len(self.lines) and not re.match(rf" *</{part}>", self.lines[end]):
                    end += 1
                found = re.findall(r'([\w-]+) *= *(?:"([^"]*)"|([^ ]*))', match[1] or "")
                attributes = {name: quoted or plain for name, quoted, plain in found}
                return attributes, self.lines[start + 1:end]
        return None

    def attributes(self, section, part):
        found = self.find(section, part)
        return found[0] if found else {}

    def lines_of(self, section, part):
        found = self.find(section, part)
        return [line.strip() for line in found[1] if line.strip()] if found else []

    def data(self, section, part):
        """Returns the bytes of a part, decoded as its attributes say, or None."""
        found = self.find(section, part)
        if not found:
            return None
        attributes, lines = found
        if attributes.get("crlf") == "yes":
            lines = list(with_line_ends(lines))
        if "base64" in attributes:
            return base64.b64decode("".join(lines))
        if "hex" in attributes:
            return bytes.fromhex(re.sub("[^0-9A-Fa-f]", "", "".join(lines)))
        text = "".join(lines)
        if "nonewline" in attributes:
            text = text.removesuffix("\n")
        return text.encode("latin-1")

    def reply_to_check(self):
        """Returns what the client is expected to write, or None if the case does not say."""
        if self.find("reply", "datacheck"):
            parts = (self.data("reply", "datacheck" + suffix) for suffix in ("", "1", "2", "3", "4"))
            return b"".join(part for part in parts if part)
        if self.attributes("reply", "data").get("nocheck") == "yes":
            return None
        return self.data("reply", "data")

    @property
    def keywords(self):
        return set(self.lines_of("info", "keywords"))
