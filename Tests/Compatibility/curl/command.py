"""Translates the command of a case, which has curl's options, to that of ferry."""
import base64
import datetime
import hashlib
import pathlib
import re
import shlex

from casefile import Skip

# Options with the same meaning in both commands: those with a value, and those without one.
WITH_VALUE = {
    "--cacert", "--cert", "--config", "--connect-timeout", "--cookie", "--cookie-jar", "--data", "--data-binary",
    "--data-raw", "--data-urlencode", "--dump-header", "--form", "--header", "--interface", "--json",
    "--limit-rate", "--max-redirs", "--max-time", "--netrc-file", "--oauth2-bearer", "--output", "--output-dir",
    "--parallel-max", "--range", "--referer", "--request", "--resolve", "--retry", "--retry-delay",
    "--retry-max-time", "--time-cond", "--unix-socket", "--upload-file", "--user", "--user-agent", "--write-out",
}
WITHOUT_VALUE = {
    "--compressed", "--create-dirs", "--digest", "--fail", "--fail-with-body", "--get", "--head",
    "--insecure", "--ipv4", "--ipv6", "--netrc", "--no-buffer", "--parallel", "--remote-header-name",
    "--remote-name", "--remote-time", "--retry-all-errors", "--http1.1",
}
# Options for the destination of the body.
OUTPUTS = {"--output", "--output-dir", "--remote-header-name", "--remote-name"}
# Options that do not change the transfer, or that Ferry always applies: a proxy is sent the kind of credential that it
# asks for, a file of -o is replaced after the whole body has arrived, paths are sent as they are, and HTTP/0.9 is
# refused.
IGNORED = {
    "--clobber", "--no-http0.9", "--path-as-is", "--remove-on-error",
    "--proxy-anyauth", "--proxy-basic", "--proxy-digest", "--proxytunnel",
    "--basic", "--silent", "--show-error", "--progress-bar", "--no-progress-meter", "--verbose", "--disable",
}
# Options with a value and without a counterpart.
OTHER_WITH_VALUE = {
    "--alt-svc", "--connect-to", "--crlfile", "--engine", "--continue-at", "--dns-servers",
    "--doh-url", "--egd-file", "--etag-compare", "--etag-save", "--expect100-timeout", "--form-string",
    "--hsts", "--keepalive-time", "--libcurl", "--local-port", "--mail-from", "--mail-rcpt", "--max-filesize",
    "--noproxy", "--preproxy", "--proto", "--proto-default", "--proto-redir", "--proxy", "--proxy-header",
    "--proxy-user", "--proxy1.0", "--quote", "--request-target", "--socks4", "--socks4a", "--socks5",
    "--socks5-hostname", "--speed-limit", "--speed-time", "--stderr", "--trace", "--trace-ascii", "--url",
    "--url-query", "--pinnedpubkey", "--tlsauthtype", "--tlspassword", "--tlsuser",
}
SHORT = {
    "A": "--user-agent", "b": "--cookie", "c": "--cookie-jar", "C": "--continue-at", "d": "--data",
    "D": "--dump-header", "e": "--referer", "F": "--form", "H": "--header", "K": "--config",
    "m": "--max-time", "o": "--output", "Q": "--quote", "r": "--range", "T": "--upload-file", "u": "--user",
    "U": "--proxy-user", "w": "--write-out", "x": "--proxy", "X": "--request", "y": "--speed-time",
    "Y": "--speed-limit", "z": "--time-cond", "E": "--cert", "f": "--fail", "g": "--globoff", "G": "--get",
    "i": "--include", "I": "--head", "j": "--junk-session-cookies", "J": "--remote-header-name",
    "k": "--insecure", "L": "--location", "n": "--netrc", "N": "--no-buffer", "O": "--remote-name",
    "p": "--proxytunnel", "q": "--disable", "R": "--remote-time", "s": "--silent", "S": "--show-error",
    "v": "--verbose", "Z": "--parallel", "0": "--http1.0", "4": "--ipv4", "6": "--ipv6", ":": "--next",
    "#": "--progress-bar", "B": "--use-ascii", "a": "--append", "l": "--list-only",
}
# Other names of the same options.
ALIASES = {"--data-ascii": "--data"}
# The variables of --write-out.
VARIABLES = {
    "content_type", "errormsg", "exitcode", "filename_effective", "http_code", "http_version", "json",
    "method", "num_connects", "num_redirects", "num_requests", "remote_ip", "remote_port", "response_code",
    "scheme", "size_download", "size_header", "size_upload", "speed_download", "speed_upload",
    "time_appconnect", "time_connect", "time_namelookup", "time_pretransfer", "time_queue", "time_redirect",
    "time_starttransfer", "time_total", "url", "url_effective", "urlnum",
}
PROXIES = {
    "--proxy": "http://", "--socks4": "socks4://", "--socks4a": "socks4a://", "--socks5": "socks5://",
    "--socks5-hostname": "socks5h://",
}


def words(text):
    """Splits a command as a shell does, and refuses what would need one."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars="|;&<>()")
    lexer.whitespace_split, lexer.commenters = True, ""
    result = list(lexer)
    quoted = re.sub(r"'[^']*'|\\.", "", text)
    if any(re.fullmatch("[|;&<>()]+", word) for word in result) or "`" in quoted or re.search(r"\$[\w({]", quoted):
        raise Skip("its command needs a shell")
    return result


def options(arguments):
    """Yields the options of curl with their values; a URL is the value of --url."""
    arguments = iter(arguments)
    for argument in arguments:
        if argument.startswith("--"):
            name = ALIASES.get(argument, argument)
            takes_value = name in WITH_VALUE or name in OTHER_WITH_VALUE
            yield name, next(arguments) if takes_value else None
        elif argument.startswith("-") and len(argument) > 1:
            rest = argument[1:]
            while rest:
                letter, rest = rest[0], rest[1:]
                name = SHORT.get(letter, "-" + letter)
                if name in WITH_VALUE or name in OTHER_WITH_VALUE:
                    yield name, rest or next(arguments)
                    break
                yield name, None
        else:
            yield "--url", argument


def date(value):
    """Returns a value of -z with a date in HTTP's format, since ferry does not read those of curl."""
    sign, text = re.match("([+-]?)(.*)", value, re.S).groups()
    match = re.fullmatch(r"([a-z]{3}) (\d+) ([\d:]+) (\d{4}) GMT", text, re.I)
    if not match:
        return value
    month, day, clock, year = match.groups()
    weekday = datetime.datetime.strptime(f"{day} {month} {year}", "%d %b %Y").strftime("%a")
    return f"{sign}{weekday}, {int(day):02} {month.capitalize()} {year} {clock} GMT"


def pin(value):
    """Returns the hash of a public key that may be in a file, since --pin only takes a hash."""
    if value.startswith("sha256//"):
        return value
    data = pathlib.Path(value).read_bytes()
    if key := re.search(rb"-----BEGIN PUBLIC KEY-----(.*?)-----END", data, re.S):
        data = base64.b64decode(key[1])
    return "sha256//" + base64.b64encode(hashlib.sha256(data).digest()).decode()


class Segment:
    """The URLs and options up to --next."""

    def __init__(self):
        self.arguments, self.urls, self.names = [], [], set()
        self.proxy = self.proxy_user = self.exceptions = None

    def add(self, name, value):
        self.names.add(name)
        if name == "--url":
            self.urls.append(value if re.match(r"\w+:/", value) else "http://" + value)
        elif name in ("--user", "--proxy-user") and ":" not in value:
            raise Skip("it asks for a password")
        elif name in PROXIES and not value:
            self.proxy = None
        elif name in PROXIES:
            self.proxy = value if "://" in value else PROXIES[name] + value
        elif name == "--proxy-user":
            self.proxy_user = value
        elif name == "--noproxy":
            self.exceptions = value
        elif name == "--pinnedpubkey":
            self.arguments += ["--pin", pin(value)]
        elif name == "--form-string" and not re.search("=[@<]|;", value):
            self.arguments += ["--form", value]
        elif name == "--header" and value.startswith("@"):
            raise Skip("it has header fields in a file")
        elif name == "--write-out" and (unknown := set(re.findall(r"%\{([^}]*)\}", value)) - VARIABLES):
            raise Skip("ferry's --write-out has no variable", sorted(unknown)[0])
        elif name == "--upload-file" and value.startswith("{"):
            raise Skip("its URL is a pattern")
        elif name == "--time-cond":
            self.arguments += [name, date(value)]
        elif name in WITH_VALUE:
            self.arguments += [name, value]
        elif name in WITHOUT_VALUE:
            self.arguments.append(name)
        elif name not in IGNORED | {"--include", "--location", "--globoff", "--netrc-optional"}:
            raise Skip("ferry has no option", name)

    def translated(self, include):
        """Returns the arguments; include says whether curl would write the heads."""
        result = list(self.arguments)
        if "--globoff" not in self.names and any(re.search(r"[{}]|\[(?![0-9a-fA-F:.%]+\])", url) for url in self.urls):
            raise Skip("its URL is a pattern")
        if "--netrc-optional" in self.names and "--netrc-file" not in self.names:
            raise Skip("ferry has no option", "--netrc-optional")
        if self.names & set(PROXIES) and self.exceptions is not None:
            raise Skip("ferry has no option", "--noproxy together with --proxy")
        if "--location" not in self.names:
            result.append("--no-redirect")
        elif "--max-redirs" not in self.names:
            result += ["--max-redirs", "50"]
        if self.proxy:
            scheme, _, rest = self.proxy.partition("://")
            user = self.proxy_user + "@" if self.proxy_user else ""
            result += ["--proxy", f"{scheme}://{user}{rest}"]
        if (include or "--include" in self.names) and "--head" not in self.names:
            to_file = self.names & {"--dump-header", "--output", "--remote-name"}
            result += ["--include"] if to_file else ["--dump-header", "-"]
        if "--proxytunnel" in self.names:
            # Ferry uses tunnels for https only, so that the server's end of the tunnel has TLS.
            self.urls = [re.sub("^http:", "https:", url) for url in self.urls]
            result.append("--insecure")
        for url in self.urls:
            result += ["--url", url]
        return result


class Command:
    """The command of a case."""

    def __init__(self, case):
        found = case.find("client", "command")
        if not found:
            raise Skip("it has no command")
        attributes, lines = found
        if attributes.get("type"):
            raise Skip("its command needs a shell")
        segments = [Segment()]
        for name, value in options(words("".join(lines))):
            if name == "--next":
                segments.append(Segment())
            else:
                segments[-1].add(name, value)
        self.includes = "no-include" not in attributes.get("option", "")
        self.names = set().union(*(segment.names for segment in segments))
        self.has_tunnels = "--proxytunnel" in self.names
        self.keeps_cookies = bool(self.names & {"--cookie", "--cookie-jar"})
        self.arguments = ["-sS"]
        for index, segment in enumerate(segments):
            self.arguments += ["--next"] * (index > 0) + segment.translated(self.includes)
        self.urls = [url for segment in segments for url in segment.urls]
        # For the environment's proxies, variables have the meaning of --noproxy.
        exceptions = [segment.exceptions for segment in segments if segment.exceptions is not None]
        self.environment = {name: value for value in exceptions[:1] for name in ("no_proxy", "NO_PROXY")}
        self.has_one_body = len(self.urls) == 1 and not self.names & OUTPUTS
        if any(re.match(r"(?!https?:)[a-z0-9]+://", url, re.I) for url in self.urls):
            raise Skip("it is not about HTTP")

    @property
    def shows_each_head(self):
        """Whether the heads of redirects are written too."""
        return "-" in self.arguments and "--dump-header" in self.arguments
