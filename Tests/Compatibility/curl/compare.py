"""Compares what ferry has done with what a case expects of curl."""
import re

from messages import requests, responses

# Exit statuses of ferry for those of curl. All failures of a connection have one status.
STATUSES = {
    1: {2, 7}, 3: {2, 7}, 5: {6, 7}, 6: {6}, 22: {22}, 23: {23}, 25: {7, 23}, 26: {23}, 28: {28}, 35: {35}, 43: {2},
    47: {47}, 49: {2}, 60: {60}, 65: {23},
    77: {2, 23, 60}, 90: {90},
}
NETWORK = {7}
# Fields of requests that curl and ferry choose themselves.
OWN_FIELDS = ("accept-encoding", "proxy-connection", "expect")


def shortened(data, most=160):
    text = repr(data)
    return text if len(text) <= most else f"{text[:most]}… ({len(data)})"


def exit_difference(case, status, delivered):
    """Returns how the exit status differs; a status of 400 or above fails in ferry without an option."""
    codes = [int(code) for code in ",".join(case.lines_of("verify", "errorcode") or ["0"]).split(",")]
    allowed = set()
    for code in codes:
        if code == 0:
            allowed |= {0, 22} if any(response.status >= 400 for response in delivered) else {0}
        else:
            allowed |= STATUSES.get(code, NETWORK)
    return None if status in allowed else f"exit: {status}, curl has {codes[0]}"


def visible(found, chain):
    """Returns the responses without those that ferry does not deliver: interim ones, and challenges it answers."""
    kept = [response for response in found if not 100 <= response.status < 200]
    for index in reversed(range(len(kept) - 1)):
        if kept[index].status in (401, 407) and not kept[index].body and kept[index].fields:
            del kept[index]
        elif not chain and 300 <= kept[index].status < 400 and not kept[index].body:
            del kept[index]
    return kept


def response_differences(expected, actual, chain=True, only_first=False):
    """Yields the differences between two texts of heads and bodies.

    The heads of redirects are part of the texts if chain is true. With only_first, only as many responses are compared
    as are expected.
    """
    (lead, wanted), (found_lead, found) = responses(expected), responses(actual)
    wanted, found = visible(wanted, chain), visible(found, chain)
    if only_first:
        found = found[:len(wanted)]
    if lead != found_lead:
        yield f"body: {shortened(found_lead)}, curl has {shortened(lead)}"
    if len(wanted) != len(found):
        yield f"status: {[one.status for one in found]}, curl has {[one.status for one in wanted]}"
        return
    for want, have in zip(wanted, found):
        if want.status != have.status:
            yield f"status: {have.status}, curl has {want.status}"
        if sorted(want.fields) != sorted(have.fields):
            missing = [field for field in want.fields if field not in have.fields]
            added = [field for field in have.fields if field not in want.fields]
            yield f"fields: missing {missing}, added {added}"
        if want.body != have.body:
            yield f"body: {shortened(have.body)}, curl has {shortened(want.body)}"


def digest_parameters(value, is_tunnel):
    """Returns a field of Digest authentication with its parameters in order, without those that are random.

    For a tunnel the response is a hash of the host, to which a letter is added.
    """
    if not value.lower().startswith("digest "):
        return value
    found = dict(re.findall(r'(\w+)=("[^"]*"|[^",\s]+)', value[7:]))
    if "cnonce" in found or is_tunnel:
        found = {name: text for name, text in found.items() if name not in ("cnonce", "response")}
    return "Digest " + ", ".join(f"{name}={text.strip(chr(34))}" for name, text in sorted(found.items()))


def comparable_fields(request, keeps_cookies):
    ignored = OWN_FIELDS if keeps_cookies else (*OWN_FIELDS, "cookie")
    result = []
    for name, value in request.without(*ignored):
        if name == "user-agent" and re.match(r"(curl|ferry)/", value):
            continue
        if name in ("authorization", "proxy-authorization"):
            value = digest_parameters(value, request.start.startswith("CONNECT "))
        result.append((name, value))
    return sorted(result)


def without_probes(found):
    """Returns the requests without those that Ferry sends before libcurl itself asks for a challenge of Digest.

    After a challenge of a server, that is the first request, and after one of a proxy libcurl's own.
    """
    def answers(one, name):
        return any("Digest" in value for value in one.values(name))

    by_server = [one.start for one in found if answers(one, "authorization")]
    by_proxy = [one.start for one in found if answers(one, "proxy-authorization")]
    result = []
    for previous, request, following in zip([None, *found], found, [*found[1:], None]):
        twin = following if request.start in by_server else previous if request.start in by_proxy else None
        pair = (request, twin) if twin and twin.start == request.start else ()
        if not pair or any(one.values(name) for one in pair for name in ("authorization", "proxy-authorization")):
            result.append(request)
    return result


def request_differences(expected, actual, strip, keeps_cookies, methods):
    """Yields the differences between the requests that a server expects and those it has received."""
    expected = b"".join(
        line for line in expected.splitlines(keepends=True) if not line.startswith(b"[DISCONNECT]")
    )
    wanted, found = requests(expected, methods), without_probes(requests(actual, methods))
    if len(wanted) != len(found):
        yield f"request: {[one.start for one in found]}, curl sends {[one.start for one in wanted]}"
        return
    for want, have in zip(wanted, found):
        if want.start != have.start:
            yield f"request: {have.start}, curl sends {want.start}"
        if b"BOUNDARY" in have.body:
            want.fields = want.without("content-length")
        want_fields = comparable_fields(want, keeps_cookies)
        have_fields = comparable_fields(have, keeps_cookies)
        for pattern in strip:
            want_fields = [field for field in want_fields if not re.search(pattern, ": ".join(field), re.I)]
            have_fields = [field for field in have_fields if not re.search(pattern, ": ".join(field), re.I)]
        if want_fields != have_fields:
            missing = [field for field in want_fields if field not in have_fields]
            added = [field for field in have_fields if field not in want_fields]
            yield f"request: field missing {missing}, added {added}"
        if b"BOUNDARY" in have.body and b"BOUNDARY" not in want.body:
            # The lines with delimiters are not part of the case.
            have.body = b"".join(line for line in have.body.splitlines(keepends=True) if b"BOUNDARY" not in line)
        if want.body.rstrip(b"\r\n") != have.body.rstrip(b"\r\n"):
            yield f"request: body {shortened(have.body)}, curl sends {shortened(want.body)}"


def cookie_lines(data):
    """Returns the cookies of a Netscape cookie file, in order."""
    lines = data.decode("latin-1").splitlines()
    return sorted(line for line in lines if line and (not line.startswith("#") or line.startswith("#HttpOnly_")))


def file_differences(name, expected, actual):
    """Yields the differences between the contents of a file and those that curl has written."""
    if actual is None and expected:
        yield f"file: {name} does not exist"
    elif expected.startswith(b"HTTP/"):
        for difference in response_differences(expected, actual):
            yield f"file: {name}: {difference}"
    elif expected.startswith(b"# Netscape"):
        if cookie_lines(expected) != cookie_lines(actual):
            yield f"file: {name}: {cookie_lines(actual)}, curl has {cookie_lines(expected)}"
    elif expected != (actual or b""):
        yield f"file: {name}: {shortened(actual)}, curl has {shortened(expected)}"


def lacks_one_part(rest, whole, part=None):
    """Returns whether `rest` is `whole` without one part, which has any contents if `part` is None."""
    missing = len(whole) - len(rest)
    for start in range(len(rest) + 1):
        if missing >= 0 and whole[start + missing:] == rest[start:]:
            if part is None or whole[start:start + missing] == part:
                return True
        if whole[start:start + 1] != rest[start:start + 1]:
            return False
    return False


def output_differences(status, whole, file_status, rest, path, keeps_error_bodies):
    """Yields the differences between a run whose body went to standard output, and one in which it goes to a file.

    Ferry's own rules are that the body of an HTTP error is not written to a file without --fail-with-body, and that
    after a failure there is a file with the suffix `part`, if what follows can be requested later, or none.
    """
    if status != file_status:
        yield f"output: exit {file_status} with a file, {status} without one"
    is_complete = file_status == 0 or (file_status == 22 and keeps_error_bodies)
    if path.exists() != is_complete:
        yield f"output: after exit {file_status} there is " + ("a file" if path.exists() else "no file")
    part = path.with_name(path.name + ".part")
    contents = next((one.read_bytes() for one in (path, part) if one.exists()), None)
    if not lacks_one_part(rest, whole, contents):
        yield f"output: {shortened(contents)} and {shortened(rest)}, without a file {shortened(whole)}"
