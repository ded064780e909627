/// The options; raw values are long names, and the order is that of the help text.
enum Option: String, CaseIterable, Sendable {
    case request
    case header
    case data
    case json
    case form
    case uploadFile = "upload-file"
    case head
    case user
    case oauth2Bearer = "oauth2-bearer"
    case netrc
    case netrcFile = "netrc-file"
    case output
    case remoteName = "remote-name"
    case continueDownload = "continue"
    case include
    case fail
    case location
    case noRedirect = "no-redirect"
    case timeout
    case maxTime = "max-time"
    case connectTimeout = "connect-timeout"
    case deadline
    case caCertificate = "cacert"
    case pin
    case proxy
    case retry
    case retryMaxTime = "retry-max-time"
    case retryAllErrors = "retry-all-errors"
    case parallel
    case batch
    case writeOut = "write-out"
    case timings
    case jsonLog = "json-log"
    case timeline
    case verbose
    case silent
    case version
    case help

    /// The groups of options in the help text and the manual.
    enum Group: String, CaseIterable {
        case request = "Requests"
        case output = "Where the body goes"
        case connection = "Redirects, timeouts and connections"
        case retry = "Retries"
        case several = "Several URLs"
        case report = "Reports"
        case general = "General"

        var options: [Option] { Option.allCases.filter { $0.group == self } }
    }

    /// The letter of the short name, if there is one.
    var short: Character? { facts.short }
    /// The name of the option's value in the help text; `nil` for an option without a value.
    var valueName: String? { facts.valueName }
    var group: Group { facts.group }

    private var facts: (short: Character?, valueName: String?, group: Group) {
        switch self {
        case .request: ("X", "METHOD", .request)
        case .header: ("H", "'NAME: VALUE'", .request)
        case .data: ("d", "DATA|@FILE", .request)
        case .json: (nil, "DATA|@FILE", .request)
        case .form: ("F", "NAME=VALUE", .request)
        case .uploadFile: ("T", "FILE", .request)
        case .head: ("I", nil, .request)
        case .user: ("u", "NAME:PASSWORD", .request)
        case .oauth2Bearer: (nil, "TOKEN", .request)
        case .netrc: ("n", nil, .request)
        case .netrcFile: (nil, "FILE", .request)
        case .output: ("o", "FILE", .output)
        case .remoteName: ("O", nil, .output)
        case .continueDownload: ("C", nil, .output)
        case .include: ("i", nil, .output)
        case .fail: ("f", nil, .output)
        case .location: ("L", nil, .connection)
        case .noRedirect: (nil, nil, .connection)
        case .timeout: (nil, "SECONDS", .connection)
        case .maxTime: ("m", "SECONDS", .connection)
        case .connectTimeout: (nil, "SECONDS", .connection)
        case .deadline: (nil, "SECONDS", .connection)
        case .caCertificate: (nil, "FILE", .connection)
        case .pin: (nil, "sha256//BASE64", .connection)
        case .proxy: (nil, "URL", .connection)
        case .retry: (nil, "COUNT", .retry)
        case .retryMaxTime: (nil, "SECONDS", .retry)
        case .retryAllErrors: (nil, nil, .retry)
        case .parallel: ("P", "COUNT", .several)
        case .batch: (nil, "FILE", .several)
        case .writeOut: ("w", "FORMAT|@FILE", .report)
        case .timings: (nil, nil, .report)
        case .jsonLog: (nil, "FILE", .report)
        case .timeline: (nil, "FILE.svg|FILE.html", .report)
        case .verbose: ("v", nil, .report)
        case .silent: ("s", nil, .report)
        case .version: ("V", nil, .general)
        case .help: ("h", nil, .general)
        }
    }

    /// The description of the option in the help text, one element per line.
    var help: [String] {
        switch self {
        case .request:
            ["the request method; by default GET, or POST with -d, --json or -F, PUT with -T,", "HEAD with -I"]
        case .header: ["add a header field, or replace a default one; may be repeated"]
        case .data:
            [
                "send DATA, or the contents of FILE unchanged (- for standard input), as the",
                "body; several values are joined with &",
            ]
        case .json:
            ["like -d, with Content-Type and Accept set to application/json; several values", "are concatenated"]
        case .form:
            [
                "add a part to a multipart form: NAME=TEXT, NAME=@FILE to send a file, or",
                "NAME=<FILE to send a file's contents as text (- for standard input); each may be",
                "followed by ;type=TYPE and ;filename=NAME",
            ]
        case .uploadFile:
            ["send FILE as the body (- for standard input); its name is appended to a URL", "that ends in /"]
        case .output: ["write to FILE (- for standard output); the n-th -o belongs to the n-th URL"]
        case .remoteName: ["write to a file with the name the server suggests, or the last part of the URL"]
        case .continueDownload: ["continue the FILE.part that an interrupted run left"]
        case .include: ["write the response head before the body"]
        case .head: ["request only the response head, and write it"]
        case .user: ["send this name and password with HTTP Basic, only to the origin of the URL"]
        case .oauth2Bearer: ["send this token with the Bearer scheme, only to the origin of the URL"]
        case .netrc: ["send the name and password that ~/.netrc has for the host, as with -u"]
        case .netrcFile: ["like --netrc, with FILE instead of ~/.netrc"]
        case .location: ["follow redirects (the default)"]
        case .noRedirect: ["do not follow redirects: a redirect is the response"]
        case .timeout: ["give up when no byte has moved for SECONDS; 60 by default, 0 for no limit"]
        case .maxTime:
            [
                "give up when a transfer has taken SECONDS in total, retries included, without",
                "the time in which the output is not read",
            ]
        case .connectTimeout: ["give up connecting after SECONDS"]
        case .deadline: ["give up SECONDS after the start of a transfer, whatever it waits for"]
        case .caCertificate: ["trust the certificate authorities in this PEM file instead of the system's"]
        case .pin:
            [
                "accept only servers whose own public key has this SHA-256 hash; may be",
                "repeated, for example for the next key",
            ]
        case .proxy: ["use this proxy (http, https, socks5, socks5h); by default the environment's"]
        case .retry:
            [
                "try a transfer up to COUNT more times after a temporary failure: no connection,",
                "a lost one, or status 408, 425, 429, 500, 502, 503 or 504; none by default. The",
                "rest of a body is requested; a POST or PATCH is sent again only if no byte of it",
                "was sent",
            ]
        case .retryMaxTime: ["begin no further retry once a transfer has taken SECONDS"]
        case .retryAllErrors:
            [
                "with --retry, also try again after any HTTP error or inactivity timeout, and",
                "with every method, although the server may then do the work twice",
            ]
        case .parallel: ["run COUNT transfers at a time; 1 by default, and always 1 on standard output"]
        case .batch: ["also transfer the URLs in FILE (- for standard input), one per line"]
        case .fail: ["do not write the body of an HTTP error to standard output"]
        case .writeOut:
            [
                "after each transfer, write FORMAT or the contents of FILE to standard output,",
                "with curl's variables: %{http_code}, %{time_total}, %{size_download}, %{json}",
                "and others; escapes: \\n \\t %%",
            ]
        case .timings: ["at the end, print a table of each request's timings on standard error"]
        case .jsonLog:
            ["write events as JSON, one object per line (- for standard error, which then", "carries nothing else)"]
        case .timeline: ["at the end, draw all requests as a waterfall"]
        case .silent: ["print no progress and no notes; errors are still printed"]
        case .verbose: ["print requests, responses and timings on standard error"]
        case .version: ["print the versions of Ferry and libcurl"]
        case .help: ["print this text"]
        }
    }
}
