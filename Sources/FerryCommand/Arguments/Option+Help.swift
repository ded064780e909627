extension Option {
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
        case .location: ["follow redirects (the default)"]
        case .noRedirect: ["do not follow redirects: a redirect is the response"]
        case .timeout: ["give up when no byte has moved for SECONDS; 60 by default, 0 for no limit"]
        case .maxTime: ["give up when a transfer has taken SECONDS in total"]
        case .connectTimeout: ["give up connecting after SECONDS"]
        case .caCertificate: ["trust the certificate authorities in this PEM file instead of the system's"]
        case .pin:
            [
                "accept only servers whose own public key has this SHA-256 hash; may be",
                "repeated, for example for the next key",
            ]
        case .proxy: ["use this proxy (http, https, socks5, socks5h); by default the environment's"]
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
            [
                "write events as JSON, one object per line (- for standard error, which then",
                "carries nothing else)",
            ]
        case .timeline: ["at the end, draw all requests as a waterfall"]
        case .silent: ["print no progress and no notes; errors are still printed"]
        case .verbose: ["print requests, responses and timings on standard error"]
        case .version: ["print the versions of Ferry and libcurl"]
        case .help: ["print this text"]
        }
    }
}
