extension Option {
    /// The lines of the help text.
    var help: [String] {
        switch self {
        case .request: ["the method; by default GET, POST with -d, --json and -F, PUT with -T, HEAD", "with -I"]
        case .header: ["add or replace a header; may be given again"]
        case .data:
            [
                "send this as the body, or the content of FILE as it is (- for standard",
                "input); several are joined by &",
            ]
        case .json:
            ["as -d, as JSON: with Content-Type and Accept application/json; several are", "joined without a mark"]
        case .form:
            [
                "add a part to a multipart form: NAME=TEXT, NAME=@FILE for a file or NAME=<FILE",
                "for a text from one (- for standard input), each with ;type=TYPE and",
                ";filename=NAME behind it as needed",
            ]
        case .uploadFile:
            ["send FILE as the body (- for standard input); a URL that ends in / gets", "the file's name"]
        case .output: ["write to FILE (- for standard output); the n-th -o belongs to the n-th URL"]
        case .remoteName: ["write to a file of the name the server suggests, else the URL's last part"]
        case .continueDownload: ["go on with FILE.part that an interrupted run has left"]
        case .include: ["write the response's head before its body"]
        case .head: ["ask for the head alone, and write it"]
        case .location: ["follow redirections: the default"]
        case .noRedirect: ["take a redirection for the answer"]
        case .timeout: ["give up when no byte has moved for so long; 60 by default, 0 for never"]
        case .maxTime: ["give up when a transfer has taken so long in all"]
        case .connectTimeout: ["give up when a connection does not stand after so long"]
        case .caCertificate: ["trust the certificate authorities in this PEM file instead of the system's"]
        case .pin:
            [
                "accept only servers whose own public key has this SHA-256 hash; may be",
                "given again, for the key that comes next",
            ]
        case .proxy: ["use this proxy (http, https, socks5, socks5h); by default the environment's"]
        case .parallel: ["run so many transfers at once; 1 by default, and on standard output"]
        case .batch: ["transfer the URLs in FILE too (- for standard input), one on each line"]
        case .fail: ["do not write the body of an HTTP error to standard output either"]
        case .writeOut:
            [
                "after each transfer write this to standard output, or what FILE has, with curl's",
                "variables: %{http_code}, %{time_total}, %{size_download}, %{json} and others;",
                "\\n \\t %%",
            ]
        case .timings: ["at the end, a table of what each request took, on standard error"]
        case .jsonLog:
            [
                "write what happens as JSON, an object a line (- for standard error, where",
                "nothing else is written then)",
            ]
        case .timeline: ["at the end, draw all requests as a waterfall"]
        case .silent: ["no progress and no notes; errors are told all the same"]
        case .verbose: ["tell requests, responses and timings on standard error"]
        case .version: ["tell the versions of Ferry and libcurl"]
        case .help: ["show this text"]
        }
    }
}
