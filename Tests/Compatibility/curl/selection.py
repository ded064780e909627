"""Says which cases are about what ferry does."""
import re

from casefile import Skip

# The servers that a case may need.
SERVERS = {"http", "https", "http-proxy", "http-ipv6", "http-unix", "socks4", "socks5", "none"}
FEATURES_WITHOUT_COUNTERPART = {
    "debug", "NTLM", "NTLM_WB", "GSS-API", "Kerberos", "SPNEGO", "alt-svc", "HSTS", "h2c", "http/2", "http/3",
    "headers-api", "ld_preload", "DoH", "xattr", "ftp", "nghttpx-h3", "Schannel", "TLS-SRP", "unittest",
}


def servers_of(case):
    """Returns the names of the servers that a case needs; that of https may be followed by a certificate."""
    return {line.split()[0] for line in case.lines_of("client", "server")}


def check_selection(case):
    """Refuses cases that are not about what ferry does."""
    if case.find("client", "tool"):
        raise Skip("it tests libcurl's functions")
    if other := servers_of(case) - SERVERS:
        raise Skip("it needs the server", sorted(other)[0])
    features = set(case.lines_of("client", "features"))
    if other := features & FEATURES_WITHOUT_COUNTERPART:
        raise Skip("it needs the feature", sorted(other)[0])
    checks = case.lines_of("client", "precheck") + case.lines_of("client", "postcheck")
    if not all(re.search("HOSTIP|CLIENT6?IP|double quotes|UTF-8 locale|notexists.pl", check) for check in checks):
        raise Skip("it has a check that is a program")
    if any(part in "".join(case.lines) for part in ("%FTPPORT", "%CURL")):
        raise Skip("it needs a file or server that is not here")
