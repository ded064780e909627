extension Option {
    /// The description of the option in the help text.
    var help: String {
        switch self {
        case .url: "transfer this URL, which may also be written without the option"
        case .request:
            "the request method; by default GET, or POST with -d, --json, -F or items, PUT with -T, HEAD with -I"
        case .header:
            "add a header field, or replace a default one; may be repeated; 'NAME:' leaves a field out, and 'NAME;' "
                + "sends it empty"
        case .userAgent: "send this User-Agent; none if TEXT is empty"
        case .referer: "send this Referer; with ;auto at its end, also the previous URL after a redirect"
        case .range: "request only this part, such as 0-499, 500- or -500"
        case .compressed: "ask for a compressed body also where it goes to a file, which is decoded"
        case .data:
            "send DATA, or the contents of FILE without line breaks (- for standard input), as the body; several "
                + "values are joined with &"
        case .dataRaw: "like -d, but an @ has no meaning"
        case .dataBinary: "like -d, but the contents of FILE are sent unchanged"
        case .dataURLEncode:
            "like -d, percent-encoded: TEXT, =TEXT, NAME=TEXT, @FILE or NAME@FILE; names are sent as they are"
        case .get: "append the data of -d to the URL as a query, and send no body"
        case .json:
            "like --data-binary, with Content-Type and Accept set to application/json; several values are concatenated"
        case .form:
            "add a part to a multipart form: NAME=TEXT, NAME=@FILE to send a file, or NAME=<FILE to send a file's "
                + "contents as text (- for standard input); each may be followed by ;type=TYPE and ;filename=NAME"
        case .asForm: "send the items key=value as a form, not as JSON"
        case .uploadFile: "send FILE as the body (- for standard input); its name is appended to a URL that ends in /"
        case .output: "write to FILE (- for standard output); the n-th -o or -O belongs to the n-th URL"
        case .remoteName: "write to a file with the name the server suggests, or the last part of the URL"
        case .remoteHeaderName: "with -O, use the name that the server suggests (the default)"
        case .remoteTime: "give a file the time of the response's Last-Modified"
        case .noBuffer: "write the body as it arrives (the default)"
        case .continueDownload: "continue the FILE.part that an interrupted run left"
        case .connections:
            "fetch a file over up to COUNT connections at a time, and continue what an interrupted run left"
        case .mirror: "also fetch parts of the file from this URL; may be repeated"
        case .checksum:
            "check the file's SHA-256 or SHA-512 (sha-512=HEX) before it gets its name; another one is status 1"
        case .outputFolder: "write the files of -o and -O to this folder"
        case .createFolders: "create the missing folders of output files"
        case .dumpHeader: "write the heads of redirects and responses to FILE (- for standard output)"
        case .serverSentEvents:
            "write the data of each server-sent event and a line feed as it comes, and open the stream again when it "
                + "ends, until a 204; --retry says how often in a row"
        case .lines: "write the body line by line as it comes, each with a line feed"
        case .include: "write the response head before the body"
        case .head: "request only the response head, and write it"
        case .timeCondition:
            "request the body only if it has changed after DATE, or after FILE was changed; with a hyphen in front of "
                + "either, only if it has not"
        case .user: "send this name and password with HTTP Basic, only to the origin of the URL"
        case .digest: "send the name and password of -u only with HTTP Digest, if the server asks"
        case .oauth2Bearer: "send this token with the Bearer scheme, only to the origin of the URL"
        case .netrc: "send the name and password that ~/.netrc has for the host, as with -u"
        case .netrcFile: "like --netrc, with FILE instead of ~/.netrc"
        case .cookie:
            "send these cookies to the origin of the URL, or those of a Netscape cookie FILE to their hosts; a value "
                + "without = is a FILE"
        case .cookieJar: "at the end, write all cookies to FILE (- for standard output)"
        case .location: "follow redirects (the default)"
        case .noRedirect: "do not follow redirects: a redirect is the response"
        case .maxRedirects: "follow at most COUNT redirects; 20 by default, -1 for no limit"
        case .timeout: "give up when no byte has moved for SECONDS; 60 by default, 0 for no limit"
        case .maxTime:
            "give up when a transfer has taken SECONDS in total, retries included, without the time in which the "
                + "output is not read"
        case .connectTimeout: "give up connecting after SECONDS"
        case .deadline: "give up SECONDS after the start of a transfer, whatever it waits for"
        case .caCertificate: "trust the certificate authorities in this PEM file instead of the system's"
        case .insecure: "accept any certificate: everyone on the way can read and change everything"
        case .certificate:
            "present this client certificate, in PEM or in PKCS#12 (*.p12, *.pfx), to the origin of the URL; a colon "
                + "in FILE is written as \\:"
        case .key: "the private key of --cert, in PEM; by default in the file of the certificate"
        case .pin:
            "accept only servers whose own public key has this SHA-256 hash; may be repeated, for example for the next "
                + "key"
        case .proxy: "use this proxy (http, https, socks4, socks4a, socks5, socks5h); by default the environment's"
        case .resolve:
            "connect to this numeric address for a host and port, instead of looking it up; several ones are separated "
                + "by commas; may be repeated"
        case .resolverURL:
            "look names up with this resolver over HTTPS (RFC 8484), not with the system's; its own name is looked up "
                + "by the system, unless --resolve has it"
        case .ipv4: "connect only to IPv4 addresses"
        case .ipv6: "connect only to IPv6 addresses"
        case .interface: "connect from this network interface, or from this address of this machine"
        case .http1: "use HTTP/1.1 also over TLS"
        case .http2: "use HTTP/2 over TLS where the server has it (the default)"
        case .http2PriorKnowledge: "use HTTP/2, also without TLS, and nothing else"
        case .http3: "try HTTP/3 over TLS first; fails if this libcurl lacks it"
        case .http3Only: "use HTTP/3 and nothing else; fails if this libcurl lacks it"
        case .unixSocket: "connect to this Unix-domain socket instead of the host of the URL"
        case .limitRate:
            "receive, and send, at most RATE bytes per second in all transfers together, such as 500k or 2M"
        case .ping: "with ferry ws, send a ping each SECONDS, and end if it is not answered before the next one"
        case .binary: "with ferry ws, send what is read as binary messages, and write those unchanged"
        case .retry:
            "try a transfer up to COUNT more times after a temporary failure: no connection, a lost one, or status "
                + "408, 425, 429, 500, 502, 503 or 504; none by default. The rest of a body is requested; a POST or "
                + "PATCH is sent again only if no byte of it was sent"
        case .retryDelay: "wait SECONDS before each retry, unless the server asks for another time; 0 for the default"
        case .retryMaxTime: "begin no further retry once a transfer has taken SECONDS"
        case .retryAllErrors:
            "with --retry, also try again after any HTTP error or inactivity timeout, and with every method, although "
                + "the server may then do the work twice"
        case .parallel: "run up to 50 transfers at a time, or as many as --parallel-max allows"
        case .parallelMax: "run COUNT transfers at a time; 1 by default, and always 1 on standard output"
        case .batch:
            "also transfer the URLs in FILE (- for standard input), one per line; an indented line out=NAME after a "
                + "URL names its file"
        case .queueFolder: "with ferry queue, the folder that keeps the transfers"
        case .next: "begin a new set of URLs and options; -s, -S, -v, -Z and -P also apply to it, other options do not"
        case .globOff: "take braces and brackets in URLs literally (the default)"
        case .fail: "do not write the body of an HTTP error to standard output"
        case .failWithBody: "write the body of an HTTP error also to a file"
        case .writeOut:
            "after each transfer, write FORMAT or the contents of FILE to standard output, with curl's variables: "
                + "%{http_code}, %{time_total}, %{size_download}, %{json} and others; escapes: \\n \\t %%"
        case .timings: "at the end, print a table of each request's timings on standard error"
        case .jsonLog:
            "write events as JSON, one object per line (- for standard error, which then carries nothing else)"
        case .timeline: "at the end, draw all requests as a waterfall"
        case .silent: "print no progress and no notes; errors are still printed"
        case .showError: "print errors (the default, also with -s)"
        case .config: "read options from FILE (- for standard input), in the syntax of curl's"
        case .disable: "read no default config file (there is none)"
        case .completion:
            "print completions for a shell; load them with eval \"$(ferry --completion bash)\" in ~/.bashrc, likewise "
                + "for zsh in ~/.zshrc after compinit, and with ferry --completion fish | source in "
                + "~/.config/fish/config.fish"
        case .verbose: "print requests as they are sent, responses and timings on standard error"
        case .version: "print the versions of Ferry and libcurl"
        case .help: "print this text"
        }
    }
}
