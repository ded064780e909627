import FerryTesting
import Foundation

/// The command lines with the same results in curl and this command, and the server's responses to them.
enum ComparedLines {
    /// The files in the folder of each run; `{}` is the root of the server.
    static let files = [
        "text": "one\r\ntwo & three=3\n",
        "photo.png": "not really a photo",
        "netrc": "machine 127.0.0.1 login ada password secret\n",
        "cookies": "# Netscape HTTP Cookie File\n127.0.0.1\tFALSE\t/\tFALSE\t0\tfrom\tfile\n"
            + "#HttpOnly_127.0.0.1\tFALSE\t/a\tFALSE\t2000000000\tdeep\tvalue with = and spaces\n"
            + "127.0.0.1\tFALSE\t/\tTRUE\t0\tsecure\tno\n127.0.0.1\tFALSE\t/\tFALSE\t1000000000\told\tno\n"
            + "other.example\tTRUE\t/\tFALSE\t0\tforeign\tno\n",
    ]

    static let respond: LoopbackServer.Handler = { request in
        var response: LoopbackResponse
        switch request.path.split(separator: "/").first {
        case "status", "redirect", "redirect-to", "gzip", "cookies", "bytes":
            response = LoopbackServer.standardRoutes(request)
        case "response-headers":
            response = LoopbackServer.standardRoutes(request)
        default:
            // The size of a form depends on its random boundary.
            let size = request.multipartParts == nil ? request.bodyLength : 0
            response = .text("\(request.method) \(request.target) \(size)\n")
        }
        // Two runs may be in different seconds.
        response.sendsDate = false
        return response
    }

    static let all = requests + bodies + fields + outputs + connections + more

    private static let requests = [
        ComparedLine("{}/a"), ComparedLine("{}"), ComparedLine("{}/a?b=c&d=%20e"), ComparedLine("{}/a#fragment"),
        ComparedLine("--url", "{}/a", "{}/b"), ComparedLine("-X", "DELETE", "{}/a"),
        ComparedLine("-X", "PATCH", "-d", "x", "{}/a"), ComparedLine("-I", "{}/bytes/5"), ComparedLine("-i", "{}/a"),
        ComparedLine("-I", "-X", "GET", "{}/a"), ComparedLine("-I", "-X", "GET", "-o", "out", "{}/a"),
        ComparedLine("-G", "-d", "a=b", "-d", "c=%20d", "{}/p"),
        ComparedLine("-G", "-d", "a=b", "{}/p?x=1"),
        ComparedLine("-G", "--data-urlencode", "q=a b&c", "{}/p"), ComparedLine("-G", "{}/p"),
        ComparedLine("-GI", "-d", "a=b", "{}/p"), ComparedLine("-G", "-X", "DELETE", "-d", "a=b", "{}/p"),
        ComparedLine("-L", "{}/redirect-to?url=/b&status=301"),
        ComparedLine("-L", "-d", "x=y", "{}/redirect-to?url=/b&status=302"),
        ComparedLine("-L", "-d", "x=y", "{}/redirect-to?url=/b&status=307"),
        ComparedLine("-L", "-X", "PUT", "-d", "x=y", "{}/redirect-to?url=/b&status=308"),
    ]

    private static let bodies = [
        ComparedLine("-d", "a=b", "{}/p"), ComparedLine("-d", "a=b", "-d", "c=d", "{}/p"),
        ComparedLine("-d", "", "{}/p"), ComparedLine("-d", "@text", "{}/p"),
        ComparedLine("-d", "@-", "{}/p", input: "from\nstandard\ninput\n"),
        ComparedLine("--data-raw", "@text", "{}/p"), ComparedLine("--data-binary", "@text", "{}/p"),
        ComparedLine("--data-binary", "@text", "-d", "@text", "{}/p"),
        ComparedLine("--data-urlencode", "a b/c?d=e", "{}/p"), ComparedLine("--data-urlencode", "=a b", "{}/p"),
        ComparedLine("--data-urlencode", "n=v&w+x", "{}/p"), ComparedLine("--data-urlencode", "n@text", "{}/p"),
        ComparedLine("--data-urlencode", "@text", "{}/p"), ComparedLine("--data-urlencode", "n=Söhne~.-_", "{}/p"),
        ComparedLine("--json", #"{"a":1}"#, "{}/p"), ComparedLine("--json", "[", "--json", "@text", "{}/p"),
        ComparedLine("--json", "{}", "-H", "Accept: text/plain", "-X", "PUT", "{}/p"),
        ComparedLine("-F", "a=b", "-F", "c=@photo.png", "{}/p"),
        ComparedLine("-F", "a=<text", "-F", "b=@text;type=text/x;filename=name", "{}/p"),
        ComparedLine("-F", "a=@text; type=text/x; filename=name", "{}/p"),
        ComparedLine("-T", "text", "{}/p"), ComparedLine("-T", "text", "{}/folder/"),
        ComparedLine("-T", "text", "{}"), ComparedLine("-T", "text", "{}?a=b"),
        // curl writes the digits in lower case.
        ComparedLine("-T", "text", "{}/a%2fb/"), ComparedLine("-T", "text", "{}/%ff/"),
        ComparedLine("-T", "-", "{}/p", input: "streamed"), ComparedLine("-X", "POST", "-T", "text", "{}/p"),
    ]

    private static let fields = [
        ComparedLine("-H", "X-A: b", "-H", "X-C:d", "{}/a"), ComparedLine("-H", "X-Empty;", "{}/a"),
        ComparedLine("-H", "Accept:", "{}/a"), ComparedLine("-H", "User-Agent:", "{}/a", comparing: ["user-agent"]),
        ComparedLine("-H", "X-None:", "-H", "Expect:", "{}/a"), ComparedLine("-H", "Host: other.example", "{}/a"),
        ComparedLine("-H", "Content-Type: text/plain", "-d", "x", "{}/p"),
        ComparedLine("-H", "Content-Type:", "-d", "x", "{}/p"),
        ComparedLine("-A", "browser/1.0", "{}/a", comparing: ["user-agent"]),
        ComparedLine("-A", "", "{}/a", comparing: ["user-agent"]),
        ComparedLine("-A", "one", "-H", "User-Agent: two", "{}/a", comparing: ["user-agent"]),
        ComparedLine("-e", "http://from.example/", "{}/a"), ComparedLine("-e", "", "{}/a"),
        ComparedLine("-L", "-e", "http://from.example/;auto", "{}/redirect-to?url=/b"),
        ComparedLine("-L", "-e", ";auto", "{}/redirect-to?url=/b"),
        ComparedLine("-r", "0-4", "{}/bytes/10"), ComparedLine("-r", "7-", "{}/bytes/10"),
        ComparedLine("-r", "-3", "{}/bytes/10"), ComparedLine("-r", "8", "{}/bytes/10"),
        ComparedLine("-u", "ada:secret", "{}/a"), ComparedLine("--oauth2-bearer", "token", "{}/a"),
        ComparedLine("--netrc-file", "netrc", "{}/a"), ComparedLine("http://ada:secret@127.0.0.1:{port}/a"),
        ComparedLine("--compressed", "{}/gzip?bytes=5000"),
    ]

    private static let outputs = [
        ComparedLine("-o", "out", "{}/a"), ComparedLine("-O", "{}/folder/name"),
        ComparedLine("-C", "-", "-O", "{}/bytes/10"),
        ComparedLine("-o", "one", "-o", "two", "{}/1", "{}/2"), ComparedLine("-o", "-", "{}/a"),
        ComparedLine("-O", "-o", "two", "{}/1", "{}/2"), ComparedLine("-o", "one", "{}/1", "-O", "{}/2"),
        ComparedLine("--create-dirs", "-o", "new/folder/out", "{}/a"),
        ComparedLine("--create-dirs", "--output-dir", "new", "-o", "out", "{}/a"),
        ComparedLine("--create-dirs", "--output-dir", "new", "-O", "{}/folder/name"),
        ComparedLine("-D", "head", "{}/a"), ComparedLine("-D", "-", "{}/a"),
        ComparedLine("-L", "-D", "head", "-o", "out", "{}/redirect/2"), ComparedLine("-i", "-o", "out", "{}/a"),
        ComparedLine("-f", "{}/status/404"), ComparedLine("--fail-with-body", "{}/status/404"),
        ComparedLine("--fail-with-body", "-o", "out", "{}/status/404"), ComparedLine("{}/status/404"),
        ComparedLine("-w", "%{http_code} %{method} %{size_download}\\n", "{}/a"),
    ]

    private static let connections = [
        ComparedLine("-x", "{}", "http://server.example/a"), ComparedLine("-x", "", "{}/a"),
        ComparedLine("--resolve", "server.example:{port}:127.0.0.1", "http://server.example:{port}/a"),
        ComparedLine("-k", "--connect-timeout", "10", "-m", "20", "{}/a"), ComparedLine("-fsSL", "{}/redirect/1"),
    ]

    private static let more = [
        ComparedLine("-z", "Sun, 06 Nov 1994 08:49:37 GMT", "{}/a"), ComparedLine("-z", "19941106", "{}/a"),
        ComparedLine("-z", "-19941106", "{}/a"), ComparedLine("-z", "missing", "{}/a"),
        ComparedLine("-g", "{}/a?b=1"), ComparedLine("-q", "{}/a"), ComparedLine("-N", "{}/a"),
        ComparedLine("-O", "-J", "{}/response-headers?Content-Disposition=attachment;%20filename=given.txt"),
        ComparedLine("-R", "-o", "out", "{}/response-headers?Last-Modified=Sun,%2006%20Nov%201994%2008:49:37%20GMT"),
        ComparedLine("-4", "{}/a"), ComparedLine("--interface", "127.0.0.1", "{}/a"), ComparedLine("--http1.1", "{}/a"),
        ComparedLine("-L", "--max-redirs", "1", "{}/redirect/1"),
        ComparedLine("-L", "--max-redirs", "1", "{}/redirect/2"),
        ComparedLine("-L", "--max-redirs", "-1", "{}/redirect/3"),
        ComparedLine("--digest", "-u", "ada:secret", "{}/a"),
        ComparedLine("--retry", "1", "--retry-delay", "1", "{}/a"),
        ComparedLine("-d", "a=b", "-H", "X-A: b", "{}/p", "--next", "-H", "X-C: d", "{}/b"),
    ]
}
